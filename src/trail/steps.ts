import { redactSecrets } from '../safety/index.ts';
import { digest } from '../text/hash.ts';
import { type CallOutcome, mayCarryWords, type SessionEvent, type Voice } from '../transcript/event.ts';
import { type KnownCall, knownCall, UNKNOWN_TOOL } from './calls.ts';
import { type CheckRun, readCheck } from './checks.ts';
import { keep } from './extractor.ts';
import { type ShellSegment, segmentsOf } from './shell.ts';

/** The steps of a session for the extractors: calls with their results, and words with their author. */
export type TrailStep = { at: number; time?: string } & (
  | {
      type: 'said';
      voice: Voice;
      text: string;
      call?: KnownCall;
      answers?: readonly { question: string; answer: string }[];
    }
  | { type: 'agent'; text: string }
  | { type: 'called'; call: KnownCall }
  | {
      type: 'done';
      call: KnownCall;
      outcome: CallOutcome;
      exit?: number;
      /** The tool's result: data, never a person's words. */
      output: string;
      segments: readonly ShellSegment[];
      check?: CheckRun;
    }
  | { type: 'plan'; text: string; file?: string }
  | { type: 'compacted' }
  | { type: 'interrupted'; during?: KnownCall }
  | { type: 'link'; text: string }
  | { type: 'title'; text: string; by: 'person' | 'host' }
  | { type: 'recap'; text: string }
);

/** The state of a session besides the facts, as plain JSON. */
export interface Course {
  /** The workspace, absolute. */
  root: string;
  cwd?: string;
  branch?: string;
  /** Turns of the person so far. */
  turn: number;
  /** Tool calls so far. */
  calls: number;
  /** Times of the first and the last event. */
  began?: string;
  time?: string;
  /** Whether it has begun with what the sessions before it left. */
  inherits?: true;
  /** The person's last messages, the newest last. */
  words: string[];
  /** Digests of queued messages, which may be sent as prompts later. */
  queued: string[];
  /** Calls without a result yet. */
  pending: KnownCall[];
  /** The call with the latest result; the person's comment on it follows. */
  last?: KnownCall;
  /** Ids of the last events, to recognise repeated ones. */
  recent: string[];
  /** Compactions so far. */
  windows?: number;
  /** The host's last summary, until the person speaks. */
  summary?: string;
}

const NO_OUTPUT = /^\s*\((?:no output|no content|empty|(?:Bash )?completed with no output)\)\s*/i;
const MOST_PENDING = 20;
const MOST_RECENT = 120;
const LAST_WORDS = 2;
const WORDS_LENGTH = 1000;
const SUMMARY_LENGTH = 30_000;
/** A plan starts with its title. */
const PLAN_LENGTH = 1000;

export function newCourse(root: string): Course {
  return { root, turn: 0, calls: 0, words: [], queued: [], pending: [], recent: [] };
}

/** The steps of an event; updates the course. */
export function stepsOfEvent(event: SessionEvent, course: Course): TrailStep[] {
  if (event.type === 'facts') {
    const cwd = event.workingDirectory ?? event.cwd;
    if (cwd !== undefined) course.cwd = cwd;
    if (event.branch !== undefined) course.branch = event.branch;
    return [];
  }
  if (event.type === 'skip' || event.type === 'entry' || event.type === 'host') return [];
  const key = `${event.type} ${event.id}`;
  if (course.recent.includes(key)) return [];
  course.recent = [...course.recent.slice(-MOST_RECENT), key];
  if (event.timestamp !== undefined) {
    course.began ??= event.timestamp;
    course.time = event.timestamp;
  }
  const place = { at: event.at, ...(event.timestamp !== undefined && { time: event.timestamp }) };
  switch (event.type) {
    case 'person':
      return said(event, course, place);
    case 'agent':
      return [{ type: 'agent', text: event.text, ...place }];
    case 'call': {
      const call = withoutSecrets(knownCall(event, course.root, course.cwd));
      course.calls += 1;
      course.pending = [...course.pending.slice(-MOST_PENDING), call];
      return [{ type: 'called', call, ...place }];
    }
    case 'result':
      return done(event, course, place);
    case 'plan':
      // The host starts a session with it: a turn of the person, but not in their words.
      course.turn += 1;
      return [
        { type: 'plan', text: event.text, ...(event.file !== undefined && { file: event.file }), ...place },
      ];
    case 'compacted':
      if (event.partial === true) return [];
      course.windows = (course.windows ?? 0) + 1;
      if (event.summary !== undefined) course.summary = redactSecrets(event.summary.slice(0, SUMMARY_LENGTH));
      else delete course.summary;
      return [{ type: 'compacted', ...place }];
    case 'interrupted': {
      const during = course.pending.at(-1);
      course.pending = [];
      return [{ type: 'interrupted', ...(during !== undefined && { during }), ...place }];
    }
    case 'link':
      return [{ type: 'link', text: event.text, ...place }];
    case 'title':
      return [{ type: 'title', text: event.text, by: event.by, ...place }];
    case 'recap':
      return [{ type: 'recap', text: event.text, ...place }];
  }
}

