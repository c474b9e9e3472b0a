import { expect, test } from 'vitest';
import { errorLines } from '../../src/entries/spill.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

test.each([
  'ERROR: migration 0042 failed: column exists',
  '2026-11-23 10:00:01,204 ERROR could not connect',
  '[2026-11-23T10:00:01Z] FATAL out of disk space',
  'src/app.ts:12:5 - error TS2345: Argument of type',
  'error[E0382]: borrow of moved value',
  'fatal: not a git repository',
  'sqlalchemy.exc.OperationalError: no such table',
  'TypeError: x is not a function',
  'Traceback (most recent call last):',
  'npm ERR! code ELIFECYCLE',
  'FAILED tests/test_cart.py::test_total - assert 1 == 2',
  'make: *** [Makefile:3: all] Error 2',
])('an error: %s', (line) => {
  expect(errorLines(`fine\n${line}\nfine\n`, 10)).toBe(`line 11: ${line}`);
});

test.each([
  'applying step 12, 0 errors so far',
  'src/errors/error.ts',
  'error_log.txt: 12 lines',
  'ERROR_CODES = {',
  'Failed: 0, passed: 12',
  'throw new TypeError("no")',
  '  "error": null,',
  'panic button pressed',
])('no error: %s', (line) => {
  expect(errorLines(`${line}\n`, 1)).toBeUndefined();
});

test('three are shown, each once, and shortened', () => {
  const text = Array.from({ length: 7 }, (_, k) => `Error: ${k % 5} ${'x'.repeat(300)}`).join('\n');
  const shown = errorLines(text, 1) ?? '';
  expect(shown).toMatch(/^line 1: Error: 0 .* · line 2: .* · line 3: .* · and 2 more$/);
  expect(shown.length).toBeLessThan(500);
});

test('a preview names the errors that it leaves out, from a command and from a tool of a host', async () => {
  const cwd = testDir();
  const script =
    'seq 1 9000; echo "ERROR: migration 0042 failed"; seq 9001 18000; echo "ERROR: rolled back" >&2';
  const among = 'characters left out, among them line 9001: ERROR: migration 0042 failed …]';
  const ran = await runWarm(['run', '--', 'sh', '-c', script], { cwd });
  expect(ran.stdout).toContain(among);
  const stdout = (await runWarm(['entry', 'read', 'execute_command_1', '--raw'], { cwd })).stdout;
  const response = { stdout, stderr: '', interrupted: false, isImage: false };
  const called = { tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: response };
  const input = JSON.stringify({ session_id: 's1', cwd, ...called });
  const told = await runWarm(['hook', 'claude-code', 'PostToolUse'], { cwd, input });
  expect(told.stdout).toContain(among);
});
