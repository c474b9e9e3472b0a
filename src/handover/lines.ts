import { posix } from 'node:path';
import { redactSecrets } from '../base/safety/index.ts';
import { formatGap } from '../base/text/durations.ts';
import { splitSentences } from '../base/text/prose.ts';
import { embedText, formatCount, quoteName, quoteText, shorten } from '../base/text/strings.ts';
import { extractTerms } from '../memory/terms.ts';
import { estimateTokens, truncateToTokens } from '../pad/tokens.ts';
import { namesSomething } from './going-on.ts';
import { isCutOff, type OpenBecause, type Subject, type WorkState } from './state.ts';
import { isOffering } from './words.ts';

/** Tokens of the line of state, with words or a question below it, and of the one for other work. */
const STATE_TOKENS = 70;
const OTHER_WORK_TOKENS = 45;
const MOST_TASKS = 3;
const MOST_NAMED = 12;
const MOST_FILES = 4;
const SUBJECT_LENGTH = 110;
const COMMIT_LENGTH = 70;
const ERROR_LENGTH = 60;
/** A question of so many terms speaks for itself, whatever these are. */
const CLEAR_TERMS = 5;

const BECAUSE: Readonly<Partial<Record<OpenBecause, string>>> = {
  error: 'ended with an error of the host',
  stopped: 'ended without a closing message',
  interrupted: 'interrupted',
  plan: 'a plan was not approved',
  announced: 'ended before doing what it announced',
  unanswered: 'the last message was not answered',
};

export interface Circumstances {
  now: number;
  /** `The last session here`. */
  title: string;
  running: boolean;
  cwd: string;
  branch?: string | undefined;
  showsGit?: boolean | undefined;
  /** Whether the person's messages follow, which say what it was about. */
  withWords: boolean;
  callsSinceNote?: number | undefined;
  /** A call was never answered: the work was killed in it. */
  isWithinCall?: boolean;
}

/** `, 16 h ago`; nothing where no time is known, which is 0. */
export const formatAgo = (at: number | undefined, now: number): string =>
  !at ? '' : `, ${formatGap(now - at).replace(/(\d)([hm])(?=\s|$)/g, '$1 $2')} ago`;

/** `The last session here, 16 h ago (on feature/x; this is main)` */
function renderHead({ at, branch }: WorkState, { now, title, running, branch: here }: Circumstances): string {
  const isOther = branch !== undefined && here !== undefined && branch !== here;
  const remarks = [
    ...(isOther ? [`on ${quoteName(branch)}; this is ${quoteName(here)}`] : []),
    ...(running ? ['it may be running'] : []),
  ];

  return `${title}${formatAgo(at, now)}${remarks.length === 0 ? '' : ` (${remarks.join('; ')})`}`;
}

/** One line about the session whose work goes on: what it left open, or what it did; empty if the words say it all. */
export function renderStateLine(state: WorkState, about: Circumstances): string {
  const head = renderHead(state, about);
  const parts = listParts(state, about);

  if (parts.length === 0) return head.includes('(') ? head : '';
  return `${head}: ${fitParts(parts, STATE_TOKENS - estimateTokens(head))}`;
}

function listParts(
  state: WorkState,
  { now, showsGit, withWords, callsSinceNote = 0 }: Circumstances,
): string[] {
  const { subject, open, commits, uncommitted = [], tasks, pullRequest, edited } = state;
  const shownCommits = showsGit === true ? [] : commits.slice(0, open.length === 0 ? 2 : 1).map(commitPart);
  const parts: string[] = [];

  if (subject !== undefined && !withWords && (open.length > 0 || commits.length === 0))
    parts.push(renderSubject(subject, !isCutOff(state), state.at, now));
  parts.push(...listReasons(state));
  if (uncommitted.length > 0 && showsGit !== true)
    parts.push(`uncommitted: ${nameFiles(uncommitted, MOST_FILES)}`);

  if (tasks.length > 0) {
    const texts = tasks.slice(0, MOST_TASKS).map(({ text }) => quotePart(text, ERROR_LENGTH));
    const more = tasks.length > MOST_TASKS ? `; ${tasks.length - MOST_TASKS} more` : '';
    parts.push(`open tasks: ${texts.join('; ')}${more}`);
  }

  if (callsSinceNote > 0)
    parts.push(`its notes are from before its last ${formatCount(callsSinceNote, 'call')}`);
  parts.push(...shownCommits);
  if (pullRequest !== undefined) parts.push(embedPart(pullRequest));
  // Where git was asked, they are committed by now, or taken back.
  if (open.length === 0 && edited.length > 0 && state.uncommitted === undefined)
    parts.push(`edited ${nameFiles(edited, MOST_FILES)}`);

  return parts;
}

