import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** The words that a shell is offered after a line. */
async function offered(cwd: string, ...line: string[]): Promise<string[]> {
  const { stdout, stderr, exitCode } = await runWarm(['complete', '--', ...line], { cwd });
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.pop()).toMatch(/^:\d+$/);
  return lines.map((each) => each.split('\t')[0] ?? '');
}

test('commands, subcommands and options come from the declarations', async () => {
  const cwd = testDir();
  expect(await offered(cwd, 'pl')).toEqual(['plan']);
  expect(await offered(cwd, 'plan', 'do')).toEqual(['done']);
  expect(await offered(cwd, 'entry', 'read', '--re')).toEqual(['--regex']);
});

test('names come from the workspace; a broken workspace is no error', async () => {
  const cwd = testDir();
  await runWarm(['plan', 'set', '1. Find the leak\n2. Test'], { cwd });
  await runWarm(['entry', 'write', 'build log', 'text'], { cwd });
  expect(await offered(cwd, 'plan', 'done', '')).toEqual(['1', '2']);
  expect(await offered(cwd, 'entry', 'read', 'bu')).toEqual(['build log']);
  expect(await offered(cwd, 'session', 'fork', '')).toEqual(['main']);
  expect(await offered(testDir(), 'entry', 'read', '')).toEqual([]);
  // The short words of the first help page, too.
  expect(await offered(cwd, 'done', '')).toEqual(['1', '2']);
  expect(await offered(cwd, 'rm', 'bu')).toEqual(['build log']);
  expect(await offered(cwd, 'tod')).toEqual(['todo', 'todos']);
});

test('the bash script: sourced twice, names with blanks, file names as a fallback, and nothing typed is executed', async () => {
  const cwd = testDir();
  await runWarm(['entry', 'write', 'build log', 'text'], { cwd });
  const bin = testDir();
  symlinkSync(join(import.meta.dirname, '../../bin/scratchpad.js'), join(bin, 'scratchpad'));
  const { stdout: script } = await runWarm(['completion', 'bash'], { cwd });
  const complete = async (...words: string[]): Promise<string[]> => {
    const { stdout, stderr } = await execa('bash', ['--norc'], {
      cwd,
      input: `${script}\n${script}
COMP_WORDS=(scratchpad ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}); COMP_CWORD=${words.length}
__scratchpad_complete; printf '%s\n' "\${COMPREPLY[@]}"`,
      env: { ...minimalEnv(), PATH: `${bin}:${process.env.PATH ?? ''}` },
      extendEnv: false,
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  };
  expect(await complete('pl')).toEqual(['plan']);
  expect(await complete('entry', 'read', 'bu')).toEqual(['build\\ log']);
  expect(await complete('entry', 'read', '"bu')).toEqual(['build\\ log']);
  expect(await complete('notes', 'add', '$(touch run)', '')).toEqual([]);
  expect(existsSync(join(cwd, 'run'))).toBe(false);
  expect(script).toContain('complete -o default ');
});

test('an unknown shell is wrong usage', async () => {
  const { exitCode, stderr } = await runWarm(['completion', 'csh'], { cwd: testDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('zsh, bash, fish');
});
