import { HOUR_MS } from '../../base/text/durations.ts';
import type { Message } from '../../transcript/types.ts';
import type { SentimentModel } from '../model.ts';
import { analyzeMood } from '../state.ts';
import { mapStrategy } from '../strategy.ts';
import {
  type Advice,
  adjust,
  detectFeedback,
  type Feedback,
  formatStrategy,
  type Meaning,
} from './remarks.ts';

interface AuditTurn {
  /** ISO 8601, UTC: when the person wrote. */
  at: string;
  session: string;
  person: string;
  strategy: Advice;
  words: number;
  /** Feedback on the answer before the next one. */
  said: readonly Meaning[];
}

interface AuditInput {
  messages: readonly Message[];
  session: string;
  feedback: Feedback;
  model: SentimentModel | null;
  windowMessages: number;
  windowMs: number;
}

const CONTEXT_MESSAGES = 120;
const LATE_MS = HOUR_MS;

/**
 * The strategy and the answer of each turn, computed with what was known at the time: the messages up to it and the
 * feedback before it. Turns without a time or an answer are left out.
 */
export function auditTurns({ messages, session, feedback, ...options }: AuditInput): AuditTurn[] {
  const turns = messages.flatMap((message, k): AuditTurn[] => {
    const now = Date.parse(message.timestamp ?? '');
    const words = countAnswerWords(messages, k);
    if (message.role !== 'user' || Number.isNaN(now) || words === 0) return [];

    const person = message.sender ?? '';
    const state = analyzeMood(messages.slice(Math.max(0, k + 1 - CONTEXT_MESSAGES), k + 1), {
      now,
      ...options,
    });
    const events = feedback.events.filter((event) => Date.parse(event.at) <= now);
    const { style, tone, verbosity, preamble } = adjust(
      mapStrategy(state),
      { ...feedback, events },
      person,
      now,
    ).strategy;

    const strategy = { style, tone, verbosity, preamble };
    return [{ at: new Date(now).toISOString(), session, person, strategy, words, said: [] }];
  });

  const remarks = feedback.events.filter(({ source }) => source === 'said');
  const end = Date.parse(messages.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp ?? '');

  for (const { at, person, meanings } of [...detectFeedback(messages), ...remarks]) {
    const turn = turns.findLast((each) => each.at < at && (person === '' || each.person === person));
    if (turn && Date.parse(at) <= end + LATE_MS) turn.said = [...turn.said, ...meanings];
  }

  return turns;
}

function countAnswerWords(messages: readonly Message[], k: number): number {
  const next = messages.findIndex(({ role }, i) => i > k && role === 'user');
  const answers = messages
    .slice(k + 1, next < 0 ? undefined : next)
    .filter(({ role }) => role === 'assistant');
  const prose = answers
    .map(({ content }) => content.replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, ' '))
    .join(' ');

  return prose.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}

export function groupTurns(turns: readonly AuditTurn[]) {
  const groups = new Map(turns.map(({ strategy }) => [formatStrategy(strategy), strategy]));
  return [...groups]
    .map(([name, strategy]) => {
      const members = turns.filter((turn) => formatStrategy(turn.strategy) === name);
      const counts: Partial<Record<Meaning, number>> = {};
      for (const meaning of members.flatMap((turn) => turn.said))
        counts[meaning] = (counts[meaning] ?? 0) + 1;
      const lengths = members.map(({ words }) => words).sort((a, b) => a - b);
      const words = lengths[Math.floor((lengths.length - 1) / 2)] ?? 0;

      return { strategy, turns: members.length, words, said: counts };
    })
    .sort((a, b) => b.turns - a.turns);
}
