import { wordList } from '../base/text/word-list.ts';
import { termsOf, worthOf } from '../memory/terms.ts';
import { pickedIn } from '../transcript/hearing/pointing.ts';
import { isApproval, type Said } from './messages.ts';
import type { WorkState } from './state.ts';
import {
  ACTS,
  ADDRESS,
  AGREES,
  CONSEQUENTIAL,
  CONTINUES,
  CONTINUES_INSIDE,
  CONTINUES_TOGETHER,
  FORBIDS,
  FORBIDS_INSIDE,
  QUESTIONS,
  wordsOf,
} from './vocabulary.ts';

/** A prompt with more words brings its own work, unless it names that of before. */
const SHORT_WORDS = 30;
const NAMING_WORDS = 60;
/** A prompt that acts on open work is shorter still. */
const ACTING_WORDS = 14;
/** After a clean end, one that acts on what is there is the shortest, and one on the branch or its pull request short. */
const FEW_WORDS = 6;
const BRANCH_WORDS = 20;
/** Before "branch": the one that is checked out. */
const THIS = new Set(
  wordList('this the current our my local same diesem diesen dem cette ce la esta questo'),
);
/** A prompt of so many characters is a specification. */
const SPECIFICATION = 1500;
/** How a host begins a prompt with a plan that was approved; it holds all that is needed. */
const GIVEN_PLAN = 'Implement the following plan:';
/** Who asks to go on says so early, or says little else; before it stand words of address, and one other at most. */
const SOON = 6;
const LITTLE = 8;
/** One telling word in common may be chance. */
const SHARED = 2;
/** Loops and templates begin the same each time. */
const TEMPLATE = 120;

/** What a first prompt is to the work before it. */
export type Relation = 'goes on' | 'own work' | 'unclear';

/**
 * Whether a prompt goes on with the work of the last session, by words and names only: in doubt, where something is
 * open and the prompt is short and shares most of its telling words with it, it does.
 * @param first the first prompt of the last session
 */
