import { splitWords } from '../base/text/prose.ts';
import { extractTerms, rateTerm, stem } from '../memory/terms.ts';
import { findPicked } from '../transcript/pasted-text.ts';
import { listItems } from '../transcript/record.ts';
import type { StoredSession } from '../transcript/store.ts';
import type { PersonMessage } from './choose-messages.ts';
import { listInheritedMessages } from './messages.ts';
import {
  extractFiles,
  extractIdentifiers,
  extractNumbers,
  extractPromptTerms,
  getFileName,
  hasName,
} from './names.ts';
import { buildWorkState, isCutOff, type WorkState } from './state.ts';
import {
  ACTS,
  ADDRESS,
  ANSWERS,
  ASKS,
  GOES_ON_FIRST,
  isAnswering,
  isApproval,
  isAskingToContinue,
  isDistinctive,
  isFiller,
  isOtherWork,
  listOtherWords,
  NAMELESS,
  RARE,
  REMINDS,
  SHORT_WORDS,
} from './words.ts';

/** Longer prompts are specifications. */
const SPECIFICATION_CHARACTERS = 1500;
/** A host's start of a prompt with an approved plan; the plan holds all that is needed. */
const APPROVED_PLAN = 'Implement the following plan:';
/** A prompt that names the work is shorter than one that says to go on; after a clean end it is shorter still. */
const NAMING_WORDS = 14;
const FEW_WORDS = 8;
const REMINDING_WORDS = 8;

export interface Work {
  state: WorkState;
  /** All names and messages of the work, in lower case. */
  spokenText: string;
  /** The person's messages, in lower case: each word between blanks. */
  personText: string;
  /** `spokenText` and the inputs and effects of calls, in lower case. */
  allText: string;
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
  const callTexts = items.map((item) => {
    if (item.type === 'call') return JSON.stringify(item.input);
    return item.type === 'did' ? JSON.stringify(item.facts) : '';
  });
  const { branch, subject, question, pullRequest, edited } = state;
  const commits = state.commits.map((commit) => commit.subject);
  const passages = [...messages, ...state.tasks].map(({ text }) => text);
  const names = [branch, subject?.text, question, pullRequest, ...edited, ...commits];
  const spokenText = [...names, ...passages, ...itemTexts].join('\n').toLowerCase();

  return {
    state,
    spokenText,
    personText: messages.map(({ text }) => ` ${splitWords(text).join(' ')} `).join('\n'),
    allText: [spokenText, ...callTexts].join('\n').toLowerCase(),
  };
}

interface Prompt {
  text: string;
  /** The prompt without code and file names. */
  prose: string;
  words: string[];
}

interface Reason {
  name: string;
  /** A question may concern any work: it continues the last one only for reasons with this mark. */
  mayAsk?: true;
  test: (prompt: Prompt, work: Work) => boolean;
}

export const GOES_ON: Reason = {
  name: 'the prompt says to go on, or asks what was said',
  mayAsk: true,
  test: (prompt, { allText }) => {
    const isReminding =
      prompt.words.length <= REMINDING_WORDS && prompt.words.some((word) => REMINDS.has(word));
    return isAskingToContinue(prompt.prose)
      ? !namesUnknown(prompt, allText)
      : isReminding && namesOnlyKnown(prompt, allText);
  },
};

export const REPLIES: Reason = {
  name: "the prompt replies to the agent's last words",
  mayAsk: true,
  test: (prompt, { state, allText }) => {
    const { text, words } = prompt;
    const { question, lastWords = '', open } = state;
    const isYesOrNo = ANSWERS.has(words[0] ?? '') && !namesUnknown(prompt, allText);
    const isAnswer = question !== undefined && (isYesOrNo || isAnswering(text, question));
    const isAgreeing = words.length > 0 && isApproval(text) && open.length > 0;
    return isAnswer || isAgreeing || findPicked(text, lastWords).length > 0;
  },
};

/** Why a prompt goes on with the last session's work, the surest reason first. */
const REASONS: readonly Reason[] = [
  GOES_ON,
  REPLIES,
  {
    name: 'the prompt names a file or pull request of that work',
    test: (prompt, work) =>
      isShort(prompt) && namesFileOrPullRequest(prompt, work) && !namesUnknown(prompt, work.allText),
  },
  {
    name: 'the prompt names only what that work has named',
    test: (prompt, work) => {
      // After a clean end the person has spoken of it; the agent names far more.
      const { spokenText, personText, state } = work;
      const isOpen = isCutOff(state) || state.tasks.length > 0;
      return (
        work.isElsewhere !== true &&
        prompt.words.length <= (isOpen ? NAMING_WORDS : FEW_WORDS) &&
        listKnown(extractSubjects(prompt), isOpen ? spokenText : personText).length > 0 &&
        namesOnlyKnown(prompt, spokenText)
      );
    },
  },
  {
    name: 'the prompt names what the person spoke of',
    test: (prompt, work) =>
      work.isElsewhere !== true && !namesUnknown(prompt, work.allText) && sharesPhrase(prompt, work),
  },
];

