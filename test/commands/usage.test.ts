import { describe, expect, test } from 'vitest';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

describe('a line that is not understood is answered in the form of every error', () => {
  test.each([
    [
      ['nonsense'],
      "scratchpad: unknown command 'nonsense'\n  next:     scratchpad --help shows the commands\n",
    ],
    [
      ['nots', 'show'],
      "scratchpad: unknown command 'nots'\n  expected: perhaps scratchpad notes\n  next:     scratchpad --help shows the commands\n",
    ],
    [
      ['notes', 'edit', '1', 'two', 'words'],
      "scratchpad: too many arguments for 'edit'. Expected 2 arguments but got 3.\n  expected: fewer words; put a text of several words in quotes\n  next:     scratchpad notes edit --help shows what it takes\n",
    ],
    [
      ['plan', 'current'],
      "scratchpad: missing required argument 'step'\n  expected: scratchpad plan current <step>\n  next:     scratchpad plan current --help shows what it takes\n",
    ],
    [
      ['assemble', '--ttl', 'forever'],
      'scratchpad: not a duration\n  where:    --ttl\n  expected: a positive number with s, m, h or d: 90s, 30m, 2h\n  found:    forever\n',
    ],
    [
      ['config', 'set', 'stages.x', '{bad'],
      'scratchpad: stages.x is not valid\n  where:    stages.x\n  expected: a program, or JSON such as ["date", "+%A"] or {"command": "date", "args": ["+%A"]}\n  found:    {bad\n',
    ],
  ])('%j', async (args, stderr) => {
    const cwd = testDir({ 'MEMORY.md': '' });
    expect(await runWarm(args, { cwd })).toEqual({ stdout: '', stderr, exitCode: 2 });
  });
});

test('config list shows values as they are written', async () => {
  const { stdout } = await runWarm(['config', 'list'], { cwd: testDir() });
  expect(stdout).toMatch(/^ttl +30m$/m);
  expect(stdout).toMatch(/^feedback\.lasts +14d$/m);
  expect(stdout).toMatch(/^alerts\.brief +on$/m);
});