export function relationOf(
  prompt: string,
  state: WorkState,
  said: readonly Said[],
  first: string | undefined,
): Relation {
  const text = prompt.trim();
  if (text.startsWith(GIVEN_PLAN)) return 'own work';
  if (isTemplate(text, first) || text.length > SPECIFICATION) return 'own work';
  // What is named in code, and the names of files, are not what is asked for: `app resume`, @TODO.md.
  const words = wordsOf(text.replace(/`[^`\n]{1,200}`|@\S+|\S*[/\\]\S+|\w\S*\.\w{1,5}\b/g, ' '));
  if (words.length <= SHORT_WORDS && asksToContinue(words, text)) return 'goes on';
  // "yes", "next": an answer to what was before.
  if (words.length > 0 && isApproval(text)) return 'goes on';
  const isOpen = state.open.length > 0;
  // "option 1": of the list that the agent ended with.
  if (pickedIn(text, state.lastWords ?? '').length > 0) return 'goes on';
  if (names(text, state)) return 'goes on';
  if (text.startsWith('/')) return 'unclear';
  // "PR 227" is another one.
  const isOfBranch = (word: string, at: number): boolean =>
    word === 'pr' || (word === 'branch' && THIS.has(words[at - 1] ?? ''));
  const afterBranch = words.flatMap((word, at) => (isOfBranch(word, at) ? [words[at + 1] ?? ''] : []));
  if (afterBranch.some((next) => /^\d/.test(next))) return 'unclear';
  if (words.length <= BRANCH_WORDS && afterBranch.length > 0) return 'goes on';
  // "how do I fix this?" asks to be told, not to act.
  const acts = !QUESTIONS.has(words[0] ?? '') && words.some((word) => ACTS.has(word));
  if (acts && words.length <= (isOpen ? ACTING_WORDS : FEW_WORDS)) return 'goes on';
  if (!isOpen) return 'unclear';
  if (words.length > SHORT_WORDS) return 'unclear';
  const telling = [...new Set(tellingWords(text))];
  const known = new Set(
    tellingWords(
      [state.branch, state.subject?.text, state.lastWords, ...said.map((one) => one.text)].join(' '),
    ),
  );
  const shared = telling.filter((word) => known.has(word)).length;
  const most = shared >= SHARED && shared * 3 >= telling.length * 2;
  return most || (shared > 0 && telling.length <= SHARED) ? 'goes on' : 'unclear';
}

/** Whether a prompt itself asks to go on; with the name of a branch, in any place. */
export function saysToGoOn(prompt: string, branch: string | undefined): boolean {
  const words = wordsOf(prompt);
  if (words.length > SHORT_WORDS) return false;
  const isNamed = branch !== undefined && prompt.includes(branch);
  return asksToContinue(words, prompt) || (isNamed && words.some((word) => CONTINUES.has(word)));
}

const isFiller = (word: string): boolean => AGREES.has(word) || ADDRESS.has(word);

const isTemplate = (text: string, first: string | undefined): boolean =>
  first !== undefined &&
  text.length >= TEMPLATE / 2 &&
  text.slice(0, TEMPLATE) === first.trim().slice(0, TEMPLATE);

function asksToContinue(words: readonly string[], text: string): boolean {
  const soon = words.length <= LITTLE ? words : words.slice(0, SOON);
  const isAddressed = (at: number): boolean =>
    words.slice(0, at).filter((word) => !isFiller(word)).length <= 1;
  if (soon.some((word, at) => CONTINUES.has(word) && isAddressed(at) && !isForbidden(words, at))) return true;
  if (CONTINUES_INSIDE.some((part) => text.includes(part))) return true;
  return CONTINUES_TOGETHER.some((run) =>
    words.some((_, at) => run.every((word, index) => words[at + index] === word)),
  );
}

/** Whether a prompt names a file, a task or the subject of the work. */
function names(text: string, { uncommitted, edited, tasks, subject, open, pullRequest }: WorkState): boolean {
  const files = open.length > 0 ? edited : (uncommitted ?? []);
  const lower = text.toLowerCase();
  const isNamed = (path: string): boolean =>
    lower.includes(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
  // A long prompt names files that it is not about.
  if (wordsOf(text).length <= NAMING_WORDS && files.some(isNamed)) return true;
  const number = /#\d+/.exec(pullRequest ?? '')?.[0];
  if (number !== undefined && new RegExp(`${number}\\b`).test(text)) return true;
  const told = new Set(tellingWords(text));
  const shares = (other: string): boolean => {
    const telling = [...new Set(tellingWords(other))];
    const shared = telling.filter((word) => told.has(word)).length;
    return shared >= 2 && shared >= telling.length / 2;
  };
  return [...tasks.map((task) => task.text), subject?.text ?? ''].some(shares);
}

/** The words of a text that tell its subject, without their endings. */
const tellingWords = (text: string): string[] =>
  termsOf(text.replace(/[/._-]+/g, ' ')).filter((term) => term.length > 3 && worthOf(term) >= 0.75);

/** How near before an act a word that forbids it stands, in words. */
const NEAR = 4;
/** A longer prompt does not ask for one act. */
const ASKING_WORDS = 14;
/** A request names its act early, or after a word that joins it to another. */
const EARLY = 4;
const JOINS: ReadonlySet<string> = new Set(
  wordList('and then please now und dann bitte y luego por et puis e poi 그리고'),
);
/** In some languages what forbids stands behind the verb. */
const FORBIDS_BEHIND: ReadonlySet<string> = new Set(wordList('nicht noch erst keine keinen pas'));

/**
 * The messages that forbid, or put off, what a prompt asks for: it asks for an act of consequence, and in a sentence of
 * the message a word that forbids stands next to the same act.
 */
export function forbidden(prompt: string, said: readonly Said[]): Said[] {
  const acts = actsAskedFor(prompt);
  return said.filter(({ text }) =>
    text.split(/[.!?;:。！？\n]+/).some((sentence) => {
      const spoken = wordsOf(sentence);
      const inside = FORBIDS_INSIDE.some((part) => sentence.includes(part));
      return acts.some((act) =>
        spoken.some((word, at) => act.has(word) && (inside || isForbidden(spoken, at))),
      );
    }),
  );
}

/** The kinds of acts with consequences that a short prompt asks for. */
export function actsAskedFor(prompt: string): ReadonlySet<string>[] {
  const words = wordsOf(prompt);
  if (words.length > ASKING_WORDS) return [];
  const isAsked = (at: number): boolean =>
    (at < EARLY || JOINS.has(words[at - 1] ?? '')) && !isForbidden(words, at);
  return CONSEQUENTIAL.filter((act) => words.some((word, at) => act.has(word) && isAsked(at)));
}

/** Whether a word that forbids stands shortly before a word, or next to it behind. */
function isForbidden(words: readonly string[], at: number): boolean {
  const before = words.slice(Math.max(0, at - NEAR), at);
  return (
    before.some((word) => FORBIDS.has(word)) ||
    words.slice(at + 1, at + 3).some((word) => FORBIDS_BEHIND.has(word))
  );
}

/** Whether a short prompt asks for a commit. */
export function asksToCommit(prompt: string): boolean {
  const words = wordsOf(prompt);
  const at = words.findIndex((word) => COMMITS.has(word));
  return at !== -1 && words.length <= ASKING_WORDS && !isForbidden(words, at) && !prompt.trim().endsWith('?');
}

const COMMITS: ReadonlySet<string> = new Set(wordList('commit committe commits stage stash amend squash'));
