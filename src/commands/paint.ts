import { styleText } from 'node:util';
import { isTerminal } from '../base/fs/index.ts';

type Style = Parameters<typeof styleText>[0];

/** Styles a text where colours are wanted: on a terminal unless NO_COLOR is set, elsewhere if FORCE_COLOR is. */
export function paint(style: Style, text: string, descriptor: 1 | 2 = 1): string {
  const { FORCE_COLOR: forced, NO_COLOR, TERM } = process.env;
  const isUsual = !NO_COLOR && TERM !== 'dumb' && isTerminal(descriptor);
  const isWanted = forced === undefined ? isUsual : forced !== '0' && forced !== 'false';
  return isWanted ? styleText(style, text, { validateStream: false }) : text;
}

const LINE_STYLES: readonly { matches: RegExp; style: Style }[] = [
  { matches: /^#{1,6} /, style: 'bold' },
  { matches: /~~ DONE\b/, style: 'dim' },
  { matches: /^(?:warn|problem)\b/, style: 'yellow' },
  { matches: /^(?:error|failed|FAIL)\b/, style: 'red' },
];

export function paintLine(line: string): string {
  const found = LINE_STYLES.find(({ matches }) => matches.test(line));
  return found === undefined ? line : paint(found.style, line);
}
