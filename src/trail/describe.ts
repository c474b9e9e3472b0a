import type { Fact, Kind } from './fact.ts';
import type { Trail } from './trail.ts';

/** Headings of the kinds in lists for people. */
export const TITLES: Record<Kind, string> = {
  recap: 'recap by the host',
  title: 'called',
  task: 'open tasks',
  question: 'asked and not answered',
  check: 'last check',
  failing: 'still failing',
  rejected: 'turned down',
  interrupted: 'interrupted',
  instruction: 'said to do, said not to',
  decision: 'decided',
  plan: 'plan approved',
  edited: 'edited, not committed',
  commit: 'commits',
  reference: 'pull requests and tickets',
  file: 'files in hand',
  command: 'commands that ran here',
};

/** How many files and commands are listed by default. */
const SHOWN = 10;

/** A fact with its number for `trail forget`. */
export interface NumberedFact extends Fact {
  number: number;
}

/**
 * The facts as a list for people: the current ones, and the first ten files and commands. Numbers are the same with
 * and without `--all`.
 */
export function numberedFacts(trail: Trail, all = false): NumberedFact[] {
  const counts = new Map<Kind, number>();
  return trail.facts
    .map((fact, index) => ({ number: index + 1, ...fact }))
    .filter(({ kind, open }) => {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return all || (open && ((kind !== 'file' && kind !== 'command') || count <= SHOWN));
    });
}

export interface TextOptions {
  /** With the facts that are no longer true, and every file and command. */
  all?: boolean;
  /** Formats an ISO time; UTC unless given. */
  time?: (at: string) => string;
}

/** The list as text: one heading per kind, each fact with its number, reason and source. */
export function trailText(
  trail: Trail,
  now: number,
  { all = false, time = inUtc }: TextOptions = {},
): string {
  if (trail.from === 'nothing') return '';
  const lines: string[] = [heading(trail, now)];
  let kind: Kind | undefined;
  for (const fact of numberedFacts(trail, all)) {
    if (fact.kind !== kind) lines.push('', `${TITLES[fact.kind]}:`);
    kind = fact.kind;
    const ended = fact.open ? '' : ' [ended]';
    const when = fact.time === undefined ? '' : `${time(fact.time)}, `;
    const from =
      fact.session === undefined || fact.session === trail.session ? '' : ` of session ${fact.session}`;
    lines.push(
      `${String(fact.number).padStart(4)}  ${fact.text}${ended}`,
      `      ${when}at ${fact.place}${from}: ${fact.why}`,
    );
  }
  return lines.join('\n');
}

function inUtc(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')}Z`;
}

function heading({ from, session, branch, updated }: Trail, now: number): string {
  const whose = from === 'session' ? `Session ${session}` : `The last session on this branch, ${session}`;
  const minutes = updated === undefined ? undefined : Math.max(0, Math.round((now - updated) / 60_000));
  const age =
    minutes === undefined
      ? ''
      : minutes < 60
        ? `, ${minutes} min ago`
        : minutes < 2880
          ? `, ${Math.round(minutes / 60)} h ago`
          : `, ${Math.round(minutes / 1440)} days ago`;
  return `${whose}${branch === undefined ? '' : `, branch ${branch}`}${age}`;
}
