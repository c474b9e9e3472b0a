import { wordList, wordSet } from '../base/text/strings.ts';
import { pickedIn } from '../transcript/hearing.ts';
import {
  ACTS,
  AGREES,
  isApproval,
  QUESTIONS,
  type Said,
  sentencesIn,
  tellingWords,
  weightOf,
  wordsOf,
} from './messages.ts';
import type { WorkState } from './state.ts';

/** A prompt with more words brings its own work. */
const SHORT_WORDS = 30;
/** A prompt that acts on open work, or asks for one act, is shorter still; after a clean end the shortest. */
const ACTING_WORDS = 14;
const FEW_WORDS = 6;
/** One on the branch that is checked out or its pull request. */
const BRANCH_WORDS = 20;
const OF_BRANCH = /\b(?:pr|(?:this|the|current|our|my|local|same|diese[mn]|cette|esta|questo) branch)\b/i;
/** A prompt of so many characters is a specification. */
const SPECIFICATION = 1500;
/** How a host begins a prompt with a plan that was approved; it holds all that is needed. */
const GIVEN_PLAN = 'Implement the following plan:';
/** Who asks to go on says so early, or says little else; before it stand words of address, and one other at most. */
const SOON = 6;
const LITTLE = 8;
/** Loops and templates begin the same each time. */
const TEMPLATE = 120;

export type Relation = 'goes on' | 'own work' | 'unclear';

/**
 * Whether a prompt goes on with the work of the last session, by words and names only.
 * @param first the first prompt of the last session
 */
export function relationOf(
  prompt: string,
  state: WorkState,
  said: readonly Said[],
  first: string | undefined,
): Relation {
  const text = prompt.trim();
  const start = text.slice(0, TEMPLATE);
  const isTemplate = start.length >= TEMPLATE / 2 && first?.trim().slice(0, TEMPLATE) === start;
  if (isTemplate || text.startsWith(GIVEN_PLAN) || text.length > SPECIFICATION) return 'own work';
  return goesOn(text, state, said) ? 'goes on' : 'unclear';
}