/** Finds the reason why a prompt goes on with the last session's work, by words and names only. */
export function findReasonToGoOn(prompt: string, work: Work): Reason | undefined {
  const text = prompt.trim();

  if (hasSpecification(text) || text.startsWith('/') || isOtherWork(text)) return undefined;

  const parsedPrompt = parsePrompt(text);
  const isQuestion = isAsking(parsedPrompt);

  return REASONS.find(({ mayAsk, test }) => (mayAsk || !isQuestion) && test(parsedPrompt, work));
}

/**
 * Finds the session whose agent's words a prompt replies to, or whose person named what it names. The agent's words do not
 * count: "CI is red, since a test of the cart fails" is no work on the cart. Of several, those on a branch of `branches`
 * come first, then those that worked on it or left it open, then the newest.
 * @returns `last` if there is none; nothing if the prompt names what the person never spoke of and `last` did elsewhere.
 * `missing` is what a prompt asks to go on with, if no person and nothing in `last` has named it
 */
export function findNamedSession(
  prompt: string,
  last: StoredSession | undefined,
  all: readonly StoredSession[],
  branches: readonly (string | undefined)[],
): { session: StoredSession | undefined; isNamed: boolean; missing?: string | undefined } {
  if (last === undefined) return { session: last, isNamed: false };

  const parsed = parsePrompt(prompt);
  const isGoingOn = isAskingToContinue(parsed.prose);
  const asking = all.slice(0, isGoingOn ? 0 : all.indexOf(last) + 1).find((stored) => {
    const isTaken = stored.takenBy !== undefined;
    return !isTaken && REPLIES.test(parsed, describeWork(stored, buildWorkState(stored), []));
  });
  if (asking !== undefined) return { session: asking, isNamed: true };

  const codeNames = isShort(parsed) ? [...extractFiles(prompt), ...extractIdentifiers(prompt)] : [];
  const terms = extractPromptTerms(listOtherWords(parsed.prose).join(' '));
  const rare = terms.filter((term) => rateTerm(term) >= RARE);
  const telling = rare.length > 0 ? rare : terms.filter((term) => rateTerm(term) > 0);
  // Where most talk has the word, its place shows that it is a name: "go on with the search".
  const spoken = telling.length > 0 ? telling : extractPromptTerms(findOnlyName(prompt)?.text ?? '');
  const names = [...new Set(isGoingOn ? spoken : codeNames)];
  const listNames = (text: string): string[] => {
    const known = new Set([...extractPromptTerms(text), ...extractFiles(text), ...extractIdentifiers(text)]);
    return names.filter((name) => known.has(name));
  };
  const sessions = [last, ...all].map((session) => {
    const { subject, edited, tasks, open } = buildWorkState(session);
    const passages = [...listInheritedMessages(session, all), ...tasks].map(({ text }) => text);
    // Another branch's work may have edited the file of what the prompt names.
    const files = isGoingOn ? [] : edited;
    const isOwn = open.length > 0 || listNames(edited.join('\n')).length > 0;
    const rank = (branches.includes(session.branch) ? 2 : 0) + (isOwn ? 1 : 0);
    return { session, rank, known: listNames([subject?.text, ...files, ...passages].join('\n')) };
  });
  // "Mach mit dem Warenkorb weiter": nobody named the other words.
  const { size } = new Set(sessions.flatMap(({ known }) => known));
  const [named] = sessions.filter(({ known }) => known.length === size).sort((a, b) => b.rank - a.rank);

  if (size > 0) return { session: named?.session ?? last, isNamed: named !== undefined };

  const { allText } = describeWork(last, buildWorkState(last), []);
  const only = findOnlyName(prompt);
  // "Wo waren wir stehengeblieben?" has a verb there.
  const isSurelyName = only?.isRare && isGoingOn && !ASKS.has(parsed.words[0] ?? '');
  const isMissing = isSurelyName && names.length > 0 && listKnown(names, allText).length === 0;
  const isLost = isGoingOn && names.some(isDistinctive) && !branches.includes(last.branch);
  return { session: isLost ? undefined : last, isNamed: false, missing: isMissing ? only.text : undefined };
}