function listReasons({ open, error, lastEdit }: WorkState): string[] {
  const because = open.map((reason) => BECAUSE[reason]).find((text) => text !== undefined);
  const isLimit = open.includes('error') && /\blimit\b/i.test(error ?? '');
  const quotedError = error === undefined ? [] : [quotePart(error, ERROR_LENGTH)];

  if (because === undefined) return quotedError;
  if (because === BECAUSE.stopped && lastEdit !== undefined)
    return [because, `its last edit, ${quoteName(posix.basename(lastEdit))}, succeeded`];
  return [isLimit ? 'cut off by a limit of the host' : because, ...quotedError];
}

const FROM = { person: 'the person wrote', plan: 'plan', title: 'about' } as const;

/** The agent may have spoken long after the person. */
const LATER_MS = 600_000;

/** A message with an answer must not look like one without, nor an old one new. */
function renderSubject(
  { text, from, doubt = FROM[from], at }: Subject,
  answered: boolean,
  active: number | undefined,
  now: number,
): string {
  const isOlder = at !== undefined && (active ?? at) - at >= LATER_MS;
  const quoted = `${doubt} ${quoteText(shorten(embedText(text), SUBJECT_LENGTH))}${isOlder ? formatAgo(at, now) : ''}`;
  return from === 'person' && answered ? `${quoted} (answered)` : quoted;
}

const commitPart = ({ sha, subject, pushed }: WorkState['commits'][number]): string =>
  `${sha} ${quotePart(subject, COMMIT_LENGTH)}${pushed === false ? ' (not pushed)' : ''}`;

/** A text of an agent, a program or git within our parts, which semicolons divide, and of which one quotes the person. */
const embedPart = (text: string): string =>
  embedText(text)
    .replace(/[;;︔⁏；﹔]/g, ',')
    .replace(/[‘’‚‛‹›❛❜]/g, "'");

const quotePart = (text: string, length: number): string => quoteText(shorten(embedPart(text), length));

/** Parts joined by semicolons, as many as fit; the first always. */
const fitParts = (parts: readonly string[], tokens: number): string =>
  parts.reduce((text, part) => {
    const longer = `${text}; ${part}`;
    return estimateTokens(longer) <= tokens ? longer : text;
  });

export function openEndLine(state: WorkState, about: Circumstances): string {
  const { error, question = '', subject } = state;
  const head = renderHead(state, about);
  const left = OTHER_WORK_TOKENS - estimateTokens(head);

  if (error !== undefined || about.isWithinCall === true) {
    const on = subject === undefined ? [] : [renderSubject(subject, false, state.at, about.now)];
    return redactSecrets(`${head}: ${fitParts([...listReasons(state), ...on], left)}`);
  }

  // "Which way do you want to go?" says nothing to who has not read what stood before it, and no work waits for an offer.
  const ask = splitSentences(question).findLast((sentence) => /[?？]\W*$/.test(sentence)) ?? question;
  const end = estimateTokens(ask) > left ? `${truncateToTokens(ask, left - 1)}…` : ask;
  const asked = estimateTokens(question) > left ? end : question;
  const isClear = namesSomething(asked) || extractTerms(ask).length >= CLEAR_TERMS;
  // The last item of a list would read on in the question below it.
  const isCut =
    asked !== question && /(?:^|\s)\w{1,2}[.)]\s$/.test(question.slice(0, question.lastIndexOf(ask)));
  if (!isClear || isCut || isOffering(question)) return '';
  return redactSecrets(`${head}, asked without an answer: ${quoteText(asked)}`);
}

export function nameFiles(paths: readonly string[], most = MOST_NAMED): string {
  const left = paths.length - most;
  return `${paths.slice(0, most).map(quoteName).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
