import { findGitPlace } from '../base/git/place.ts';
import { redactStart } from '../base/safety/index.ts';
import { DAY_MS, formatGap, HOUR_MS } from '../base/text/durations.ts';
import { splitSentences, splitWords } from '../base/text/prose.ts';
import { compilePattern } from '../base/text/strings.ts';
import { endsWithAnnouncement } from '../handover/state.ts';
import { isFiller, isOffering, isOnlyContinuing, isSingleOrder } from '../handover/words.ts';
import { STRUCK } from '../memory/passages.ts';
import { findCurrentStep, parseSteps } from '../pad/steps.ts';
import { ASKS_FOR_WORK, REPLY_FAILED } from '../sentiment/cues.ts';
import { isEnglish, readMessage } from '../sentiment/turn.ts';
import { ownSentences } from '../transcript/pasted-text.ts';
import type { Message } from '../transcript/types.ts';
import { measureSilence } from './clock.ts';
import { quoteForeignText, quotePassage } from './quote.ts';
import { type BuiltInStage, PRIORITY, type SectionLine, type StageContext } from './stage.ts';
import { listDailyNotes } from './tasks.ts';

const FILES_CHARACTERS = 120;
const ENTRY_CHARACTERS = 140;

/** Active Context: the current work, the last topic, the files, and the time since. */
export const activeStage: BuiltInStage = {
  priority: PRIORITY.files,
  tells: 'part',
  async run(context) {
    const { messages, now } = context;
    const lines: SectionLine[] = [];
    const working = await findWork(context);
    if (context.forModel && working?.from !== 'task') return null;

    const branch = findBranch(context);

    if (working) {
      const text = `Working on: ${working.text}`;
      lines.push({
        text: `- ${text}`,
        why: working.why,
        priority: PRIORITY.workingOn,
        step: working.text.replace(/…$/, ''),
        // Another branch has another plan.
        ...(working.from === 'plan' && { branch }),
        ...(working.from === 'task' && { inject: { key: 'working-on', text, at: ['start', 'clear'] } }),
      });
    }

    if (context.forModel) return { lines };

    const last = findLastTopic(messages, working?.sentence);
    if (last && last.text !== working?.sentence) {
      const text = `- Last topic: ${quoteForeignText(last.text, TOPIC_CHARACTERS)}${last.doubt}`;
      lines.push({ text, priority: PRIORITY.lastTopic, why: last.why });
    }

    const files = renderFilesLine((await context.handover())?.state.edited ?? [], branch);
    const rest = [files, renderNoteLine(context), renderGapLine(messages, now)];
    lines.push(...rest.filter((line) => line !== undefined));

    return lines.length === 0 ? null : { lines };
  },
};

/** The branch of the session, or of the work tree that the caller is in: each of a repository has its own. */
function findBranch({ facts, cwd, workspace }: StageContext): string | undefined {
  const [session, caller] = [facts?.cwd, cwd].map((folder) => (folder ? findGitPlace(folder) : undefined));
  const main = findGitPlace(workspace);
  return session?.branch ?? (caller?.commonDir === main?.commonDir ? caller : main)?.branch;
}

interface CurrentTask {
  text: string;
  why: string;
  /** Only a `task`, an open one of the host, is shown to a model, which sees the plan space itself anyway. */
  from: 'plan' | 'task' | 'request';
  sentence?: string;
}

/** The current work: the plan's current step, the host's task in progress, or the last request of the person. */
async function findWork(context: StageContext): Promise<CurrentTask | undefined> {
  const step = findCurrentStep(parseSteps(context.spaces.plan));
  if (step) {
    const text = quoteForeignText(step.text, TOPIC_CHARACTERS);
    return { text, why: `step ${step.number} of the plan`, from: 'plan' };
  }

  const { config, forModel, messages, now } = context;
  const isPast = (measureSilence(messages, now) ?? 0) > config.window.age;
  const task = (await context.handover())?.state.tasks.find(({ status }) => status === 'active');
  if (task !== undefined && (forModel || !isPast)) {
    const text = quoteForeignText(task.text, TOPIC_CHARACTERS);
    return { text, why: "the host's task in progress", from: 'task' };
  }

  return forModel ? undefined : findOpenRequest(context);
}

