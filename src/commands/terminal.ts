import { styleText } from 'node:util';
import { isTerminal } from '../base/fs/index.ts';
import { forTerminal, safeJson } from '../base/safety/index.ts';
import type { Config } from '../config/settings.ts';
import { openClock, zoneOf } from '../stages/clock.ts';
import { type Invocation, write } from './invocation.ts';

type Style = Parameters<typeof styleText>[0];

/** Styles a text, or returns it unchanged where colours are off. */
export type Paint = (style: Style, text: string) => string;

/**
 * Colours for a stream: on a terminal unless NO_COLOR is set, and wherever FORCE_COLOR is set to anything but 0
 * (https://no-color.org, https://force-color.org).
 */
export function painter(env: NodeJS.ProcessEnv, fd: 1 | 2 = 1): Paint {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  const wanted =
    forced || (!env.NO_COLOR && env.TERM !== 'dumb' && isTerminal(fd) && env.FORCE_COLOR === undefined);
  // Skips Node's own check of the stream, which has been done here.
  return (style, text) => (wanted ? styleText(style, text) : text);
}

/** A fact with its name, in columns. */
export const row = (name: string, text: string, width = 12): string => `${`${name}:`.padEnd(width)}${text}`;

/** Rows in columns that are as wide as their widest cell. */
export function columns(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const width = (k: number): number => Math.max(...rows.map((cells) => cells[k]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, k) => width(k));
  return rows.map((cells) =>
    cells
      .map((cell, k) => (right.includes(k) ? cell.padStart(widths[k] ?? 0) : cell.padEnd(widths[k] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats times in the person's zone: `2026-02-06 01:30`. Lists print these; JSON has ISO 8601 in UTC. */
export function localTimes(config: Config): (at: string | number) => string {
  const clock = openClock(zoneOf(config));
  return (at) => {
    const ms = typeof at === 'number' ? at : Date.parse(at);
    if (Number.isNaN(ms)) return 'unknown time'.padEnd(16);
    const { date, hour, minute } = clock(ms);
    return `${date} ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  };
}

/** Prints events as they happen: one JSON object per line with `--json`, else one line of text. */
export function eventLines<Event extends { event: string }>(
  { options }: Invocation,
  inWords: (event: Event) => string,
): (event: Event) => void {
  return (event) => {
    const at = new Date();
    if (options.json) write(1, `${safeJson({ at: at.toISOString(), ...event })}\n`);
    else if (!options.quiet) {
      const words = forTerminal(inWords(event)).replace(/\n/g, ' ');
      write(1, `${at.toTimeString().slice(0, 8)} ${words}\n`);
    }
  };
}
