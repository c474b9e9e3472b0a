import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The pages of the documentation, relative to the package. */
export const PAGES: readonly string[] = [
  'README.md',
  'workspace-example/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].filter((page) => existsSync(join(ROOT, page)));

/** Splits a line for a shell as far as documentation needs it; drops a pipe, a comment or a redirection. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [whole, double, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)) {
    if (plain !== undefined && /^(?:#|\||>|<|&&|\|\||;|2>)/.test(plain)) break;
    words.push(double ?? single ?? plain ?? whole);
  }
  return words.map((word) => word.replace(/;$/, ''));
}

/**
 * The calls of the program in a page's code blocks. A text of several lines ends with its first.
 * @param byHand leaves out parts that `scripts/docs.ts` writes by running the program
 */
export function callsOn(page: string, byHand?: 'by hand'): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const parts = byHand ? text.replace(/<!-- made: (.*?) -->[\s\S]*?<!-- \/made: \1 -->/g, '') : text;
  // Every block is matched, so that the end of one is not taken for the start of another.
  return [...parts.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
    .filter(([, language = '']) => ['', 'sh', 'console', 'bash'].includes(language))
    .flatMap(([, , block = '']) => block.replace(/\\\n\s*/g, ' ').split('\n'))
    .flatMap((line) => /(?:^|\$ |\| )(scratchpad .*)$/.exec(line)?.[1] ?? [])
    .map((line) => ((line.match(/"/g) ?? []).length % 2 === 0 ? line : `${line}"`));
}
