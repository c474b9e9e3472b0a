import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The pages of the documentation, relative to the package. */
export const PAGES: readonly string[] = [
  'README.md',
  'workspace-example/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'commands.md')
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

/** A page without the parts that `scripts/docs.ts` writes by running the program. */
const byHand = (page: string): string =>
  readFileSync(join(ROOT, page), 'utf8').replace(/<!-- made: (.*?) -->[\s\S]*?<!-- \/made: \1 -->/g, '');

/** The commands in a page's blocks of shell, as they are typed: a text in quotes may have several lines. */
export function commandsOn(page: string): string[] {
  const commands: string[] = [];
  // Every block is matched, so that the end of one is not taken for the start of another.
  for (const [, language = '', block = ''] of byHand(page).matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)) {
    if (!['sh', 'console', 'bash'].includes(language)) continue;
    let command = '';
    for (const line of block.trimEnd().split('\n')) {
      command += command === '' ? line : `\n${line}`;
      const goesOn = /(?:\\|\|)$/.test(line) || (command.match(/"/g) ?? []).length % 2 === 1;
      if (goesOn) continue;
      if (command.trim() !== '') commands.push(command);
      command = '';
    }
    if (command.trim() !== '') commands.push(command);
  }
  return commands;
}

/** The calls of the program that a page names in its text, between backticks. */
export const callsInText = (page: string): string[] =>
  [
    ...byHand(page)
      .replace(/^```[\s\S]*?^```/gm, '')
      .matchAll(/`(scratchpad [^`\n]+)`/g),
  ].map(([, call = '']) => call);

/** All calls of the program on a page, in blocks of shell and in its text. */
export function callsOn(page: string): string[] {
  const inBlocks = commandsOn(page).flatMap(
    (command) => /(?:^|[|]\s*)(scratchpad [\s\S]*)$/.exec(command.replace(/\\\n\s*/g, ' '))?.[1] ?? [],
  );
  return [...inBlocks, ...callsInText(page)];
}
