import { type FailureKind, failure, ScratchpadError } from '../base/errors.ts';
import { renderSafeJson, sanitizeForTerminal } from '../base/safety/index.ts';
import type { Config } from '../config/settings.ts';
import { chooseZone, openClock } from '../stages/clock.ts';
import { type Invocation, type Lines, write } from './invocation.ts';

/** A fact behind its name; nothing without a text. */
export const renderRow = (name: string, text: string | null | false | undefined, width = 12): Lines =>
  text != null && text !== false && `${`${name}:`.padEnd(width)}${text}`;

export function renderColumns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const measureColumn = (k: number): number => Math.max(...rows.map((cells) => cells[k]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, k) => measureColumn(k));
  return rows.map((cells) =>
    cells
      .map((cell, k) => (right.includes(k) ? cell.padStart(widths[k] ?? 0) : cell.padEnd(widths[k] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats times in the person's zone: `2026-02-06 01:30`. Lists print these; JSON has ISO 8601 in UTC. */
export function makeTimeFormatter(config: Config): (time: string | number) => string {
  const clock = openClock(chooseZone(config));
  return (time) => {
    const ms = typeof time === 'number' ? time : Date.parse(time);
    if (Number.isNaN(ms)) return 'unknown time'.padEnd(16);
    const { date, hour, minute } = clock(ms);
    return `${date} ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  };
}

/** Prints events as they happen: one JSON object per line with `--json`, else one line of text with what it holds. */
export function makeEventPrinter<Event extends { event: string }>({
  options,
}: Invocation): (event: Event) => void {
  return ({ event, ...facts }) => {
    const now = new Date();
    if (options.json) return write(1, `${renderSafeJson({ at: now.toISOString(), event, ...facts })}\n`);
    if (options.quiet) return;

    const details = Object.entries(facts)
      .filter(([, value]) => (Array.isArray(value) || typeof value !== 'object') && String(value) !== '')
      .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : value}`);
    const words = sanitizeForTerminal([event, details.join('; ')].join(' ')).replace(/\n/g, ' ');
    write(1, `${now.toTimeString().slice(0, 8)} ${words.trimEnd()}\n`);
  };
}

/** Exit codes: a contract with its own tests (`docs/commands.md`). */
export const EXIT_CODES: Readonly<Record<FailureKind, number>> = {
  refused: 1,
  usage: 2,
  environment: 3,
  stale: 4,
};

/** The exit code without a match, as of grep. */
export const NOTHING_FOUND = 1;

/** Messages of Node where a process may not have more memory. */
const OUT_OF_MEMORY = /out of memory|(?:could not|cannot) allocate|allocation failed|ENOMEM/i;

/** The only place where an error becomes an exit code. */
export function reportFailure(error: unknown, env: NodeJS.ProcessEnv, json: boolean): number {
  const failure = wrapError(error, env);
  write(2, `scratchpad: ${sanitizeForTerminal(failure.explain('command'))}\n`);
  if (json) write(1, `${renderSafeJson({ error: failure.toFailure('command') }, 2)}\n`);
  return failure.detail.exitCode ?? EXIT_CODES[failure.kind];
}

export function wrapError(error: unknown, env: NodeJS.ProcessEnv): ScratchpadError {
  if (error instanceof ScratchpadError) return error;

  const message = error instanceof Error ? error.message : String(error);
  if (OUT_OF_MEMORY.test(message))
    return failure('there is not enough memory', {
      found: message,
      next: 'raise the limit of this shell (ulimit -v), or free memory',
    });

  const text = env.SCRATCHPAD_DEBUG && error instanceof Error ? (error.stack ?? message) : message;
  return failure(text, { next: 'run again with SCRATCHPAD_DEBUG=1 and report the output' });
}
