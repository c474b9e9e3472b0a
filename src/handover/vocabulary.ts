import { wordList } from '../text/word-list.ts';

/**
 * The words by which messages are told apart, in the languages that the docs name. Words only: what a sentence means is
 * left to the model that reads it.
 */

const words = (text: string): ReadonlySet<string> => new Set(wordList(text));

/** Asks to go on with what was begun. */
export const CONTINUES = words(`
  continue continued continuing resume resuming proceed keep onward finish finishing complete carry carrying
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
  ['go', 'ahead'],
  ['where', 'were', 'we'],
  ['left', 'off'],
  ['mach', 'weiter'],
  ['wo', 'waren', 'wir'],
  ['dónde', 'estábamos'],
  ['où', 'en', 'étions'],
];
/** A short prompt with one of these acts on work that is open. */
export const ACTS = words(`
  finish finished push pushed commit committed still again remaining rest merge rebase deploy release ship test tests
  lint build ci pr review fix fixes fixed done changes retry rerun undo revert amend squash status todo todos left
  noch nochmal wieder rest fertig änderungen todavía reste encore ancora ainda
`);

/** Words of obligation: a message with them probably holds a rule. */
export const OBLIGES = words(`
  must never always only don't dont not no without should shouldn't need needs have keep keeps leave instead except
  unless until before after exactly same more most least than please make use avoid stop wait ask first both each every
  nothing
  nicht kein keine keinen nie niemals immer nur ohne muss müssen soll sollen bitte statt außer bis bevor vorher genau
  lassen lass erst
  no nunca siempre solo sólo sin debe deben hay usa antes hasta exactamente deja
  ne pas jamais toujours seulement sans doit doivent faut avant jusqu exactement laisse
  non mai sempre solo senza deve devono prima não nunca sempre só sem deve antes
`);
export const OBLIGES_INSIDE = wordList(
  'ないで てください こと だけ 必ず 禁止 絶対 不要 必须 只 别 請 请 마세요 하지 반드시',
);

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
