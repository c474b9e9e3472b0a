import { join } from 'node:path';

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

export function isTitle(text: string): boolean {
  return new RegExp(TITLE_PATTERN, 'u').test(text) && [...text].length <= LONGEST_TITLE;
}

export function formatCommand({ command, args }: Pick<CommandSpec, 'command' | 'args'>): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

/** Expands `~/bin/x` to a path, since no shell does it here. */
export function expandHome(word: string, env: NodeJS.ProcessEnv): string {
  return word.startsWith('~/') && env.HOME ? join(env.HOME, word.slice(2)) : word;
}
