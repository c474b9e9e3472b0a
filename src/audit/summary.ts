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
}

/** Groups turns by their strategy, the most frequent first. */
export function groupTurns(turns: readonly AuditTurn[]): AuditGroup[] {
  const groups = new Map<string, AuditTurn[]>();
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
    }))
    .sort((a, b) => b.turns - a.turns);
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
