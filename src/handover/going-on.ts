import { splitWords } from '../base/text/prose.ts';
import { extractTerms, rateTerm } from '../memory/terms.ts';
import { findPicked } from '../transcript/pasted-text.ts';
import { listItems } from '../transcript/record.ts';
import type { StoredSession } from '../transcript/store.ts';
import { listInheritedMessages, type PersonMessage } from './messages.ts';
import { buildWorkState, isCutOff, type WorkState } from './state.ts';
import {
  ACTS,
  ANSWERS,
  ASKS,
  extractTickets,
  isApproval,
  isAskingToContinue,
  isFiller,
  isOtherWork,
  isSingleOrder,
  isTelling,
  listOtherWords,
  RARE,
  REMINDS,
  SHORT_WORDS,
} from './words.ts';

/** A prompt of so many characters is a specification. */
const SPECIFICATION = 1500;
/** How a host begins a prompt with a plan that was approved; it holds all that is needed. */
const GIVEN_PLAN = 'Implement the following plan:';
/** A prompt with the same beginning as the last session's first prompt comes from a template: it is new work. */
const TEMPLATE_CHARACTERS = 120;
/** A prompt that acts on open work is shorter than one that says to go on; after a clean end it is shorter still. */
const ACTING_WORDS = 14;
const FEW_WORDS = 6;
const REMINDING_WORDS = 8;

export interface Work {
  state: WorkState;
  first: string | undefined;
  /** All that was said in it, in lower case. */
  talk: string;
  /** The person's messages, in lower case: each word between blanks. */
  said: string;
  /** `talk` and the inputs and effects of calls, in lower case. */
  text: string;
  /** Another branch is checked out: only an explicit prompt continues it. */
  isElsewhere?: boolean;
  /** It was done on another branch, and this one has no commit of it. */
  isAside?: boolean;
}

export function describeWork(
  stored: StoredSession,
  state: WorkState,
  messages: readonly PersonMessage[],
): Work {
  const items = listItems(stored.record);
  const itemTexts = items.map((item) => ('text' in item && item.type !== 'result' ? item.text : ''));
  const called = items.map((item) => {
    if (item.type === 'call') return JSON.stringify(item.input);
    return item.type === 'did' ? JSON.stringify(item.facts) : '';
  });
  const { branch, subject, question, pullRequest, edited } = state;
  const commits = state.commits.map((commit) => commit.subject);
  const passages = [...messages, ...state.tasks].map(({ text }) => text);
  const names = [branch, subject?.text, question, pullRequest, ...edited, ...commits];
  const talk = [...names, ...passages, ...itemTexts].join('\n').toLowerCase();

  return {
    state,
    talk,
    said: messages.map(({ text }) => ` ${splitWords(text).join(' ')} `).join('\n'),
    first: messages.find((message) => message.session === stored.session)?.text,
    text: [talk, ...called].join('\n').toLowerCase(),
  };
}

interface Prompt {
  text: string;
  /** Without code and names of files: `app resume` is not what is asked for. */
  asked: string;
  words: string[];
}

export const SURE_TOKENS = 500;
const LIKELY_TOKENS = 120;

export interface Reason {
  name: string;
  isSure?: true;
  /** A question may be asked of any work: it goes on only for this reason. */
  mayAsk?: true;
  test: (prompt: Prompt, work: Work) => boolean;
}

/** Why a prompt goes on with the last session's work, the surest reason first. */
const REASONS: readonly Reason[] = [
  {
    name: 'the prompt says to go on',
    isSure: true,
    mayAsk: true,
    test: (prompt, work) => isAskingToContinue(prompt.asked) && !namesUnknown(prompt, work),
  },
  {
    name: "the prompt answers the agent's question",
    mayAsk: true,
    test: (prompt, work) => {
      const { question } = work.state;
      const isYesOrNo = ANSWERS.has(prompt.words[0] ?? '') && !namesUnknown(prompt, work);
      return question !== undefined && (isYesOrNo || isChoosing(prompt, question));
    },
  },
  {
    name: "the prompt picks from the agent's last list",
    mayAsk: true,
    test: ({ text }, { state }) => findPicked(text, state.lastWords ?? '').length > 0,
  },
  {
    name: 'the prompt agrees',
    isSure: true,
    mayAsk: true,
    test: ({ text, words }, { state }) => words.length > 0 && isApproval(text) && state.open.length > 0,
  },
  {
    name: 'the prompt names a file or pull request of that work',
    test: (prompt, work) =>
      isShort(prompt) && namesFileOrPullRequest(prompt, work) && !namesUnknown(prompt, work),
  },
  {
    name: 'the prompt asks about what was said before',
    mayAsk: true,
    test: (prompt, work) =>
      prompt.words.length <= REMINDING_WORDS &&
      prompt.words.some((word) => REMINDS.has(word)) &&
      namesOnlyKnown(prompt, work),
  },
  {
    name: 'the prompt acts on that work',
    test: (prompt, work) =>
      isBrief(prompt, work) &&
      isCutOff(work.state) &&
      !isSingleOrder(prompt.text) &&
      prompt.words.some((word) => ACTS.has(word)) &&
      namesOnlyKnown(prompt, work) &&
      sharesHalfItsSubjects(prompt, work),
  },
  {
    name: 'the prompt names only what that work has named',
    test: (prompt, work) =>
      isBrief(prompt, work) &&
      // Calls do not count: they name far more than anybody spoke of. After a clean end the person has spoken of it.
      listKnown(extractSubjects(prompt), { text: isCutOff(work.state) ? work.talk : work.said }).length > 0 &&
      namesOnlyKnown(prompt, { ...work, text: work.talk }),
  },
  {
    name: 'the prompt names what the person spoke of',
    test: (prompt, work) =>
      work.isElsewhere !== true && !namesUnknown(prompt, work) && sharesPhrase(prompt, work),
  },
];