/**
 * The name in "go on with the cart": not in "could you continue slowly", nor in "go on, and run the linter". `isRare` says
 * whether it is one in any sentence.
 */
function findOnlyName(prompt: string): { text: string; isRare: boolean } | undefined {
  const clauses = prompt.split(/[,;:.!?\n]/).filter((clause) => !splitWords(clause).every(isFiller));
  const [words = [], more] = clauses.map(splitWords);
  const others = listOtherWords(words.join(' '));
  const near = words.slice(0, words.indexOf(others[0] ?? '')).slice(-2);
  const [lead = 0, verb = 0] = [ADDRESS, GOES_ON_FIRST].map((set) =>
    near.findLastIndex((word) => set.has(word)),
  );
  const isName = (word: string): boolean => extractTerms(word).length > 0 && !NAMELESS.has(word);
  if (more !== undefined || lead <= verb || !others.every(isName)) return undefined;

  const isRare = others.every((word) => !ACTS.has(word)) && others.some((word) => rateTerm(stem(word)) > 0);
  return { text: others.join(' '), isRare };
}

function parsePrompt(text: string): Prompt {
  const prose = text.replace(/`[^`\n]{1,200}`|@\S+|(?<!\S)\S*[/\\]\S+|(?<!\w)\w\S{0,200}\.\w{1,5}\b/g, ' ');
  return { text, prose, words: splitWords(prose) };
}

/** Says whether a prompt holds all that it needs: an approved plan, or a specification. */
export const hasSpecification = (prompt: string): boolean =>
  prompt.trim().startsWith(APPROVED_PLAN) || prompt.length > SPECIFICATION_CHARACTERS;

const isAsking = ({ text, words }: Prompt): boolean =>
  /[?？]$/.test(text) ||
  [words[0], words.find((word) => !isFiller(word))].some((word) => ASKS.has(word ?? ''));
const isShort = ({ words }: Prompt): boolean => words.length <= SHORT_WORDS;

function namesFileOrPullRequest({ text }: Prompt, { state, isAside }: Work): boolean {
  const { uncommitted, edited, open, pullRequest } = state;
  const lower = text.toLowerCase();
  const files = open.length > 0 || isAside === true ? edited : (uncommitted ?? []);

  if (files.some((path) => hasName(lower, getFileName(path)))) return true;

  const number = /\d+/.exec(pullRequest ?? '')?.[0];

  return number !== undefined && extractNumbers(text).includes(number);
}

function namesUnknown({ text }: Prompt, workText: string): boolean {
  const isKnown = (number: string): boolean => new RegExp(`(?<![a-z0-9])${number}(?!\\d)`).test(workText);
  return (
    extractFiles(text).some((name) => !hasName(workText, name)) ||
    extractNumbers(text).some((number) => !isKnown(number))
  );
}

const joinContentWords = ({ words }: Prompt): string =>
  words.filter((word) => !isFiller(word) && !REMINDS.has(word)).join(' ');

/** Says whether a text speaks of something that most talk does not, or of an act on the work. */
export const namesSomething = (text: string): boolean =>
  splitWords(text).some((word) => ACTS.has(word) || /\d|[/._]\w/.test(word)) ||
  extractPromptTerms(text).some(isDistinctive);

const extractSubjects = (prompt: Prompt): string[] =>
  extractPromptTerms(joinContentWords(prompt)).filter(isDistinctive);

function namesOnlyKnown(prompt: Prompt, workText: string): boolean {
  const terms = extractSubjects(prompt);
  return !namesUnknown(prompt, workText) && listKnown(terms, workText).length === terms.length;
}

/** Says whether a short prompt has two words side by side, as "coupon code", that the person's messages have. */
const sharesPhrase = ({ words }: Prompt, { personText }: Work): boolean =>
  words.length <= NAMING_WORDS &&
  words.slice(1).some((word, at) => {
    const pair = [words[at] ?? '', word];
    const isNoun =
      pair.some(isDistinctive) &&
      pair.every((one) => !isFiller(one) && !ACTS.has(one) && extractTerms(one).length > 0);
    return isNoun && personText.includes(` ${pair.join(' ')} `);
  });

function listKnown(terms: readonly string[], text: string): string[] {
  const known = terms.length === 0 ? undefined : new Set(extractPromptTerms(text));
  return terms.filter((term) => known?.has(term));
}
