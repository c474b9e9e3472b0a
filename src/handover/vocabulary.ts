import { wordList } from '../base/text/word-list.ts';

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
/** With "go", "pick" or "where": `go on`, `pick up`, `where were we`. */
export const CONTINUES_TOGETHER: readonly (readonly string[])[] = [
  ['go', 'on'],
  ['pick', 'up'],
  ['where', 'were', 'we'],
  ['left', 'off'],
  ['carry', 'on'],
  ['keep', 'going'],
  ['keep', 'at', 'it'],
  ['resume', 'work'],
  ['resume', 'the', 'work'],
  ['resume', 'where'],
  ['resume', 'from', 'where'],
  ['where', "we're", 'up'],
  ['where', 'we', 'are'],
  ['where', 'are', 'we'],
  ['we', 'were', 'working'],
  ['i', 'was', 'working'],
  ['lost', 'track'],
  ["what's", 'next'],
  ['mach', 'weiter'],
  ['mach', 'es', 'fertig'],
  ['wo', 'waren', 'wir'],
  ['dónde', 'estábamos'],
  ['où', 'en', 'étions'],
];
/** A short prompt with one of these acts on work that is open. */
export const ACTS = words(`
  finish finished complete keep resume push pushed commit committed still again remaining rest merge rebase deploy release ship test tests
  lint build ci pr review fix fixes fixed done changes retry rerun undo revert amend squash status todo todos left
  noch nochmal wieder rest fertig änderungen todavía reste encore ancora ainda
`);

/** Words of rules that hold from now on, more than of what is to be done next. */
export const RULES = words(`
  never always only must mustn't don't dont not no none nothing nobody anything anyone anywhere without unless until
  except avoid prefer preferably rather instead over whenever ever every each per any may allowed forbidden cannot
  off-limits hands hands-off scope outside inside within beyond belong belongs owns owned job mine myself read-only frozen
  freeze locked limit limited restrict restricted refrain skip ignore exclude permitted unasked manually whatever throughout
  wait ask hold confirm approve approval permission consent go-ahead ok okay sign-off before after first leave keep stay
  stick untouched unchanged alone exactly from onward onwards default rule rules convention conventions policy strictly
  nicht kein keine keinen nie niemals immer nur ohne muss müssen darf dürfen soll sollen statt außer bis bevor vorher
  jede jeder jedes lieber genau lass lassen bleib bleibt frag frage warte erst ab regel grundsätzlich
  nunca siempre solo sólo sin debe deben excepto salvo hasta antes cada prefiero exactamente deja espera pregunta regla
  jamais toujours seulement sans doit doivent sauf avant chaque préfère exactement laisse attends demande règle uniquement
  mai sempre senza deve devono prima ogni preferisco soltanto lascia aspetta chiedi sem deve antes cada prefiro apenas
  никогда всегда только нельзя без пока сначала каждый
`);
export const RULES_INSIDE = wordList(
  'ないで てください こと だけ 必ず 禁止 絶対 不要 常に 前に 必须 只 别 不要 不得 总是 请 請 先 마세요 하지 반드시 항상',
);
/** Words about the manner of answers, of texts and of work: people who use them say how they want it. */
export const MANNER = words(`
  reply replies replying answer answers respond response responses write writes written say mention quote name names word
  words wording phrase tone voice formal informal polite plain simple short brief concise terse detailed summary
  summaries bullet bullets points list lists table tables heading headings title titles emoji emojis markdown prose
  paragraph paragraphs sentence sentences line lines characters columns format formatted units unit metric imperial
  celsius currency date dates english british american german french spanish italian japanese chinese language spelling
  style styles readability readable clever tabs spaces naming comment comments docs documentation message messages text
  touch change install production staging public private secret confidential customer customers diff go favour favor like
  call called calls term terms terminology codename brand spell capitals uppercase lowercase hyphens dashes jargon acronyms
  abbreviations contractions describe described explain refer vague vaguely disclose reveal blame apologise apologize
  promise jokes humour slang sarcasm audience readers reader stop pause between step steps status review reviewed verify
  backup separately batches twice once later weekend friday monday evening better best worse love hate dislike enjoy
  favourite favorite fine nice ugly simplest explicit standard dependencies dependency minimal boring colour color colours
  colors dark light font fonts verbose inline nested under most least maximum minimum top bottom end beginning json yaml
  csv ascii diagram diagrams numbered ordered examples example utc gmt hour hours clock timezone iso kilometres celsius
  fahrenheit euros dollars decimals digits percent percentages
  use make please want run show tell check
  antworte antworten schreib schreibe deutsch englisch stichpunkte stichworten kurz knapp sätze tabelle tabellen einheiten
  responde respuestas español inglés viñetas breve frases tabla réponds français anglais puces court phrases tableau
  rispondi italiano inglese elenco breve frasi responda português
`);
export const MANNER_INSIDE = wordList(
  '答え 返事 日本語 英語 箇条書き 表 単位 簡潔 回答 中文 英文 列表 简短 单位 대답 한국어',
);
/** Words of talk about what is there, what went wrong and what is not understood. */
export const TALK = words(`
  why what how where which who was were is are did didn't does doesn't isn't aren't wasn't weren't wouldn't couldn't i'm
  it's there's that's what's seems looks think guess wonder maybe probably got getting get gets had has having been
  error errors fail fails failed failing failure broken breaks broke wrong issue bug bugs problem warning happened happens
  expected supposed noticed saw see there this that these those now also already still again actually can could
  warum was wie wo ist sind war waren hat hatte fehler glaube vielleicht hier jetzt noch schon
  por qué cómo es son fue error ahora pourquoi comment est sont était erreur maintenant perché come è errore adesso
`);