/** A longer prompt says more than which of two it is to be. */
const CHOOSING_WORDS = 8;

/** Whether a prompt has only words of the question: "only on the sum". */
function isChoosing({ text, words }: Prompt, question: string): boolean {
  const terms = extractTerms(words.filter((word) => !isFiller(word)).join(' '));
  const asked = new Set(extractTerms(question));
  const isInQuestion = terms.length > 0 && terms.every((term) => asked.has(term));
  return words.length <= CHOOSING_WORDS && isInQuestion && !isSingleOrder(text);
}

/** Why a prompt goes on with the work of the last session, by words and names only; nothing if it does other work. */
export function findReasonToGoOn(prompt: string, work: Work): Reason | undefined {
  const text = prompt.trim();
  const start = text.slice(0, TEMPLATE_CHARACTERS);
  const isTemplate =
    start.length >= TEMPLATE_CHARACTERS / 2 && work.first?.trim().slice(0, TEMPLATE_CHARACTERS) === start;

  if (isTemplate || hasSpecification(text) || text.startsWith('/') || isOtherWork(text)) return undefined;

  const parsedPrompt = parsePrompt(text);
  const isQuestion = isAsking(parsedPrompt);

  return REASONS.find(({ mayAsk, test }) => (mayAsk || !isQuestion) && test(parsedPrompt, work));
}

/**
 * The newest session whose person named what a prompt names that says to go on; `last`, if its person did, or nobody's.
 * The agent's words do not count: "CI is red, since a test of the cart fails" is no work on the cart.
 */
export function findNamedSession(
  prompt: string,
  last: StoredSession | undefined,
  all: readonly StoredSession[],
): StoredSession | undefined {
  const { asked } = parsePrompt(prompt);
  if (last === undefined || all.length < 2) return last;
  if (!isAskingToContinue(asked)) return findNamingSession(prompt, last, all) ?? last;

  const terms = extractPromptTerms(listOtherWords(asked).join(' ')).filter((term) => rateTerm(term) >= RARE);
  const sessions = [last, ...all].map((stored) => {
    const { subject, edited, tasks } = buildWorkState(stored);
    const passages = [...listInheritedMessages(stored, all), ...tasks].map(({ text }) => text);
    const text = [subject?.text, ...edited, ...passages].join('\n').toLowerCase();
    return { stored, known: listKnown([...new Set(terms)], { text }) };
  });
  // "Mach mit dem Warenkorb weiter": nobody named the other words.
  const { size } = new Set(sessions.flatMap(({ known }) => known));

  return sessions.find(({ known }) => known.length === size)?.stored ?? last;
}

