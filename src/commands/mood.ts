import { strategyInForce } from '../assembly/assemble-pad.ts';
import { readSource } from '../assembly/source.ts';
import { messageOf, misuse, refused } from '../base/errors.ts';
import { ensureFolder } from '../base/fs/index.ts';
import { safeLine } from '../base/safety/index.ts';
import { counted } from '../base/text/strings.ts';
import { spellDuration } from '../pad/freshness.ts';
import { auditTurns, groupTurns } from '../sentiment/feedback/audit.ts';
import {
  adjust,
  allForgotten,
  changeFeedback,
  type FeedbackEvent,
  type InForce,
  type Meaning,
  readFeedback,
  spellStrategy,
  understand,
  withEvents,
} from '../sentiment/feedback/remarks.ts';
import { analyze, dimensionOf, howToAnswer, mapStrategy, tryLoadModel } from '../sentiment/index.ts';
import type { Mood } from '../stages/sentiment.ts';
import { moodOf, moodThen } from '../tools/mood.ts';
import { readTranscriptFile, type Transcript } from '../transcript/read.ts';
import type { Message } from '../transcript/types.ts';
import { BATCH, batch, messagesOf, timeOf, type Unreadable } from './batch.ts';
import { command } from './command.ts';
import {
  fileArgument,
  type Invocation,
  type Lines,
  readStdin,
  wholeNumber,
  withoutSession,
} from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { columns, localTimes } from './print.ts';
import { givenSource, hostSessions, noHostSession, SOURCE } from './transcript.ts';

export const mood = command({
  about: 'show the mood of the person who spoke last, the evidence for it, and how to answer; stores nothing',
  takes: {
    ...SOURCE,
    ...BATCH,
  },
  examples: ['scratchpad mood', 'scratchpad mood --transcript ~/.claude/projects/-home-me-app/7f3a.jsonl'],
  run: async (call, { messages, transcript, batch: isBatch }) => {
    const model = tryLoadModel();
    if (model === null) call.note('warning: cannot read the trained model; only explicit cues are used');
    if (isBatch)
      return batch(call, requestOf, (request) => {
        const state = analyze(request.messages, { model, now: request.now });
        return { state, strategy: mapStrategy(state) };
      });
    const { workspace, config, pad } = await openSession(withoutSession(call));
    const given = givenSource(call, { messages, transcript });
    const { session } = call.options;
    const warn = (problem: string): void => call.note(`warning: ${problem}`);
    const source = await readSource(given ?? { session }, workspace.root, config, call.env, warn);
    if (source === undefined)
      throw noHostSession('name one: scratchpad mood --transcript FILE, or --messages FILE');
    // A named file is read as of its last message, a live session as of now.
    const then = given !== undefined && call.options.now === undefined;
    const read = await (then ? moodThen : moodOf)(pad, source.transcript);
    const { state, strategy, others } = read;
    const value = { source: source.name, state, strategy, others: Object.fromEntries(others) };
    call.result(value, shown(read));
  },
});

function shown({ state, strategy, others }: Mood): Lines {
  const { emotion, secondary, sender, confidence, windowSize, signals } = state;
  const dimension = dimensionOf(emotion);
  const told = signals.filter(({ score, raises }) => score >= 0.05 && raises === dimension);
  return [
    `${sender === null ? '' : `${sender}: `}${emotion}${secondary === null ? '' : `, ${secondary}`} (confidence ${confidence.toFixed(2)}, ${counted(windowSize, 'message')})`,
    emotion !== 'neutral' &&
      told.map(({ name, score, evidence }) => {
        const words = evidence.map((each) => `"${each}"`).join(' · ');
        return `  because of ${name} ${score.toFixed(2)}  ${words}`.trimEnd();
      }),
    '',
    `Answer: ${howToAnswer(strategy) ?? 'as usual'}`,
    [...others].map(([name, other]) => ['', `${name === '' ? 'no name' : name}: ${other.emotion}`]),
  ];
}

/** A request of `--batch`: `{"messages"}`, with an optional `now` (ISO 8601 or epoch milliseconds). */
function requestOf(
  fields: Readonly<Record<string, unknown>>,
): { messages: Message[]; now: number | undefined } | Unreadable {
  const { messages, now } = fields;
  if (!Array.isArray(messages)) return { error: 'messages is not a list' };
  const present = timeOf(now);
  if (now !== undefined && present === undefined) return { error: 'now is not a time' };
  return { messages: messagesOf(messages), now: present };
}

