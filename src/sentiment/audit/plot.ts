import { plot } from 'asciichart';
import type { AuditTurn } from './turns.ts';

const WIDTH = 64;
const HEIGHT = 8;
/** asciichart puts a blank after the label and draws the first point on the axis. */
const AXIS = 1;

/**
 * Words per answer in order, the newest on the right. The line below marks those that should have been short
 * (`s`) and the feedback on them: `-` too long, `+` too short, `!` good, `*` anything else.
 */
export function plotLengths(turns: readonly AuditTurn[]): string {
  const shown = turns.slice(-WIDTH);
  if (shown.length < 2) return '';
  const lengths = shown.map(({ words }) => words);
  const label = Math.max(...lengths).toString().length + 1;
  const chart = plot(lengths, {
    height: Math.min(HEIGHT, Math.max(1, Math.max(...lengths) - Math.min(...lengths))),
    format: (words: number) => Math.round(words).toString().padStart(label),
  });
  const marks = shown.map(markOf).join('').trimEnd();
  return `${chart}\n${' '.repeat(label + AXIS)}${marks}`.replace(/[ \t]+$/gm, '');
}

function markOf({ strategy, said }: AuditTurn): string {
  if (said.includes('shorter')) return '-';
  if (said.includes('longer')) return '+';
  if (said.includes('good')) return '!';
  if (said.length > 0) return '*';
  return strategy.verbosity === 'minimal' ? 's' : ' ';
}
