import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/commands/program.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir, vouchFor } from '../helpers/test-dir.ts';
import { FAILURE, OUTPUTS } from './json-fields.ts';

/** Print no JSON, or a value a line; or need what a test has not: a server, a host, a timer. */
const WITHOUT = /^(?:hook|mcp|watch|schedule|run|completion|transcript show|store .*)$/;
const TRANSCRIPT = 'sessions/7c1f0a52-3b6e-4d19-9a84-51e0c7d2b6f3.jsonl';
const NIGHT = ['--now', '2026-02-06T01:30:00+11:00'];

/** One after the other in the example workspace. */
const CALLS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['scratchpad'],
  ['init'],
  ['plan set', '1. A\n2. B\n3. C'],
  ['plan done'],
  ['plan undone', '1'],
  ['plan move', '3', '1'],
  ['plan show'],
  ['plan next'],
  ['plan take', '1'],
  ['notes add', 'hello'],
  ['notes replace', 'hello', 'hello there'],
  ['notes show'],
  ['notes add', 'x'],
  ['refs add', 'a.ts'],
  ['refs show'],
  ['scratchpad'],
  ['assemble', ...NIGHT],
  ['assemble', '--if-stale', ...NIGHT],
  ['show', ...NIGHT],
  ['show', 'state', ...NIGHT],
  ['show', '1'],
  ['show', 'plan'],
  ['check', ...NIGHT],
  ['status', ...NIGHT],
  ['context', ...NIGHT],
  ['search', 'hello'],
  ['history'],
  ['diff'],
  ['undo'],
  ['redo'],
  ['line'],
  ['report'],
  ['entry write', 'e', 'some text'],
  ['entry read', 'e'],
  ['entry read', 'e', '--regex', 'some'],
  ['entry list'],
  ['entry edit', 'e', '--content', 'z'],
  ['entry rename', 'e', 'f'],
  ['entry write', 'h', 'some text'],
  ['entry delete', 'h'],
  ['entry undelete', 'h'],
  ['memory search', 'cluster'],
  ['memory index'],
  ['memory status'],
  ['mood'],
  ['feedback', 'too verbose'],
  ['feedback', '--list'],
  ['feedback', '--reset'],
  ['audit'],
  ['handover show'],
  ['handover forget', '1'],
  ['transcript list'],
  ['guidance'],
  ['doctor'],
  ['config list'],
  ['config get', 'ttl'],
  ['config set', 'ttl', '45m'],
  ['config unset', 'ttl'],
  ['config check'],
  ['trust', '--show'],
  ['trust', '--revoke'],
  ['install', 'agents-md', '--dry-run'],
  ['install', 'agents-md', '--yes'],
  ['uninstall', 'agents-md', '--dry-run'],
  ['uninstall', 'agents-md', '--yes'],
  ['tool'],
  ['session list'],
  ['session fork', 'main', 'b'],
  ['session spawn', 'main', 'c'],
  ['session archive', 'b'],
  ['session restore', 'b'],
  ['session spawn', 'main', 'd'],
  ['merge', 'MEMORY.md', 'MEMORY.md', 'MEMORY.md'],
  ['session delete', 'b'],
  ['session prune', '--dry-run'],
  ['session persist', '--to', TRANSCRIPT],
  ['session restore', '--from', TRANSCRIPT],
];

test('the fields of --json are those of the contract, for every command', async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const cwd = testDir();
  cpSync(join(import.meta.dirname, '../../workspace-example'), cwd, { recursive: true });
  vouchFor(cwd);
  for (const [name, ...args] of CALLS) {
    // Beside the plan of the second session are those of the first and of the shell, to be taken.
    for (const session of name === 'plan take' ? ['one', 'two'] : []) {
      const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session };
      await runWarm(['plan', 'set', `1. Of ${session}`], { cwd, env });
    }
    const words = name === 'scratchpad' ? [] : name.split(' ');
    const { stdout, stderr } = await runWarm([...words, ...args, '--json'], { cwd });
    const validate = ajv.compile(OUTPUTS[name] ?? { not: {} });
    const wrong = validate(JSON.parse(stdout)) ? [] : validate.errors;
    expect(wrong, `${name}: ${stdout.slice(0, 500)} ${stderr}`).toEqual([]);
  }
  const failed = await runWarm(['plan', 'done', '99', '--json'], { cwd });
  expect(ajv.validate(FAILURE, JSON.parse(failed.stdout))).toBe(true);
});

test('every command is in the contract, and nothing else', async () => {
  const leaves = (command: Command, path: readonly string[] = []): string[] =>
    command.commands.length === 0
      ? [path.join(' ')]
      : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
  const named = leaves(await buildProgram()).filter((name) => !WITHOUT.test(name));
  expect(named.filter((name) => OUTPUTS[name] === undefined)).toEqual([]);
  expect(Object.keys(OUTPUTS).filter((name) => name !== 'scratchpad' && !named.includes(name))).toEqual([]);
});

test('plan --json lists the steps with the numbers that commands take', async () => {
  const cwd = testDir();
  const input = '1. ~~A~~ DONE\n2. B\n- of B\n3. C <-- current';
  await runWarm(['plan', 'set', input], { cwd });
  const { stdout } = await runWarm(['plan', '--json'], { cwd });
  expect(JSON.parse(stdout).steps).toEqual([
    { number: 1, text: 'A', done: true, current: false },
    { number: 2, text: 'B', done: false, current: false },
    { number: 3, text: 'of B', done: false, current: false },
    { number: 4, text: 'C', done: false, current: true },
  ]);
  await runWarm(['plan', 'clear'], { cwd });
  expect(JSON.parse((await runWarm(['plan', '--json'], { cwd })).stdout).steps).toEqual([]);
});
