import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The name of each host in the npm registry, and the file that runs it. */
const PACKAGES = {
  'claude-code': [`@anthropic-ai/claude-code-${process.platform}-${process.arch}`, 'claude'],
  codex: ['@openai/codex', 'bin/codex.js'],
  'gemini-cli': ['@google/gemini-cli', 'bundle/gemini.js'],
  openclaw: ['openclaw', 'openclaw.mjs'],
  copilot: [`@github/copilot-${process.platform}-${process.arch}`, 'copilot'],
  opencode: [`opencode-${process.platform}-${process.arch}`, 'bin/opencode'],
  kilo: [`@kilocode/cli-${process.platform}-${process.arch}`, 'bin/kilo'],
  pi: ['@earendil-works/pi-coding-agent', 'dist/cli.js'],
  'qwen-code': ['@qwen-code/qwen-code', 'cli-entry.js'],
  droid: ['droid', 'bin/droid'],
  node: ['node', 'bin/node'],
} as const;

/**
 * The turns of a program that reads messages and writes events as lines of JSON, the last of each turn being its result.
 *
 * @param onLine is given each line
 * @returns one turn; it rejects if the program ends in it
 */
export function talkInLines(
  program: ChildProcess,
  onLine: (line: string) => void,
): (content: string) => Promise<void> {
  let finish = (_: Error | undefined): void => undefined;
  createInterface({ input: program.stdout ?? process.stdin }).on('line', (line) => {
    onLine(line);
    if ((JSON.parse(line) as { type: string }).type === 'result') finish(undefined);
  });
  program.on('exit', () => finish(new Error('the host has ended')));
  return (content) =>
    new Promise((resolve, reject) => {
      finish = (error) => (error ? reject(error) : resolve());
      program.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    });
}

/** The stub, in the words of pi and of OpenClaw, which is made of it. */
export const STUB_MODEL = {
  ...{ id: 'stub', name: 'Stub', reasoning: false, input: ['text'] },
  ...{ contextWindow: 200_000, maxTokens: 8192 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/**
 * The program of a host in the folder that was given on the command line. The hosts are there side by side, or each
 * in a folder with its name:
 *
 *   npm i @anthropic-ai/claude-code @openai/codex @google/gemini-cli node@24 openclaw
 *
 * @throws Error that says what to install
 */
export function findProgram(
  cache: string | undefined,
  name: keyof typeof PACKAGES,
  folder: string = name,
): string {
  const [pkg, file] = PACKAGES[name];
  if (cache === undefined) throw new Error(`name the folder that has npm's ${pkg} in it`);
  for (const dir of [cache, join(cache, folder)]) {
    const path = join(dir, 'node_modules', pkg, file);
    if (existsSync(path)) return path;
  }
  throw new Error(`${cache} has no ${pkg}: npm i ${pkg} there, or in ${join(cache, folder)}`);
}

/** One run of a host without a terminal: takes command-line arguments, returns the output. */
export type RunHost = (args: readonly string[]) => Promise<string>;
