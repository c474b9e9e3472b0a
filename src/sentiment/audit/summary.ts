import type { InForce, Meaning } from '../feedback/types.ts';
import type { AuditTurn } from './turns.ts';

/** The results of one strategy. */
export interface AuditGroup {
  strategy: InForce;
  turns: number;
  /** Median words of an answer. */
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
  const spells = spellsOf(turns);
  for (const turn of turns) {
    const name = spellStrategy(turn.strategy);
    groups.set(name, [...(groups.get(name) ?? []), turn]);
  }
  return [...groups.values()]
    .map((members) => ({
      strategy: (members[0] as AuditTurn).strategy,
      turns: members.length,
      words: median(members.map(({ words }) => words)),
      said: counts(members.flatMap(({ said }) => said)),
      resolution: resolutionOf(spells.filter(({ first }) => members.includes(first))),
    }))
    .sort((a, b) => b.turns - a.turns);
}

/** A time of frustration, and how it ended. */
interface Spell {
  first: AuditTurn;
  answers: number;
  /** When it was over, epoch milliseconds. */
  over?: number;
}

/** The times at which somebody was frustrated, in each session and for each person. */
function spellsOf(turns: readonly AuditTurn[]): Spell[] {
  const all: Spell[] = [];
  const open = new Map<string, Spell>();
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
  return all;
}

/** How long frustration lasted in all of these turns. */
export function resolutionIn(turns: readonly AuditTurn[]): Resolution | null {
  return resolutionOf(spellsOf(turns));
}

function resolutionOf(spells: readonly Spell[]): Resolution | null {
  if (spells.length === 0) return null;
  const lasted = spells.flatMap(({ first, answers, over }) =>
    over === undefined ? [] : [{ answers, minutes: (over - Date.parse(first.at)) / 60_000 }],
  );
  return {
    times: spells.length,
    resolved: lasted.length,
    minutes: lasted.length === 0 ? null : Math.round(median(lasted.map(({ minutes }) => minutes))),
    answers: lasted.length === 0 ? null : median(lasted.map(({ answers }) => answers)),
  };
}

/**
 * Compares answers that should have been short with the others; `undefined` with fewer than three of either.
 */
export function shortened(turns: readonly AuditTurn[]): { minimal: number; others: number } | undefined {
  const minimal = turns.filter(({ strategy }) => strategy.verbosity === 'minimal');
  const others = turns.filter(({ strategy }) => strategy.verbosity !== 'minimal');
  if (minimal.length < 3 || others.length < 3) return undefined;
  return {
    minimal: median(minimal.map(({ words }) => words)),
    others: median(others.map(({ words }) => words)),
  };
}

/** `concise, direct, minimal, no preamble`. */
export function spellStrategy({ style, tone, verbosity, preamble }: InForce): string {
  return `${style}, ${tone}, ${verbosity}, ${preamble ? 'preamble' : 'no preamble'}`;
}

function counts(said: readonly Meaning[]): Partial<Record<Meaning, number>> {
  const all: Partial<Record<Meaning, number>> = {};
  for (const meaning of said) all[meaning] = (all[meaning] ?? 0) + 1;
  return all;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round((upper + (sorted[middle - 1] ?? upper)) / 2);
}
