import { strategyInForce } from '../assembly/feedback.ts';
import { readSource } from '../assembly/source.ts';
import { misuse, refused } from '../base/errors.ts';
import { ensureFolder } from '../base/fs/index.ts';
import { safeLine } from '../base/safety/index.ts';
import { counted } from '../base/text/counts.ts';
import { spellDuration } from '../pad/freshness.ts';
import { changeFeedback, readFeedback, withEvents, withoutEvents } from '../sentiment/feedback/file.ts';
import { understand } from '../sentiment/feedback/notice.ts';
import {
  adjust,
  type FeedbackEvent,
  type InForce,
  type Meaning,
  spellStrategy,
} from '../sentiment/feedback/remarks.ts';
import { analyze, mapStrategy } from '../sentiment/index.ts';
import { type Invocation, readStdin, type Takes } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { localTimes } from './terminal.ts';

type FeedbackOptions = Named & Takes<'person', 'list' | 'reset'>;

const TEXT_LENGTH = 200;
const LONGEST_PERSON = 100;

/** Stores a person's feedback on the answers. */
export async function feedback(
  invocation: Invocation,
  words: string[],
  options: FeedbackOptions,
): Promise<void> {
  const person = checkPerson(options.person);
  if (options.list || options.reset) noText(words, options);
  const opened = await openSession(invocation);
  if (options.list) return list(invocation, opened, person);
  if (options.reset) return reset(invocation, opened, person);
  const text = (words.length === 1 && words[0] === '-' ? readStdin() : words.join(' ')).trim();
  const meanings = meaningsOf(text, options);
  opened.mayMake();
  const { state } = await opened.store.read();
  const event: FeedbackEvent = {
    at: new Date(invocation.now).toISOString(),
    person: person ?? (await speakerOf(invocation, opened)),
    text: safeLine(text, TEXT_LENGTH) || meanings.join(', '),
    meanings,
    source: 'said',
    strategy: strategyInForce(state, invocation.now),
  };
  const { kept, damaged } = await change(opened, (now) => withEvents(now, [event]));
  if (damaged !== undefined) invocation.note(`warning: the file was damaged; it is kept as ${damaged}`);
  const { lasts } = opened.config.feedback;
  const standing = standingOf(kept.events, event.person, invocation.now, lasts);
  const effect =
    meanings[0] === 'good' && event.strategy === null
      ? 'no fresh state block records the advice for that answer: stored without effect'
      : `it counts for ${spellDuration(lasts)}`;
  const who = event.person === '' ? '' : ` (${event.person})`;
  invocation.done(
    { event, usual: standing.usual },
    `understood: ${meanings.join(', ')}${who}; ${effect}\nusual answer now: ${spellStrategy(standing.usual)}`,
  );
}

