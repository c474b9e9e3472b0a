import { wordList } from '../base/text/strings.ts';
import { termsOf, worthOf } from '../memory/terms.ts';

/**
 * The words by which messages are told apart, in the languages that the docs name. Words only: what a sentence means is
 * left to the model that reads it.
 */

const words = (text: string): ReadonlySet<string> => new Set(wordList(text));

/** Asks to go on with what was begun. */
export const CONTINUES = words(`
  continue continuing resuming proceed onward finish finishing
  weiter weitermachen weitergehen fortfahren fortsetzen fertig fertigmachen fertigstellen
  continuar continúa continua continúe sigue seguir sigamos termina terminar terminemos
  continuer continuons continuez reprends reprendre reprenons finis finir terminons
  continuare continuiamo riprendi riprendiamo finisci prosseguir retoma terminemos
  продолжай продолжим продолжить дальше закончи
`);
/** The same in languages that do not put blanks between words. */
export const CONTINUES_INSIDE = wordList('続き 続け 続行 仕上げ 继续 繼續 接着 계속 이어서');
/** The same in several words. */
export const CONTINUES_TOGETHER = `
  go on, go ahead, pick up, left off, carry on, keep going, keep at it, up to date, lost track, resume work, resume the work,
  resume where, resume from where, where were we, where we're up, where we are, where are we, we were working,
  i was working, what's next, mach weiter, mach es fertig, wo waren wir, dónde estábamos, où en étions
`
  .trim()
  .split(/,\s+/);
/** Speaks of what was said and done before; a short prompt means the work before it. */
export const REMINDS = words(`
  yesterday earlier previously asked asking told wanted decided agreed discussed planned remind recap
  gestern vorhin besprochen gesagt ayer antes hier ieri
`);
/** Speaks of what comes after something; a short prompt that names nothing new means the work before it. */
export const NEXT = words(`
  now then next second other far finished ready jetzt dann nächste ahora luego maintenant adesso
`);
/** A short prompt with one of these acts on work that is open. */
export const ACTS = words(`
  finish finished complete keep resume push pushed commit committed still again remaining rest merge rebase deploy release ship test tests
  lint build ci pr review fix fixes fixed done changes retry rerun undo revert amend squash status todo todos left
  noch nochmal wieder rest fertig änderungen todavía reste encore ancora ainda
`);

/** Words of rules that hold from now on, and of the manner of answers, texts and work that people want. */
export const RULES = words(`
  never always only must mustn't don't dont not no none nothing nobody anything anyone anywhere without unless until
  except avoid prefer preferably rather instead over whenever ever every each per any may allowed forbidden cannot
  off-limits hands hands-off scope outside inside within beyond belong belongs owns owned job mine myself read-only frozen
  freeze locked limit limited restrict restricted refrain skip ignore exclude permitted unasked manually whatever throughout
  wait ask hold confirm approve approval permission consent go-ahead ok okay sign-off before after first leave keep stay
  stick untouched unchanged alone exactly from onward onwards default rule rules convention conventions policy strictly
  reply replies answer answers write say mention quote name names word words phrase tone voice formal informal polite plain
  simple short brief concise terse summary bullet bullets points list lists table tables heading headings emoji emojis
  markdown prose paragraph paragraphs sentence sentences line lines columns format unit units metric imperial celsius
  currency date dates english british american german french spanish italian japanese chinese language spelling style
  readability spaces tabs naming comments call called term terms codename capitals uppercase lowercase hyphens dashes jargon
  abbreviations describe described vague disclose reveal blame apologise apologize promise stop pause between step review
  backup separately once later better best worse love hate dislike enjoy like fine boring explicit standard dependencies
  colour colours colors dark light inline under most least maximum minimum end beginning json yaml csv numbered example
  utc hour clock timezone iso decimals percent use make please touch change install production staging
  nicht kein keine keinen nie niemals immer nur ohne muss müssen darf dürfen soll sollen statt außer bis bevor vorher
  jede jeder jedes lieber genau lass lassen bleib bleibt frag frage warte erst ab regel grundsätzlich
  antworte schreib deutsch englisch stichpunkte kurz knapp sätze tabelle einheiten
  nunca siempre solo sólo sin debe deben excepto salvo hasta antes cada prefiero exactamente deja espera pregunta regla
  responde español inglés viñetas breve frases tabla
  jamais toujours seulement sans doit doivent sauf avant chaque préfère exactement laisse attends demande règle uniquement
  réponds français anglais puces court tableau
  mai sempre senza deve devono prima ogni preferisco soltanto lascia aspetta chiedi sem deve antes cada prefiro apenas
  rispondi italiano inglese elenco responda português
  никогда всегда только нельзя без пока сначала каждый
`);
export const RULES_INSIDE = wordList(
  'ないで てください こと だけ 必ず 禁止 絶対 不要 常に 前に 必须 只 别 不得 总是 请 請 先 마세요 하지 반드시 항상 答え 日本語 英語 箇条書き 簡潔 回答 中文 英文 列表 简短 대답 한국어',
);