function goesOn(text: string, state: WorkState, said: readonly Said[]): boolean {
  // What is named in code, and the names of files, are not what is asked for: `app resume`, @TODO.md.
  const asked = text.replace(/`[^`\n]{1,200}`|@\S+|\S*[/\\]\S+|\w\S*\.\w{1,5}\b/g, ' ');
  const words = wordsOf(asked);
  const [first = ''] = words;
  const isOpen = state.open.length > 0;
  // "yes", "next"; and "yes - commit it" to a question.
  if (words.length > 0 && isApproval(text)) return true;
  if (state.question !== undefined && ANSWERS.has(first)) return true;
  // "option 1": of the list that the agent ended with.
  if (pickedIn(text, state.lastWords ?? '').length > 0) return true;
  if (words.length > SHORT_WORDS) return false;
  if (asksToContinue(asked) || names(text, state)) return true;
  if (text.startsWith('/')) return false;
  // "review the changes in this branch"; but "PR 227" is another one.
  if (/\bpr\W*\d/i.test(asked)) return false;
  if (words.length <= BRANCH_WORDS && OF_BRANCH.test(asked)) return true;
  if (words.length <= LITTLE && words.some((word) => REMINDS.has(word))) return true;
  if (words.length > (isOpen ? ACTING_WORDS : FEW_WORDS)) return false;
  // "how do I fix this?" asks to be told, not to act.
  if (!QUESTIONS.has(first) && words.some((word) => ACTS.has(word))) return true;
  // What it names, the work before it has named, too: "now the rendering".
  const { branch, subject, lastWords, tasks } = state;
  const texts = [branch, subject?.text, lastWords, ...[...tasks, ...said].map((one) => one.text)];
  const known = new Set(tellingWords(texts.join(' ')));
  const telling = tellingWords(words.filter((word) => !isFiller(word)).join(' '));
  return isOpen && telling.length > 0 && telling.every((word) => known.has(word));
}

const isFiller = (word: string): boolean => AGREES.has(word) || ADDRESS.has(word);

export function asksToContinue(text: string): boolean {
  const words = wordsOf(text);
  if (words.length > SHORT_WORDS) return false;
  const soon = words.length <= LITTLE ? words : words.slice(0, SOON);
  const isAddressed = (at: number): boolean =>
    words.slice(0, at).filter((word) => !isFiller(word)).length <= 1;
  if (soon.some((word, at) => CONTINUES.has(word) && isAddressed(at) && !isForbidden(words, at))) return true;
  // German puts it at the end: "mach mit dem Warenkorb weiter".
  if (words.length <= LITTLE && /\b(?:weiter|fort|fertig)\W*$/i.test(text)) return true;
  if (CONTINUES_INSIDE.some((part) => text.includes(part))) return true;
  const all = ` ${words.join(' ')} `;
  return CONTINUES_TOGETHER.some((run) => all.includes(` ${run} `));
}

function names(text: string, { uncommitted, edited, open, pullRequest }: WorkState): boolean {
  const lower = text.toLowerCase();
  const files = open.length > 0 ? edited : (uncommitted ?? []);
  if (files.some((path) => lower.includes(path.slice(path.lastIndexOf('/') + 1).toLowerCase()))) return true;
  const number = /#\d+/.exec(pullRequest ?? '')?.[0];
  return number !== undefined && new RegExp(`${number}\\b`).test(text);
}

/** How near before an act a word that forbids it stands, in words. */
const NEAR = 4;
/** In some languages what forbids stands behind the verb. */
const FORBIDS_BEHIND = wordSet('nicht noch erst keine keinen pas');

/**
 * The messages of a session that forbid, or put off, what a prompt asks for: one of their sentences rules something with
 * a word that forbids, and names something rare that the prompt wants to change, or the same act, for which nobody has
 * asked since.
 */
export function forbidden(prompt: string, said: readonly Said[]): Said[] {
  if (!changes(prompt)) return [];
  const telling = tellingWords(prompt);
  const newestFirst = said.toReversed();
  const found: Said[] = [];
  let acts = actsAskedFor(prompt);
  for (const message of newestFirst) {
    const forbids = sentencesIn(message.text).some((sentence) => {
      const words = wordsOf(sentence);
      const inside = FORBIDS_INSIDE.some((part) => sentence.includes(part));
      if (!inside && !words.some((word) => FORBIDS.has(word))) return false;
      const isAct = words.some(
        (word, at) => acts.some((act) => isOf(act, word)) && (inside || isForbidden(words, at)),
      );
      return (
        isAct || (weightOf(sentence) >= 1 && tellingWords(sentence).some((word) => telling.includes(word)))
      );
    });
    if (forbids) found.unshift(message);
    else acts = acts.filter((act) => !actsAskedFor(message.text).includes(act));
  }
  return found;
}

/** Whether a prompt is short, and wants something done that is not only looking. */
function changes(prompt: string): boolean {
  const words = wordsOf(prompt);
  const verb = words.find((word) => !isFiller(word)) ?? '';
  return (
    words.length <= ACTING_WORDS && !/[?？]\s*$/.test(prompt) && !QUESTIONS.has(verb) && !LOOKS.has(verb)
  );
}

/** The acts with consequences that a short prompt asks for, by the beginnings of their words. */
export function actsAskedFor(prompt: string): string[] {
  const words = wordsOf(prompt);
  if (words.length > ACTING_WORDS) return [];
  return CONSEQUENTIAL.filter((act) => words.some((word, at) => isOf(act, word) && !isForbidden(words, at)));
}

/** "pushed" is of "push"; "pusillanimous" is not, and "runway" not of "run". */
const isOf = (act: string, word: string): boolean =>
  word === act || (act.length > 3 && word.startsWith(act) && word.length <= act.length + 4);

/** Whether a word that forbids stands shortly before a word, or next to it behind. */
function isForbidden(words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - NEAR), at);
  return (
    before.some((word) => FORBIDS.has(word)) ||
    words.slice(at + 1, at + 3).some((word) => FORBIDS_BEHIND.has(word))
  );
}

export function asksToCommit(prompt: string): boolean {
  const words = wordsOf(prompt);
  const at = words.findIndex((word) => COMMITS.has(word));
  return at !== -1 && words.length <= ACTING_WORDS && !isForbidden(words, at) && !prompt.trim().endsWith('?');
}

const COMMITS = wordSet('commit committe commits stage stash amend squash');

/** Asks to go on with what was begun. */
const CONTINUES = wordSet(`
  continue continuing resuming proceed onward finish finishing
  weiter weitermachen weitergehen fortfahren fortsetzen fertig fertigmachen fertigstellen
  continuar continúa continua continúe sigue seguir sigamos termina terminar terminemos
  continuer continuons continuez reprends reprendre reprenons finis finir terminons
  continuare continuiamo riprendi riprendiamo finisci prosseguir retoma terminemos
  продолжай продолжим продолжить дальше закончи
`);
/** The same in languages that do not put blanks between words. */
const CONTINUES_INSIDE = wordList('続き 続け 続行 仕上げ 继续 繼續 接着 계속 이어서');
/** The same in several words. */
const CONTINUES_TOGETHER = `
  go on, go ahead, pick up, left off, carry on, keep going, keep at it, up to date, lost track, resume work, resume the work,
  resume where, resume from where, where were we, where we're up, where we are, where are we, we were working,
  i was working, what's next, mach weiter, mach es fertig, wo waren wir, dónde estábamos, où en étions
`
  .trim()
  .split(/,\s+/);
/** Speaks of what was said and done before; a short prompt means the work before it. */
const REMINDS = wordSet(`
  yesterday earlier previously asked asking told wanted decided agreed discussed planned remind recap
  gestern vorhin besprochen gesagt ayer antes hier ieri
`);
/** Forbids or puts off. */
const FORBIDS = wordSet(`
  don't dont not never no without until before unless avoid stop wait hold cannot can't mustn't shouldn't
  nicht kein keine keinen nie niemals ohne bis bevor erst
  no nunca sin hasta antes ne pas jamais sans avant non mai senza prima não sem antes
`);
const FORBIDS_INSIDE = wordList('ないで しないで 禁止 不要 别 先不 마세요 하지');
/** The beginnings of what is worth to be reminded of before it is done. */
const CONSEQUENTIAL = wordList(`
  push gepusht commit einchecken merge merging deploy ausrollen desplegar release releasing publish veröffentlich publicar
  delet löschen lösche borra supprimer remov rm entfern drop truncate prune purge wipe migrat send sent schicken enviar
  email rebas squash amend reset revert force tag install upgrad updat aktualisier restart reboot renam umbenenn refactor
  rewrit umschreib call anrufen llamar order buy pay bestell kauf bezahl pedir comprar commander acheter clos schließ
  run ausführ lancer
`);
/** Begins an answer to a question. */
const ANSWERS = wordSet(
  'yes yeah yep yup no nope ok okay sure ja nein sí si no oui non sì はい いいえ 好的 да нет',
);
/** Asks to look at something, which changes nothing. */
const LOOKS = wordSet(`
  show list print read look check explain describe tell find search count compare summarise summarize review
  zeig zeige lies prüfe erkläre muestra lee explica montre lis explique mostra leggi spiega
`);
/** Stands before what is asked for. */
const ADDRESS = wordSet(`
  can could would will shall should you i'd like want need help try where with from here there again let us
  the der die das den el los las le les il kannst könntest du wir ich kann können hier wo puedes podemos tú quiero aquí peux pouvez tu vous peut on je où puoi
`);
