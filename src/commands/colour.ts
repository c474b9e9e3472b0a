import { styleText } from 'node:util';
import { isTerminal } from '../fs/index.ts';

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