function list(invocation: Invocation, { config, store }: Opened, person: string | undefined): void {
  const { lasts } = config.feedback;
  const all = readFeedback(store.paths.data).events;
  const events = person === undefined ? all : all.filter((event) => event.person === person);
  const people = [...new Set(events.map((event) => event.person))].map((name) =>
    standingOf(events, name, invocation.now, lasts),
  );
  const local = localTimes(config);
  const rows = events.map(({ at, person: name, source, text, meanings, strategy }) =>
    [
      local(at),
      source.padEnd(7),
      `"${text}"`,
      `-> ${meanings.join(', ')}`,
      strategy === null ? '' : `[was ${spellStrategy(strategy)}]`,
      name === '' ? '' : `(${name})`,
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
  const sums = people.map(
    ({ person: name, usual }) => `${name === '' ? 'now' : name}: usual answer: ${spellStrategy(usual)}`,
  );
  const text = events.length === 0 ? 'no feedback yet' : [...rows, '', ...sums].join('\n');
  invocation.result({ events, people, lastsMs: lasts }, text);
}

async function reset(invocation: Invocation, opened: Opened, person: string | undefined): Promise<void> {
  const before = readFeedback(opened.store.paths.data).events.length;
  let left = before;
  if (opened.workspace.exists) {
    const at = new Date(invocation.now).toISOString();
    left = (await change(opened, (now) => withoutEvents(now, person, at))).kept.events.length;
  }
  const forgotten = before - left;
  const whose = person === undefined ? '' : ` of ${person}`;
  invocation.done(
    { forgotten, person: person ?? null },
    `forgotten: ${counted(forgotten, 'remark')}${whose}`,
  );
}

async function change(
  { store }: Opened,
  how: Parameters<typeof changeFeedback>[1],
): ReturnType<typeof changeFeedback> {
  ensureFolder(store.paths.data);
  return changeFeedback(store.paths.data, how);
}

/** The person who spoke last in the most recently active session; empty where the host names nobody. */
async function speakerOf(invocation: Invocation, { workspace, config }: Opened): Promise<string> {
  try {
    const source = await readSource({}, workspace.root, config, invocation.env, () => undefined);
    return source?.transcript.messages.findLast(({ role }) => role === 'user')?.sender ?? '';
  } catch {
    // Feedback is accepted even if the transcript is unreadable.
    return '';
  }
}

function noText(words: readonly string[], { list: listing }: FeedbackOptions): void {
  if (words.length === 0) return;
  const option = listing ? '--list' : '--reset';
  throw misuse(`${option} takes no text`, {
    expected: `${option} alone, or with --person NAME`,
    found: words.join(' '),
  });
}

function checkPerson(person: string | undefined): string | undefined {
  if (person === undefined || ([...person].length <= LONGEST_PERSON && !/\p{Cc}/u.test(person)))
    return person;
  throw misuse('that is not a name', {
    where: '--person',
    expected: `at most ${LONGEST_PERSON} characters on one line, as the host writes it`,
    found: person,
  });
}

interface Standing {
  person: string;
  /** The strategy for a person without a noticeable mood. */
  usual: InForce;
}

function standingOf(
  events: readonly FeedbackEvent[],
  person: string,
  now: number,
  lastsMs: number,
): Standing {
  const { strategy } = adjust(mapStrategy(analyze([])), { events, lastsMs }, person, now);
  const { style, tone, verbosity, preamble } = strategy;
  return { person, usual: { style, tone, verbosity, preamble } };
}

/** Options that state the meaning directly. */
type Named = Takes<'verbosity' | 'preamble' | 'tone', 'good'>;

const NAMED = {
  verbosity: { less: 'shorter', more: 'longer' },
  preamble: { less: 'no preamble', more: 'preamble' },
  tone: { direct: 'direct', warm: 'warm', playful: 'playful', professional: 'professional' },
} as const satisfies Record<string, Readonly<Record<string, Meaning>>>;

/**
 * The meaning of a remark: from the options, else from its words.
 * @throws ScratchpadError `usage` without either, `refused` if the words say nothing about answers
 */
export function meaningsOf(text: string, named: Named): Meaning[] {
  const meanings = (Object.keys(NAMED) as (keyof typeof NAMED)[]).flatMap((name): Meaning[] => {
    const value = named[name];
    if (value === undefined) return [];
    const meaning = Object.entries(NAMED[name]).find(([word]) => word === value)?.[1];
    if (meaning !== undefined) return [meaning];
    throw misuse(`--${name} is not valid`, {
      expected: `one of ${Object.keys(NAMED[name]).join(', ')}`,
      found: value,
    });
  });
  if (named.good) meanings.push('good');
  return meanings.length > 0 ? meanings : read(text);
}

function read(text: string): Meaning[] {
  if (text === '') {
    throw misuse('no feedback was given', {
      expected: 'what was wrong or right with the answers, such as "too verbose"; or --list, --reset',
    });
  }
  const meanings = understand(text).map(({ meaning }) => meaning);
  if (meanings.length > 0) return meanings;
  throw refused('the remark is not one of those that are known: nothing was stored', {
    expected:
      'a remark such as "too verbose", "too short", "skip the fluff", "that was perfect"; or an option',
    found: text,
    next: 'say it with an option: --verbosity less|more, --preamble less|more, --tone direct|warm|playful|professional, --good',
  });
}
