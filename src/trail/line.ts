import { counted } from '../text/counts.ts';
import type { Fact, Kind } from './fact.ts';

/** A line for the model. */
export interface TrailLine {
  /** The subject of the line, for the ledger. */
  key: string;
  text: string;
  kind: Kind | 'list';
  why: string;
  /** Said once in a window, even if its words have changed. */
  once?: boolean;
}

/** What failed before commits of others may have been mended by them. */
export function titleOf(title: string, fact: Fact | undefined): string {
  const { kind, commitsSince } = fact ?? {};
  if (commitsSince === undefined) return title;
  if (kind !== 'failing') return `${title} (${counted(commitsSince, 'commit')} ago)`;
  return `Failed before the last ${commitsSince === 1 ? 'commit' : counted(commitsSince, 'commit')}`;
}

/** The line of the last check. */
export function checkLine(check: Fact): TrailLine {
  const { text, why } = check;
  return { key: 'trail:check', kind: 'check', text: `${titleOf('Last check', check)}: ${text}`, why };
}