const TEXT_LENGTH = 200;

/** The meanings of `--as`, for remarks in any language. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ['shorter', 'shorter'],
  ['longer', 'longer'],
  ['no-preamble', 'no preamble'],
  ['preamble', 'preamble'],
  ['direct', 'direct'],
  ['warm', 'warm'],
  ['playful', 'playful'],
  ['professional', 'professional'],
  ['good', 'good'],
]);
const NAMES = [...MEANINGS.keys()].join(', ');

export const feedback = command({
  about: 'rate the answers: their length, preamble and tone lean that way for some weeks',
  takes: {
    '[remark...]': 'such as "too verbose"; - for stdin',
    '--as <meanings>': `what it means, for remarks in any language; of ${NAMES}; several with commas`,
    '--list': 'list the remarks and their effect now',
    '--reset': 'forget all remarks',
  },
  examples: ['scratchpad feedback "too verbose"', 'scratchpad feedback "zu lang" --as shorter'],
  run: async (call, { remark, as: named, list: listing, reset: resetting }) => {
    if ((listing || resetting) && remark.length > 0)
      throw misuse(`${listing ? '--list' : '--reset'} takes no text`, { found: remark.join(' ') });
    const opened = await openSession(call);
    if (listing) return list(call, opened);
    if (resetting) return reset(call, opened);
    const text = (remark.length === 1 && remark[0] === '-' ? readStdin() : remark.join(' ')).trim();
    const meanings = named === undefined ? meaningsOf(text) : named.split(',').map(meaningOf);
    opened.mayMake();
    const { config, store } = opened;
    const event: FeedbackEvent = {
      at: new Date(call.now).toISOString(),
      person: await speakerOf(call, opened),
      text: safeLine(text, TEXT_LENGTH) || meanings.join(', '),
      meanings,
      source: 'said',
      strategy: strategyInForce((await store.read()).state, call.now),
    };
    ensureFolder(store.paths.data);
    const { kept, damaged } = await changeFeedback(store.paths.data, (now) => withEvents(now, [event]));
    if (damaged !== undefined) call.note(`warning: the file was damaged; it is kept as ${damaged}`);
    const { lasts } = config.feedback;
    const usual = usualFor(kept.events, event.person, call.now, lasts);
    const effect =
      meanings[0] === 'good' && event.strategy === null
        ? 'no fresh state block records the advice for that answer: stored without effect'
        : `it counts for ${spellDuration(lasts)}`;
    const who = event.person === '' ? '' : ` (${event.person})`;
    call.done({ event, usual }, [
      `understood: ${meanings.join(', ')}${who}; ${effect}`,
      `usual answer now: ${spellStrategy(usual)}`,
    ]);
  },
});

function list(call: Invocation, { config, store }: Opened): void {
  const { lasts } = config.feedback;
  const { events } = readFeedback(store.paths.data);
  const people = [...new Set(events.map((event) => event.person))].map((person) => ({
    person,
    usual: usualFor(events, person, call.now, lasts),
  }));
  const local = localTimes(config);
  const rows = events.map(({ at, person, source, text, meanings }) => {
    const who = person === '' ? '' : `  (${person})`;
    return `${local(at)}  ${source.padEnd(7)}  "${text}"  -> ${meanings.join(', ')}${who}`;
  });
  const sums = people.map(({ person, usual }) => `${person || 'now'}: usual answer: ${spellStrategy(usual)}`);
  call.result({ events, people, lastsMs: lasts }, events.length === 0 ? 'no feedback yet' : [rows, '', sums]);
}

async function reset(call: Invocation, { workspace, store }: Opened): Promise<void> {
  const { data } = store.paths;
  const forgotten = readFeedback(data).events.length;
  if (workspace.exists) {
    ensureFolder(data);
    await changeFeedback(data, () => allForgotten(new Date(call.now).toISOString()));
  }
  call.done({ forgotten }, `forgotten: ${counted(forgotten, 'remark')}`);
}

/** The person who spoke last in the most recently active session; empty where the host names nobody. */
async function speakerOf({ env }: Invocation, { workspace, config }: Opened): Promise<string> {
  // Feedback is accepted even if the transcript is unreadable.
  const source = await readSource({}, workspace.root, config, env, () => undefined).catch(() => undefined);
  return source?.transcript.messages.findLast(({ role }) => role === 'user')?.sender ?? '';
}