/** Forbids or puts off. */
export const FORBIDS = words(`
  don't dont not never no without until before unless avoid stop wait hold cannot can't mustn't shouldn't
  nicht kein keine keinen nie niemals ohne bis bevor erst
  no nunca sin hasta antes ne pas jamais sans avant non mai senza prima não sem antes
`);
export const FORBIDS_INSIDE = wordList('ないで しないで 禁止 不要 别 先不 마세요 하지');
/** The beginnings of what is worth to be reminded of before it is done. */
export const CONSEQUENTIAL = wordList(`
  push gepusht commit einchecken merge merging deploy ausrollen desplegar release releasing publish veröffentlich publicar
  delet löschen lösche borra supprimer remov rm entfern drop truncate prune purge wipe migrat send sent schicken enviar
  email rebas squash amend reset revert force tag install upgrad updat aktualisier restart reboot renam umbenenn refactor
  rewrit umschreib call anrufen llamar order buy pay bestell kauf bezahl pedir comprar commander acheter clos schließ
  run ausführ lancer
`);
/** A message of nothing but these agrees, or goes on. */
export const AGREES = words(`
  yes yeah yep yup y ok okay k sure fine good great perfect nice cool awesome excellent thanks thank you thx please do it
  go ahead on continue proceed looks sounds lgtm right correct exactly agreed approved confirmed works that this is the
  and now then well done all let's lets keep going next one i we so very much for me to
  ja jo klar gut super danke bitte mach weiter genau passt so prima toll
  sí si vale bien gracias claro sigue adelante perfecto oui d'accord merci parfait vas-y continue
  va bene grazie certo sim obrigado はい お願いします ありがとう 好的 是的 네 да хорошо спасибо
`);

/** Begins an answer to a question. */
export const ANSWERS = words(
  'yes yeah yep yup no nope ok okay sure ja nein sí si no oui non sì はい いいえ 好的 да нет',
);
/** Asks to look at something, which changes nothing. */
export const LOOKS = words(`
  show list print read look check explain describe tell find search count compare summarise summarize review
  zeig zeige lies prüfe erkläre muestra lee explica montre lis explique mostra leggi spiega
`);
/** Begins a question that asks to be told something. */
export const QUESTIONS = words(`
  why what how where which who when warum was wie wo por qué cómo pourquoi comment où perché come
`);
/** Stands before what is asked for. */
export const ADDRESS = words(`
  can could would will shall should you i'd like want need help try where with from here there again let us
  the der die das den el los las le les il kannst könntest du wir ich kann können hier wo puedes podemos tú quiero aquí peux pouvez tu vous peut on je où puoi
`);

/** The words of a text that tell its subject, without their endings. */
export const tellingWords = (text: string): string[] =>
  termsOf(text.replace(/[/._-]+/g, ' ')).filter((term) => term.length > 3 && worthOf(term) >= 0.75);

export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .match(/[\p{L}\p{N}][\p{L}\p{N}'_-]*/gu) ?? [];
