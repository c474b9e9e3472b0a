import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');
/** util-linux's `script` runs a command on a terminal of its own. */
const HAS_TERMINAL = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

/** Runs the program on a terminal; keys are pressed once the text has appeared. */
async function onTerminal(
  cwd: string,
  line: string,
  press?: { after: string; keys: string },
  env: Readonly<Record<string, string>> = {},
): Promise<{ shown: string; exitCode: number | undefined }> {
  // Without a shell in between, which would take a Ctrl-C for itself, too.
  const command = `stty cols 80; exec ${process.execPath} ${PROGRAM} ${line}`;
  const running = execa('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { ...minimalEnv(), SHELL: '/bin/sh', ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
  });
  let pressed = false;
  let seen = '';
  running.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    if (press && !pressed && seen.includes(press.after)) {
      pressed = true;
      running.stdin.write(press.keys);
    }
  });
  const { stdout, exitCode } = await running;
  return { shown: stdout.replaceAll('\r\n', '\n'), exitCode };
}

describe.skipIf(!HAS_TERMINAL)('on a terminal', () => {
  test('an entry is shown without terminal control sequences, and ends its line', async () => {
    const cwd = testDir();
    const content = '\u001b[31mred\u001b[0m \u001b]0;title\u0007\u009b2J end';
    await runWarm(['entry', 'write', 'x', '-'], { cwd, input: content });
    const { stdout } = await runWarm(['entry', 'read', 'x'], { cwd });
    expect(stdout).toBe(content);
    const { shown } = await onTerminal(cwd, 'entry read x');
    expect(shown).toMatch(/^red .*end\n$/);
    expect(shown).not.toMatch(/[\u001b\u0007\u009b]/);
  });

  test('headings are bold, finished steps dim, warnings yellow; with NO_COLOR nothing is', async () => {
    const cwd = testDir();
    await runWarm(['plan', 'set', '1. Fix the bug\n2. Docs'], { cwd });
    await runWarm(['plan', 'done', '1'], { cwd });

    const { shown } = await onTerminal(cwd, 'show');
    expect(shown).toContain('\u001b[1m## Plan\u001b[22m\n');
    expect(shown).toContain('\u001b[2m1. ~~Fix the bug~~ DONE\u001b[22m\n2. Docs\n');
    const { shown: doctor } = await onTerminal(cwd, 'doctor');
    expect(doctor).toContain('\u001b[33mwarn  state: not assembled yet\u001b[39m\n');

    for (const line of ['show', 'doctor', 'plan']) {
      const plain = await onTerminal(cwd, line, undefined, { NO_COLOR: '1' });
      expect(plain.shown).not.toContain('\u001b');
    }
  });

  test('the changes of an installation fit the width, and no word is broken', async () => {
    const cwd = testDir();
    const { shown } = await onTerminal(cwd, 'install claude-code', { after: '[y/N]', keys: 'n\n' });
    const lines = shown.split('\n');
    const hooks = lines.findIndex((line) => line.startsWith('  hooks '));
    expect(lines[hooks + 1]).toMatch(/^ {14}\S.*\bUserPromptSubmit\b/);
    expect(lines.filter((line) => line.length > 80 && !/^ *(?:\w+ +)?\S+$/.test(line))).toEqual([]);
  });

  test('Ctrl-C goes to the command: its output is kept, and its exit code is ours', async () => {
    const cwd = testDir();
    const script = `'trap "echo bye; exit 5" INT; echo started; sleep 30 & wait; echo no'`;
    const { shown, exitCode } = await onTerminal(cwd, `run --scratchpad cut sh -c ${script}`, {
      after: 'started',
      keys: '\u0003',
    });
    expect(exitCode).toBe(5);
    expect(shown).toMatch(/^started\n\^Cbye\nkept as cut\n$/);
    expect((await runWarm(['entry', 'read', 'cut'], { cwd })).stdout).toBe('started\nbye\n');
  });

  test('a command may ask a question and gets the answer', async () => {
    const cwd = testDir();
    const { shown } = await onTerminal(cwd, `run sh -c 'printf "sure? "; read a; echo "you said $a"'`, {
      after: 'sure? ',
      keys: 'yes\n',
    });
    expect(shown).toMatch(/^sure\? yes\nyou said yes\nnothing was kept; --scratchpad NAME keeps it/);
  });
});