/** Forbids or puts off. */
export const FORBIDS = words(`
  don't dont not never no without until before unless avoid stop wait hold cannot can't mustn't shouldn't
  nicht kein keine keinen nie niemals ohne bis bevor erst
  no nunca sin hasta antes ne pas jamais sans avant non mai senza prima não sem antes
`);
export const FORBIDS_INSIDE = wordList('ないで しないで 禁止 不要 别 先不 마세요 하지');
/** What is worth to be reminded of before it is done; each line is one act. */
export const CONSEQUENTIAL: readonly ReadonlySet<string>[] = [
  'push pushes pushed pushing pushen gepusht hochladen empuja pousser',
  'commit commits committed committing committe committen einchecken',
  'merge merges merged merging mergen fusionar fusionner',
  'deploy deploys deployed deploying deployment deployen ausrollen desplegar déployer',
  'release releases released releasing publish publishes published publishing veröffentlichen publicar publier',
  'delete deletes deleted deleting remove removes removed removing rm löschen lösche entfernen borrar borra supprimer',
  'drop drops dropped dropping truncate prune purge wipe',
  'migrate migrates migrated migrating migration migrations migrieren migrar',
  'send sends sent sending email mail schicken sende senden enviar envoyer',
  'rebase rebased squash amend reset revert',
  'force',
  'tag tags tagged',
  'install installs installed installing upgrade upgrades update updates installieren aktualisieren instalar installer',
  'restart restarts restarted reboot neustarten reiniciar redémarrer',
  'rename renames renamed umbenennen renombrar renommer',
  'refactor refactors refactored refactoring rewrite umschreiben',
  'call calls called calling anrufen llamar appeler',
  'order orders ordered buy buys pay pays bestellen kaufen bezahlen pedir comprar pagar commander acheter payer',
  'close closes closed closing schließen cerrar fermer',
  'run runs running ran ausführen starte ejecutar lancer',
].map(words);

/** A message of nothing but these agrees, or goes on. */
export const AGREES = words(`
  yes yeah yep yup y ok okay k sure fine good great perfect nice cool awesome excellent thanks thank you thx please do it
  go ahead on continue proceed looks sounds lgtm right correct exactly agreed approved confirmed works that this is the
  and now then well done all let's lets keep going next one i we so very much for me to
  ja jo klar gut super danke bitte mach weiter genau passt so prima toll
  sí si vale bien gracias claro sigue adelante perfecto oui d'accord merci parfait vas-y continue
  va bene grazie certo sim obrigado はい お願いします ありがとう 好的 是的 네 да хорошо спасибо
`);

/** Begins a question that asks to be told something. */
export const QUESTIONS = words(`
  why what how where which who when warum was wie wo por qué cómo pourquoi comment où perché come
`);
/** Stands before what is asked for. */
export const ADDRESS = words(`
  can could would will shall should you i'd like want need help try where with from here there again
  kannst könntest du wir ich kann können hier wo puedes podemos tú quiero aquí peux pouvez tu vous peut on je où puoi
`);

/** The words of a text, in lower case. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .match(/[\p{L}\p{N}][\p{L}\p{N}'_-]*/gu) ?? [];
