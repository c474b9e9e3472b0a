import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { whatRuns } from '../../src/config/runs.ts';
import { testDir } from '../helpers/test-dir.ts';

const FILES = {
  'x.sh': '#!/bin/sh\necho\n',
  'x.txt': 'echo\n',
  'y.sh': '#!/bin/sh\n. "$(dirname "$0")/lib/a.txt"\nfor f in parts/*; do sh "$f"; done\n',
  'lib/a.txt': 'echo\n',
  'parts/one': 'echo\n',
  'tools/focus.js': "require('./sub');\nrequire('dep');\n",
  'tools/sub/index.js': '',
  'node_modules/dep/main.js': '',
  'mood.py': 'import json\n',
  Makefile: 'all:\n\techo\n',
  'list.md': '- one\n',
  'src/other.c': '',
};

function workspace(env: NodeJS.ProcessEnv = { PATH: process.env.PATH }) {
  const root = testDir(FILES);
  chmodSync(join(root, 'x.sh'), 0o755);
  chmodSync(join(root, 'y.sh'), 0o755);
  const change = (path: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '#!/bin/sh\necho changed\n');
    chmodSync(join(root, path), mode);
  };
  const runs = ([command = '', ...args]: readonly string[], own = false) =>
    whatRuns(root, { key: 'stages.x', id: 'x', command, args, origin: '' }, own, env);
  return { change, runs };
}

describe('what a command runs', () => {
  test.each([
    [['sh', 'x.txt'], 'x.txt'],
    [['./y.sh'], 'lib/a.txt'],
    [['./y.sh'], 'parts/two'],
    [['node', 'tools/focus.js'], 'tools/sub/index.js'],
    [['node', 'tools/focus.js'], 'node_modules/dep/main.js'],
    [['python3', 'mood.py'], 'enum.py'],
  ])('%j: files are told one by one, %s among them', (command, path) => {
    const { change, runs } = workspace();
    const before = runs(command);
    expect(before.because).toBeUndefined();
    change('src/other.c');
    change('SCRATCHPAD.md');
    expect(runs(command)).toEqual(before);
    change(path);
    expect(runs(command)).not.toEqual(before);
  });

  test.each([
    [['sh', '-c', './x.sh | head'], 'x.sh'],
    [['env', 'A=1', 'sh', 'x.txt'], 'x.txt'],
    [['make'], 'Makefile'],
    [['npm', 'run', 'x'], 'package.json'],
    [['node', 'tools/focus'], 'tools/focus.js'],
    [['node', '--require=./tools/focus.js', 'x.js'], 'tools/focus.js'],
    [['python3', '-m', 'mood'], 'mood.py'],
    [['find', '.', '-exec', 'sh', '{}', ';'], 'deep/er/new'],
    [['find', '.', '-exec', 'sh', '{}', ';'], '.scratchpad/new.sh'],
    [['./no-script'], 'src/other.c'],
  ])('%j: not told one by one, so any change counts', (command, path) => {
    const { change, runs } = workspace();
    const before = runs(command);
    expect(before.because).toMatch(/.`/);
    change('SCRATCHPAD.md');
    change('.scratchpad/sessions/main/journal.jsonl');
    expect(runs(command)).toEqual(before);
    change(path);
    expect(runs(command)).not.toEqual(before);
  });

  test('a program that the PATH finds in the workspace is one of its files', () => {
    const { change, runs } = workspace({ PATH: `bin:${process.env.PATH}` });
    expect(runs(['date'], true).files).toEqual([]);
    change('bin/date', 0o755);
    expect(runs(['date'], true).files).toMatchObject([{ path: 'bin/date' }]);
  });

  test.each([
    [['cat', 'list.md'], false],
    [['git', 'log', '-3'], true],
    [['weather', '--city', 'Berlin'], true],
    [['sh', '-c', 'khal list | head'], true],
  ])('%j, of the own config %s: nothing of the workspace', (command, own) => {
    const { runs } = workspace();
    expect(runs(command, own)).toEqual({ files: [] });
  });

  test.each([[['make']], [['python3', '-m', 'mood']], [['sh', '-c', 'sh *']]])(
    '%j needs an approval, whoever names it',
    (command) => {
      expect(workspace().runs(command, true).everything).toBeDefined();
    },
  );
});