/** A name as code has it: `totalOf`, `credit_note`. */
const IDENTIFIER = /\b[a-z]+\d*[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[a-z]\w*_\w+/g;

/** The newest session that edited all files which a short prompt names, and whose person named its other names from code. */
function findNamingSession(
  prompt: string,
  last: StoredSession,
  all: readonly StoredSession[],
): StoredSession | undefined {
  const files = extractFiles(prompt);
  const names = (prompt.replace(FILE, ' ').match(IDENTIFIER) ?? []).map((name) => name.toLowerCase());
  if (files.length + names.length === 0 || !isShort(parsePrompt(prompt))) return undefined;

  return [last, ...all].find((stored) => {
    const edited = buildWorkState(stored).edited.map((path) => getFileName(path));
    const said = listInheritedMessages(stored, all)
      .map(({ text }) => text.toLowerCase())
      .join('\n');

    return (
      files.every((name) => edited.includes(name)) &&
      names.every((name) => said.includes(name) || edited.some((path) => path.includes(name)))
    );
  });
}

function parsePrompt(text: string): Prompt {
  const asked = text.replace(/`[^`\n]{1,200}`|@\S+|\S*[/\\]\S+|\w\S*\.\w{1,5}\b/g, ' ');
  return { text, asked, words: splitWords(asked) };
}

/** Tokens of the person's messages: more where the prompt says that it goes on, or names what they speak of. */
export function getWordsBudget(
  { isSure }: Reason,
  prompt: string,
  messages: readonly PersonMessage[],
): number {
  const subjects = extractSubjects(parsePrompt(prompt));
  const known = listKnown(subjects, { text: messages.map(({ text }) => text.toLowerCase()).join('\n') });
  const areAllInMessages = subjects.length > 0 && known.length === subjects.length;

  return isSure === true || areAllInMessages ? SURE_TOKENS : LIKELY_TOKENS;
}

/** Whether a prompt holds all that it needs: a plan that was approved, or a specification. */
export const hasSpecification = (prompt: string): boolean =>
  prompt.trim().startsWith(GIVEN_PLAN) || prompt.length > SPECIFICATION;

const isAsking = ({ text, words }: Prompt): boolean =>
  /[?？]$/.test(text) ||
  [words[0], words.find((word) => !isFiller(word))].some((word) => ASKS.has(word ?? ''));
const isShort = ({ words }: Prompt): boolean => words.length <= SHORT_WORDS;
const isBrief = ({ words }: Prompt, { state, isElsewhere }: Work): boolean =>
  isElsewhere !== true && words.length <= (isCutOff(state) ? ACTING_WORDS : FEW_WORDS);

function namesFileOrPullRequest({ text }: Prompt, { state, isAside }: Work): boolean {
  const { uncommitted, edited, open, pullRequest } = state;
  const lower = text.toLowerCase();
  const files = open.length > 0 || isAside === true ? edited : (uncommitted ?? []);

  if (files.some((path) => lower.includes(getFileName(path)))) return true;

  const number = /\d+/.exec(pullRequest ?? '')?.[0];

  return number !== undefined && extractNumbers(text).includes(number);
}

const FILE = /[\w@~./\\-]*\w{2}\.[a-z][a-z0-9]{0,4}\b(?!\.\w)/gi;
const NUMBER = /(?:#|\b(?:pr|mr|pull|issue|ticket|task|story|milestone|phase)s?[-/ #]{1,3})(\d{1,7})\b/gi;

const extractNumbers = (text: string): string[] => [
  ...[...text.matchAll(NUMBER)].flatMap(([, number]) => number ?? []),
  ...extractTickets(text),
];

const getFileName = (path: string): string => path.slice(path.search(/[^/\\]*$/)).toLowerCase();

const extractFiles = (text: string): string[] => (text.match(FILE) ?? []).map(getFileName);

function namesUnknown({ text }: Prompt, { text: workText }: Work): boolean {
  const files = extractFiles(text);
  const isKnown = (number: string): boolean => new RegExp(`(?<![a-z0-9])${number}(?!\\d)`).test(workText);
  return (
    files.some((name) => !workText.includes(name)) || extractNumbers(text).some((number) => !isKnown(number))
  );
}

const listContentWords = ({ words }: Prompt): string =>
  words.filter((word) => !isFiller(word) && !REMINDS.has(word)).join(' ');

const extractPromptTerms = (text: string): string[] => extractTerms(text.replace(/[/._-]+/g, ' '));

/** Whether a text speaks of something that most talk does not, or of an act on the work. */
export const namesSomething = (text: string): boolean =>
  splitWords(text).some((word) => ACTS.has(word) || /\d|[/._]\w/.test(word)) ||
  extractPromptTerms(text).some(isTelling);

const extractSubjects = (prompt: Prompt): string[] =>
  extractPromptTerms(listContentWords(prompt)).filter(isTelling);

const namesOnlyKnown = (prompt: Prompt, work: Work): boolean => {
  const terms = extractSubjects(prompt);
  return !namesUnknown(prompt, work) && listKnown(terms, work).length === terms.length;
};

/** Whether at least half of what a prompt speaks of, besides the act, occurs in the work. */
function sharesHalfItsSubjects({ words, ...prompt }: Prompt, work: Work): boolean {
  const terms = extractPromptTerms(
    listContentWords({ ...prompt, words: words.filter((word) => !ACTS.has(word)) }),
  );
  return listKnown(terms, work).length * 2 >= terms.length;
}

/** Whether a short prompt has two words beside each other, as "coupon code", that a message of the person has. */
const sharesPhrase = ({ words }: Prompt, { said }: Work): boolean =>
  words.length <= ACTING_WORDS &&
  words.slice(1).some((word, at) => {
    const pair = [words[at] ?? '', word];
    const isNoun =
      pair.some(isTelling) &&
      pair.every((one) => !isFiller(one) && !ACTS.has(one) && extractTerms(one).length > 0);
    return isNoun && said.includes(` ${pair.join(' ')} `);
  });

function listKnown(terms: readonly string[], { text }: Pick<Work, 'text'>): string[] {
  const known = terms.length === 0 ? undefined : new Set(extractPromptTerms(text));
  return terms.filter((term) => known?.has(term));
}
