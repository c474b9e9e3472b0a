import type { Message } from '../../transcript/types.ts';
import type { SentimentModel } from '../model.ts';
import { analyze } from '../state.ts';
import { mapStrategy } from '../strategy.ts';
import { noticeFeedback } from './notice.ts';
import {
  adjust,
  type Feedback,
  type FeedbackEvent,
  type InForce,
  type Meaning,
  spellStrategy,
} from './remarks.ts';

export interface AuditTurn {
  /** ISO 8601, UTC: when the person wrote. */
  at: string;
  session: string;
  person: string;
  strategy: InForce;
  /** Words of the answer, without code blocks. */
  words: number;
  /** Feedback on the answer before the next one. */
  said: readonly Meaning[];
  frustrated: boolean;
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
    if (message.role !== 'user' || Number.isNaN(now)) return;
    const answer = answerTo(messages, k);
    if (answer.words === 0) return;
    const person = message.sender ?? '';
    const context = messages.slice(Math.max(0, k + 1 - CONTEXT_MESSAGES), k + 1);
    const state = analyze(context, { now, ...options });
    const events = feedback.events.filter(({ at }) => Date.parse(at) <= now);
    const { style, tone, verbosity, preamble } = adjust(
      mapStrategy(state),
      { ...feedback, events },
      person,
      now,
    ).strategy;
    turns.push({
      at: new Date(now).toISOString(),
      session,
      person,
      strategy: { style, tone, verbosity, preamble },
      words: answer.words,
      said: [],
      frustrated: state.emotion === 'frustrated',
      answered: answer.at ?? now,
    });
  });
  for (const { at, person, meanings } of remarksOn(messages, feedback.events)) {
    const time = Date.parse(at);
    const turn = turns.findLast((each) => each.answered <= time && each.person === person);
    if (turn && time - turn.answered <= LATE_MS) turn.said = [...turn.said, ...meanings];
  }
  return turns.map(({ answered: _, ...turn }) => turn);
}

/** What the assistant says until the person's next message. */
function answerTo(messages: readonly Message[], k: number): { words: number; at: number | undefined } {
  let words = 0;
  let at: number | undefined;
  for (const { role, content, timestamp } of messages.slice(k + 1)) {
    if (role === 'user') break;
    if (role !== 'assistant') continue;
    const prose = content.replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, ' ');
    words += prose.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
    const time = Date.parse(timestamp ?? '');
    if (!Number.isNaN(time)) at = time;
  }
  return { words, at };
}

/** Remarks in this transcript, and those given at the command line. */
function remarksOn(messages: readonly Message[], events: readonly FeedbackEvent[]): FeedbackEvent[] {
  const found = noticeFeedback(messages, {
    known: [],
    forgotten: () => Number.NEGATIVE_INFINITY,
    inForce: () => null,
  });
  return [...found, ...events.filter(({ source }) => source === 'said')];
}

export interface AuditGroup {
  strategy: InForce;
  turns: number;
  words: number;
  /** How often each kind of feedback was given on these answers. */
  said: Readonly<Partial<Record<Meaning, number>>>;
  /** How long frustration lasted that was met with this strategy; `null` where there was none. */
  resolution: Resolution | null;
}

/** From the message that was frustrated first to the person's first one that no longer was. */
export interface Resolution {
  times: number;
  /** How many of them were over before the session ended. */
  resolved: number;
  /** Medians of those; `null` if none was. */
  minutes: number | null;
  answers: number | null;
}

/** Groups turns by their strategy, the most frequent first. */
export function groupTurns(turns: readonly AuditTurn[]): AuditGroup[] {
  const groups = new Map<string, AuditTurn[]>();
  for (const turn of turns) {
    const name = spellStrategy(turn.strategy);
    groups.set(name, [...(groups.get(name) ?? []), turn]);
  }
  return [...groups.values()]
    .map((members) => {
      const said: Partial<Record<Meaning, number>> = {};
      for (const meaning of members.flatMap((turn) => turn.said)) said[meaning] = (said[meaning] ?? 0) + 1;
      return {
        strategy: (members[0] as AuditTurn).strategy,
        turns: members.length,
        words: median(members.map(({ words }) => words)),
        said,
        resolution: resolutionIn(turns, (turn) => members.includes(turn)),
      };
    })
    .sort((a, b) => b.turns - a.turns);
}

/** How long frustration lasted, in each session and for each person, that began with one of these turns. */
export function resolutionIn(
  turns: readonly AuditTurn[],
  isOne: (first: AuditTurn) => boolean = () => true,
): Resolution | null {
  const all: { first: AuditTurn; answers: number; over?: number }[] = [];
  const open = new Map<string, (typeof all)[number]>();
  for (const turn of [...turns].sort((a, b) => (a.at < b.at ? -1 : 1))) {
    const who = JSON.stringify([turn.session, turn.person]);
    const spell = open.get(who);
    if (spell !== undefined && !turn.frustrated) {
      spell.over = Date.parse(turn.at);
      open.delete(who);
    } else if (spell !== undefined) spell.answers += 1;
    else if (turn.frustrated) {
      const begun = { first: turn, answers: 1 };
      all.push(begun);
      open.set(who, begun);
    }
  }
  const spells = all.filter(({ first }) => isOne(first));
  if (spells.length === 0) return null;
  const lasted = spells.flatMap(({ first, answers, over }) =>
    over === undefined ? [] : [{ answers, minutes: (over - Date.parse(first.at)) / 60_000 }],
  );
  const isAny = lasted.length > 0;
  return {
    times: spells.length,
    resolved: lasted.length,
    minutes: isAny ? Math.round(median(lasted.map(({ minutes }) => minutes))) : null,
    answers: isAny ? median(lasted.map(({ answers }) => answers)) : null,
  };
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round((upper + (sorted[middle - 1] ?? upper)) / 2);
}
