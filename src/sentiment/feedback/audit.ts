import type { Message } from '../../transcript/types.ts';
import type { SentimentModel } from '../model.ts';
import { analyze } from '../state.ts';
import { mapStrategy } from '../strategy.ts';
import {
  type Advice,
  adjust,
  type Feedback,
  type Meaning,
  noticeFeedback,
  spellStrategy,
} from './remarks.ts';

export interface AuditTurn {
  /** ISO 8601, UTC: when the person wrote. */
  at: string;
  session: string;
  person: string;
  strategy: Advice;
  /** Words of the answer, without code blocks. */
  words: number;
  /** Feedback on the answer before the next one. */
  said: readonly Meaning[];
}

export interface AuditInput {
  messages: readonly Message[];
  session: string;
  /** Given or noticed in this workspace. */
  feedback: Feedback;
  model: SentimentModel | null;
  windowMessages: number;
  windowMs: number;
}

/** Enough messages for the window and the mood before it. */
const CONTEXT_MESSAGES = 120;
/** Feedback this long after a session's last answer is about something else. */
const LATE_MS = 60 * 60 * 1000;

/**
 * The strategy and the answer of each turn, computed with what was known at the time: the messages up to it and the
 * feedback before it. Turns without a time or an answer are left out.
 */
export function auditTurns({ messages, session, feedback, ...options }: AuditInput): AuditTurn[] {
  const turns: (AuditTurn & { answered: number })[] = [];
  messages.forEach((message, k) => {
    const now = Date.parse(message.timestamp ?? '');
    const { words, at = now } = answerTo(messages, k);
    if (message.role !== 'user' || Number.isNaN(now) || words === 0) return;
    const person = message.sender ?? '';
    const context = messages.slice(Math.max(0, k + 1 - CONTEXT_MESSAGES), k + 1);
    const state = analyze(context, { now, ...options });
    const events = feedback.events.filter((event) => Date.parse(event.at) <= now);
    const advice = adjust(mapStrategy(state), { ...feedback, events }, person, now).strategy;
    const { style, tone, verbosity, preamble } = advice;
    turns.push({
      at: new Date(now).toISOString(),
      ...{ session, person, words, said: [], answered: at },
      strategy: { style, tone, verbosity, preamble },
    });
  });
  for (const { at, person, meanings } of [
    ...noticeFeedback(messages),
    ...feedback.events.filter(({ source }) => source === 'said'),
  ]) {
    const time = Date.parse(at);
    const turn = turns.findLast((each) => each.answered <= time && each.person === person);
    if (turn && time - turn.answered <= LATE_MS) turn.said = [...turn.said, ...meanings];
  }
  return turns.map(({ answered: _, ...turn }) => turn);
}

/** What the assistant says until the person's next message. */
function answerTo(messages: readonly Message[], k: number): { words: number; at?: number } {
  const next = messages.findIndex(({ role }, i) => i > k && role === 'user');
  const said = messages.slice(k + 1, next < 0 ? undefined : next).filter(({ role }) => role === 'assistant');
  const prose = said
    .map(({ content }) => content.replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, ' '))
    .join(' ');
  const words = prose.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  const at = said.map(({ timestamp }) => Date.parse(timestamp ?? '')).findLast((time) => !Number.isNaN(time));
  return at === undefined ? { words } : { words, at };
}

export interface AuditGroup {
  strategy: Advice;
  turns: number;
  /** Median of the answers. */
  words: number;
  /** How often each kind of feedback was given on these answers. */
  said: Readonly<Partial<Record<Meaning, number>>>;
}

/** Groups turns by their strategy, the most frequent first. */
export function groupTurns(turns: readonly AuditTurn[]): AuditGroup[] {
  const groups = new Map(turns.map(({ strategy }) => [spellStrategy(strategy), strategy]));
  return [...groups]
    .map(([name, strategy]) => {
      const members = turns.filter((turn) => spellStrategy(turn.strategy) === name);
      const said: Partial<Record<Meaning, number>> = {};
      for (const meaning of members.flatMap((turn) => turn.said)) said[meaning] = (said[meaning] ?? 0) + 1;
      return { strategy, turns: members.length, words: median(members.map(({ words }) => words)), said };
    })
    .sort((a, b) => b.turns - a.turns);
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
