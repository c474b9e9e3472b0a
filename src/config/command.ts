import { join } from 'node:path';
import { quoteWord } from '../base/text/shell.ts';

/** A program that a config file names, run without a shell if `trust.ts` allows it. */
export interface CommandSpec {
  /** The setting that names it, such as `stages.weather`. */
  key: string;
  id: string;
  command: string;
  args: readonly string[];
  origin: string;
  timeoutMs?: number | undefined;
  title?: string | undefined;
  /** 0 to 100. */
  priority?: number | undefined;
}

export const LONGEST_TITLE = 40;
/** Words without Markdown structure. Needs the flag `u`. */
const TITLE_PATTERN = "^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} '’&,.:()/-]*$";

export const isTitle = (text: string): boolean =>
  new RegExp(TITLE_PATTERN, 'u').test(text) && [...text].length <= LONGEST_TITLE;

export const formatCommand = ({ command, args }: Pick<CommandSpec, 'command' | 'args'>): string =>
  [command, ...args].map(quoteWord).join(' ');

/** Expands `~/bin/x` to a path, since no shell does it here. */
export const expandHome = (word: string, env: NodeJS.ProcessEnv): string =>
  word.startsWith('~/') && env.HOME ? join(env.HOME, word.slice(2)) : word;
