import type { Message } from '../../transcript/types.ts';
import { adjust } from '../feedback/adjust.ts';
import { noticeFeedback } from '../feedback/notice.ts';
import type { FeedbackEvent, InForce, Meaning } from '../feedback/types.ts';
import { analyze, mapStrategy, type SentimentModel, type SentimentState } from '../index.ts';
import type { MoodRecord } from './history.ts';

/** A person's message and its answer. */
export interface AuditTurn {
  /** ISO 8601, UTC: when the person wrote. */
  at: string;
  session: string;
  person: string;
  strategy: InForce;
  /**
   * `given`: what the block said at the time, from the mood history; `read`: computed now from the
   * transcript.
   */
  source: 'given' | 'read';
  /** Words of the answer, without code blocks. */
  words: number;
  /** Feedback on the answer before the next one. */
  said: readonly Meaning[];
  /** The person was frustrated when they wrote. */
  frustrated: boolean;
}

export interface AuditInput {
  messages: readonly Message[];
  session: string;
  /** Feedback given or noticed in this workspace. */
  feedback: readonly FeedbackEvent[];
  halfLifeMs: number;
  history: readonly MoodRecord[];
  model: SentimentModel | null;
  windowMessages: number;
  windowMs: number;
}

/** Enough messages for the window and the mood before it. */
const CONTEXT_MESSAGES = 120;
/** How long before a message the hook may have given its block. */
const BEFORE_MS = 30 * 60 * 1000;
const AFTER_MS = 60 * 1000;
/** Feedback this long after a session's last answer is about something else. */
const LATE_MS = 60 * 60 * 1000;

/**
 * The strategy and the answer of each turn. Each turn is computed with what was known at the time: the
 * messages up to it and the feedback before it. Turns without a time or an answer are left out.
 */
export function auditTurns(input: AuditInput): AuditTurn[] {
  const { messages, session } = input;
  const turns: (AuditTurn & { answered: number })[] = [];
  messages.forEach((message, k) => {
    const time = Date.parse(message.timestamp ?? '');
    if (message.role !== 'user' || Number.isNaN(time)) return;
    const answer = answerTo(messages, k);
    if (answer.words === 0) return;
    const person = message.sender ?? '';
    const given = input.history.findLast(
      (record) =>
        record.person === person &&
        isOf(record, session) &&
        within(Date.parse(record.at) - time, BEFORE_MS, AFTER_MS),
    );
    const state = stateAt(input, k, time);
    const strategy = given?.strategy ?? strategyAt(input, state, time, person);
    turns.push({
      at: new Date(time).toISOString(),
      session,
      person,
      strategy,
      source: given === undefined ? 'read' : 'given',
      words: answer.words,
      said: [],
      frustrated: state.emotion === 'frustrated',
      answered: answer.at ?? time,
    });
  });
  attribute(turns, remarksOn(input));
  return turns.map(({ answered: _, ...turn }) => turn);
}

function stateAt({ messages, model, windowMessages, windowMs }: AuditInput, k: number, now: number) {
  const context = messages.slice(Math.max(0, k + 1 - CONTEXT_MESSAGES), k + 1);
  return analyze(context, { now, model, windowMessages, windowMs });
}

function strategyAt(
  { feedback, halfLifeMs }: AuditInput,
  state: SentimentState,
  now: number,
  person: string,
): InForce {
  const events = feedback.filter(({ at }) => Date.parse(at) <= now);
  const { strategy } = adjust(mapStrategy(state), { events, halfLifeMs }, person, now);
  const { style, tone, verbosity, preamble } = strategy;
  return { style, tone, verbosity, preamble };
}

/** What the assistant says until the person's next message. */
function answerTo(messages: readonly Message[], k: number): { words: number; at: number | undefined } {
  let words = 0;
  let at: number | undefined;
  for (const { role, content, timestamp } of messages.slice(k + 1)) {
    if (role === 'user') break;
    if (role !== 'assistant') continue;
    words += countWords(content);
    const time = Date.parse(timestamp ?? '');
    if (!Number.isNaN(time)) at = time;
  }
  return { words, at };
}

function countWords(text: string): number {
  const prose = text.replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, ' ');
  return prose.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
}

/** Remarks in this transcript, and those given at the command line. */
function remarksOn({ messages, feedback }: AuditInput): FeedbackEvent[] {
  const found = noticeFeedback(messages, {
    known: [],
    forgotten: () => Number.NEGATIVE_INFINITY,
    inForce: () => null,
  });
  return [...found, ...feedback.filter(({ source }) => source === 'said')];
}

/** Assigns a remark to the answer before it. */
function attribute(turns: (AuditTurn & { answered: number })[], remarks: readonly FeedbackEvent[]): void {
  for (const { at, person, meanings } of remarks) {
    const time = Date.parse(at);
    const turn = turns.findLast((each) => each.answered <= time && each.person === person);
    if (turn && time - turn.answered <= LATE_MS) turn.said = [...turn.said, ...meanings];
  }
}

function isOf(record: MoodRecord, session: string): boolean {
  return record.session === null || record.session === session;
}

function within(ms: number, before: number, after: number): boolean {
  return ms >= -before && ms <= after;
}