const REQUEST_CHARACTERS = 100;
const ASKS_POLITELY = /\b(?:can|could|would|will) (?:you|we)\b|\bplease\b/i;
const ASKS = new RegExp(
  `${ASKS_FOR_WORK.source}|${ASKS_POLITELY.source}|\\bi(?:'d like| want| need)\\b`,
  'i',
);
const POLITE =
  /^(?:(?:please|pls|hey|hi|ok(?:ay)?|now|then|so|and|also|just|can you|could you|would you)\b[,:]?\s+)+/i;

const CLOSES =
  /(?<!\p{L})(?:thanks|thank you|thx|perfect|got it|all good|that'?s (?:all|it)|found it|danke|erledigt|passt|merci|c'est bon|gracias|listo|grazie|obrigad[oa])(?!\p{L})|^\W*(?:all |it'?s )?(?:done|solved|fixed)(?!\p{L})/iu;
const DISMISSES =
  /^\W*(?:never ?mind|nvm|forget (?:it|that|about (?:it|that))|scratch that|no longer needed|vergiss es|egal|laisse tomber|olvídalo|lascia stare)(?!\p{L})/iu;
/** Says how somebody feels, or by when: what to do was said before. */
const REMARKS =
  /(?<!\p{L})(?:mist|schei(?:ß|ss)e?|verdammt|nervt|blödsinn|unfug|merde|putain|mierda|joder|cazzo|merda)(?!\p{L})|^\W*(?:please |bitte |and |but )*(?:hurry|be quick|quick(?:ly)? please|beeil\p{L}*|schnell|mach schnell|dépêche\p{L}*|date prisa|sbrigati)(?!\p{L})/iu;
/** What was not found matters less than what was: "no second number, but the first is …". */
const EXCUSED = /(?<![^.!?\n])[^.!?\n]*\b(?:but|however)\b/gi;

/** Whether the agent's last message of a turn answers: it neither asks, nor has failed, nor says what comes next. */
function isAnswer(text: string): boolean {
  const last = splitSentences(text).at(-1) ?? '';
  const asks = /[?？]["”')\]]*$/.test(last) && !isOffering(last);
  return (
    last !== '' &&
    !asks &&
    !endsWithAnnouncement(text) &&
    !REPLY_FAILED.test(text.replace(EXCUSED, ' ').toLowerCase())
  );
}

/**
 * The first sentence that asks for work in the newest message that does, unless it was answered since, or is too old:
 * later sentences add conditions to it. In a language that is not read, any sentence but a question.
 */
function findOpenRequest({ messages, now, config }: StageContext): CurrentTask | undefined {
  for (const [at, message] of [...messages.entries()].reverse()) {
    const isLast = messages[at + 1] === undefined || messages[at + 1]?.role === 'user';
    if (message.role === 'assistant' && isLast && isAnswer(message.content)) return undefined;
    if (message.role !== 'user') continue;
    if (now - Date.parse(message.timestamp ?? '') > config.window.age) return undefined;

    const own = ownSentences(redactStart(message.content, LONGEST_READ));
    const { prose } = readMessage({ ...message, content: own.join(' ') });
    const asks = isEnglish(prose)
      ? (sentence: string) => compilePattern(sentence.endsWith('?') ? ASKS_POLITELY : ASKS).test(sentence)
      : (sentence: string) => !/[?？]\s*$/.test(sentence) && !CLOSES.test(sentence);
    const request = own.find(
      (sentence) =>
        hasTopic(sentence) && !DISMISSES.test(sentence) && !REMARKS.test(sentence) && asks(sentence),
    );

    if (request === undefined) {
      if (CLOSES.test(prose) || DISMISSES.test(prose)) return undefined;
      continue;
    }

    const asked = request.replace(POLITE, '').replace(/(?<![.!?:])[.!?:]+$/, '');
    const text = `${quoteForeignText(asked, REQUEST_CHARACTERS)}${renderDoubt(message)}`;

    return { text, why: 'the last request of the person, still open', from: 'request', sentence: request };
  }

  return undefined;
}

function renderFilesLine(edited: readonly string[], branch: string | undefined): SectionLine | undefined {
  const on = branch === undefined ? '' : quoteForeignText(branch, 60);
  if (edited.length === 0)
    return branch === undefined
      ? undefined
      : { text: `- Branch: ${on}`, priority: PRIORITY.branch, why: '.git/HEAD', branch };

  const shown: string[] = [];
  for (const path of edited) {
    if (shown.length > 0 && shown.join(', ').length + path.length > FILES_CHARACTERS) break;
    shown.push(quoteForeignText(path, FILES_CHARACTERS));
  }

  const more = edited.length > shown.length ? ` and ${edited.length - shown.length} more` : '';

  return {
    text: `- Files: ${shown.join(', ')}${more}${on === '' ? '' : ` (branch ${on})`}`,
    priority: PRIORITY.files,
    branch,
    why: 'changed in this session',
  };
}

/** The last entry of today's note, or else yesterday's: work from before midnight is still current. */
function renderNoteLine({ workspace, clock, now, local, linesOf }: StageContext): SectionLine | undefined {
  const [path] = listDailyNotes(workspace, local.date);
  const daysAgo = [local.date, clock(now - DAY_MS).date].findIndex((date) => path === `memory/${date}.md`);
  if (path === undefined || daysAgo < 0) return undefined;

  const lines = linesOf(path);
  const at = lines.findLastIndex(
    (line) =>
      line
        .replace(STRUCK, '')
        .replace(/^\s*[-*+]\s/, '')
        .trim() !== '' && !NOT_NEWS.test(line),
  );

  if (at < 0) return undefined;

  const entry = (lines[at] ?? '')
    .replace(STRUCK, ' ')
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
    .trim();
  const quote = quotePassage(lines, at + 1, at + 1, entry, ENTRY_CHARACTERS);

  return {
    text: `- ${daysAgo === 0 ? "Today's" : "Yesterday's"} note: ${quote} (${path}:${at + 1})`,
    priority: PRIORITY.lastNote,
    why: 'the last entry',
  };
}

const NOT_NEWS = /^\s*(?:#|---|<!--|```|[-*+]\s+\[[ xX]\])/;

/** After this, the earlier context cannot be assumed to be present. */
const LONG_GAP_MS = 4 * HOUR_MS;

const GAPS: readonly (readonly [below: number, meaning: string])[] = [
  [10 * 60_000, 'none to speak of'],
  [LONG_GAP_MS, 'short: the context is still there'],
  [DAY_MS, 'pick up where it was left'],
  [Number.POSITIVE_INFINITY, 'long: recall the state of things before going on'],
];

function renderGapLine(messages: readonly Message[], now: number): SectionLine | undefined {
  const gap = measureSilence(messages, now);
  if (gap === undefined) return undefined;

  const ms = Math.max(0, gap);
  const meaning = GAPS.find(([below]) => ms < below)?.[1] ?? '';

  return {
    text: `- Session gap: ${formatGap(ms)} (${meaning})`,
    priority: ms >= LONG_GAP_MS ? PRIORITY.longGap : PRIORITY.gap,
    why: 'since the person spoke last, before the message in hand',
  };
}

const TOPIC_CHARACTERS = 120;
const LONGEST_READ = 4000;
/** A topic needs so many words beside polite ones; where words are not set apart, so many characters. */
const LEAST_WORDS = 2;
const LEAST_CHARACTERS = 6;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/gu;

/** Whether a message names a topic: a go-ahead ("yes please") names none. */
function hasTopic(text: string): boolean {
  if (isOnlyContinuing(text) || isSingleOrder(text)) return false;

  const words = splitWords(text).filter((word) => !isFiller(word));
  return words.length >= LEAST_WORDS || (text.match(UNSPACED)?.length ?? 0) >= LEAST_CHARACTERS;
}

const renderDoubt = ({ doubt }: Message): string => (doubt === undefined ? '' : ` (${doubt})`);

/** The newest message that names a topic: its first sentences, without pastes and the request that is shown already. */
export function findLastTopic(
  messages: readonly Message[],
  working?: string,
): { text: string; why: string; doubt: string } | undefined {
  const human = messages.filter(({ role }) => role === 'user').reverse();
  for (const [later, message] of human.entries()) {
    // Redacted before anything is cut, because a secret is recognised by its context. A colon only introduces.
    const own = ownSentences(redactStart(message.content, LONGEST_READ));
    const sentences = own.filter(
      (sentence) =>
        !/:$/.test(sentence) && !DISMISSES.test(sentence) && (own.length === 1 || sentence !== working),
    );
    const text = hasTopic(sentences.join(' ')) ? takeFirstSentences(sentences) : '';

    if (text === '') continue;

    const why = later === 0 ? 'the last message of the person' : `said ${later} messages before the last`;

    return { text, why, doubt: renderDoubt(message) };
  }

  return undefined;
}

function takeFirstSentences([first = '', ...rest]: readonly string[]): string {
  let text = first;
  for (const sentence of rest) {
    if (`${text} ${sentence}`.length > TOPIC_CHARACTERS) break;
    text += ` ${sentence}`;
  }

  return text;
}