function said(
  event: SessionEvent & { type: 'person' },
  course: Course,
  place: { at: number; time?: string },
): TrailStep[] {
  const { voice, text } = event;
  const mark = digest(text);
  if (voice === 'prompt' && course.queued.includes(mark)) {
    course.queued = course.queued.filter((queued) => queued !== mark);
    return [];
  }
  const call = event.call === undefined ? undefined : answered(course, event.call);
  if (event.call !== undefined && !mayCarryWords(voice, call?.tool)) return [];
  if (voice === 'queued') course.queued = [...course.queued.slice(-5), mark];
  course.turn += 1;
  course.words = [...course.words, redactSecrets(text.slice(0, WORDS_LENGTH))].slice(-LAST_WORDS);
  delete course.summary;
  return [
    {
      type: 'said',
      voice,
      text,
      ...(call !== undefined && { call }),
      ...(event.answers !== undefined && { answers: event.answers }),
      ...place,
    },
  ];
}

/** A call in the form stored until its result arrives. */
function withoutSecrets(call: KnownCall): KnownCall {
  const { command, plan, tasks, task, questions } = call;
  return {
    ...call,
    ...(command !== undefined && { command: redactSecrets(command) }),
    ...(plan !== undefined && { plan: redactSecrets(plan.slice(0, PLAN_LENGTH)) }),
    ...(tasks !== undefined && { tasks: tasks.map((one) => ({ ...one, text: keep(one.text) })) }),
    ...(task?.text !== undefined && { task: { ...task, text: keep(task.text) } }),
    ...(questions !== undefined && { questions: questions.slice(0, 4).map((question) => keep(question)) }),
  };
}

/** The call that a comment belongs to: its result came directly before. */
function answered({ last, pending }: Course, id: string): KnownCall | undefined {
  return last?.id === id ? last : pending.find((call) => call.id === id);
}

function done(
  event: SessionEvent & { type: 'result' },
  course: Course,
  place: { at: number; time?: string },
): TrailStep[] {
  const call = course.pending.find(({ id }) => id === event.call) ?? {
    id: event.call ?? event.id,
    tool: event.tool ?? UNKNOWN_TOOL,
    at: event.at,
    files: [],
  };
  course.pending = course.pending.filter(({ id }) => id !== event.call);
  course.last = call;
  const segments = call.command === undefined ? [] : segmentsOf(call.command);
  // Gemini CLI puts a label before the first line of what a command printed; hosts name an output that is empty.
  const output = event.text.replace(/^(?:Output|Stdout): /, '').replace(NO_OUTPUT, '');
  const check = readCheck(segments, event.outcome, event.exit, output, course.root);
  return [
    {
      type: 'done',
      call,
      outcome: event.outcome,
      ...(event.exit !== undefined && { exit: event.exit }),
      output,
      segments,
      ...(check !== undefined && { check }),
      ...place,
    },
  ];
}