/** The strategy for a person without a noticeable mood. */
function usualFor(events: readonly FeedbackEvent[], person: string, now: number, lastsMs: number): InForce {
  const { strategy } = adjust(mapStrategy(analyze([])), { events, lastsMs }, person, now);
  const { style, tone, verbosity, preamble } = strategy;
  return { style, tone, verbosity, preamble };
}

function meaningOf(name: string): Meaning {
  const meaning = MEANINGS.get(name.trim());
  if (meaning !== undefined) return meaning;
  throw misuse('--as is not valid', { expected: `one of ${NAMES}`, found: name });
}

/** @throws ScratchpadError `usage` without a remark, `refused` if its words say nothing about answers */
function meaningsOf(text: string): Meaning[] {
  if (text === '')
    throw misuse('no feedback was given', {
      expected: 'what was wrong or right with the answers, such as "too verbose"; or --list, --reset',
    });
  const read = understand(text).map(({ meaning }) => meaning);
  if (read.length > 0) return read;
  throw refused('the remark is not one of those that are known: nothing was stored', {
    expected:
      'a remark such as "too verbose", "too short", "skip the fluff", "that was perfect"; or an option',
    found: text,
    next: `say what it means: --as, with one of ${NAMES}`,
  });
}

const SESSIONS = 5;
/** The last messages are enough of a session that lasts for months. */
const MESSAGES = 2000;

interface Read {
  session: string;
  source: string;
  transcript: Transcript;
}

export const audit = command({
  about: 'show for the last sessions the advice given, the length of the answers, and the feedback on them',
  takes: {
    '-n, --sessions <n>': 'how many sessions (default 5)',
    '-t, --transcript <file>': 'read this session file of a host',
  },
  examples: ['scratchpad audit', 'scratchpad audit --sessions 20 --json'],
  run: async (call, { sessions: count, transcript }) => {
    const opened = await openSession(call);
    const { config, store } = opened;
    const limit = wholeNumber(count, '--sessions', SESSIONS, { least: 1 });
    const read =
      transcript === undefined
        ? await lastSessions(call, opened, limit)
        : [await named(transcript, fileArgument(transcript, call))];
    const shared = {
      feedback: { events: readFeedback(store.paths.data).events, lastsMs: config.feedback.lasts },
      model: tryLoadModel(),
      windowMessages: config.window.messages,
      windowMs: config.window.age,
    };
    const audited = read.map(({ session, source, transcript: { messages } }) => ({
      session,
      source,
      turns: auditTurns({ ...shared, session, messages }),
    }));
    const turns = audited.flatMap((each) => each.turns).sort((a, b) => (a.at < b.at ? -1 : 1));
    const sessions = audited.map((each) => ({ ...each, turns: each.turns.length }));
    const groups = groupTurns(turns);
    call.result({ sessions, groups, turns }, [
      sessions.map((each) => `${each.session}: ${each.turns} answers, ${each.source}`),
      turns.length === 0
        ? 'no answer has a timestamp: nothing to review'
        : [
            '',
            columns(
              [
                ['strategy', 'answers', 'words', 'feedback'],
                ...groups.map(({ strategy, turns: answers, words, said }) => [
                  spellStrategy(strategy),
                  String(answers),
                  String(words),
                  Object.entries(said)
                    .map(([meaning, times]) => `${meaning} ${times}`)
                    .join(', '),
                ]),
              ],
              [1, 2],
            ),
            '(advice derived from the transcripts; words: median of an answer without its code)',
          ],
    ]);
  },
});

async function named(transcript: string, path: string): Promise<Read> {
  const read = await readTranscriptFile(path, { limit: MESSAGES });
  return { session: read.facts.id ?? transcript, source: path, transcript: read };
}

async function lastSessions(call: Invocation, opened: Opened, limit: number): Promise<Read[]> {
  const read: Read[] = [];
  for (const { id, path, host } of (await hostSessions(call, opened, limit)).slice(0, limit)) {
    try {
      const transcript = await readTranscriptFile(path, { limit: MESSAGES, session: id });
      read.push({ session: id, source: `${path} (${host})`, transcript });
    } catch (error) {
      call.note(`warning: ${path} is skipped: ${messageOf(error)}`);
    }
  }
  if (read.length > 0) return read;
  throw noHostSession('list them with: scratchpad transcript list (or name a file with --transcript)');
}
