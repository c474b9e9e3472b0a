import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listProgramFiles } from '../../src/config/trust.ts';
import { testDir } from '../helpers/test-dir.ts';

const FILES = {
  'x.sh': '#!/bin/sh\necho\n',
  'x.txt': 'echo\n',
  'y.sh': '#!/bin/sh\n. "$(dirname "$0")/lib/a.txt"\n',
  'lib/a.txt': 'echo\n',
  'tools/focus.js': "require('./sub');\n",
  'tools/Makefile': 'all:\n\techo\n',
  'mood.py': 'import json\n',
  'pack/age/__main__.py': '',
  'package.json': '{"scripts": {"x": "echo"}}\n',
  Makefile: 'all:\n\techo\n',
  'list.md': '- one\n',
  'list.txt': 'one\n',
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
  const runs = ([command = '', ...args]: readonly string[]) => listProgramFiles(root, { command, args }, env);
  return { root, change, runs };
}

describe('what a command runs', () => {
  test.each([
    [['./x.sh'], 'x.sh'],
    [['sh', 'x.txt'], 'x.txt'],
    [['sh', '-e', 'list.md'], 'list.md'],
    [['sh', '-c', './x.sh | head'], 'x.sh'],
    [['env', 'A=1', 'sh', 'x.txt'], 'x.txt'],
    [['timeout', '5', './x.sh'], 'x.sh'],
    [['node', 'tools/focus.js'], 'tools/focus.js'],
    [['node', '--require=./tools/focus.js', '-e', '1'], 'tools/focus.js'],
    [['python3', 'mood.py'], 'mood.py'],
    [['python3', '-u', '-m', 'mood'], 'mood.py'],
    [['python3', '-m', 'pack.age'], 'pack/age/__main__.py'],
    [['make'], 'Makefile'],
    [['make', '-f', 'x.txt'], 'x.txt'],
    [['make', '-C', 'tools'], 'tools/Makefile'],
    [['npm', 'run', '-s', 'x'], 'package.json'],
    [['sh', '-c', 'npm run x'], 'package.json'],
  ])('%j: %s, and what that reaches is not asked about', (command, path) => {
    const { change, runs } = workspace();
    const before = runs(command);
    expect(before.map((file) => file.path)).toContain(path);
    change('src/other.c');
    change('lib/a.txt');
    change('tools/sub/index.js');
    expect(runs(command)).toEqual(before);
    change(path);
    expect(runs(command)).not.toEqual(before);
  });

  test('a file that is only there after the approval counts', () => {
    const { change, runs } = workspace();
    const before = runs(['make']);
    change('GNUmakefile');
    expect(runs(['make'])).not.toEqual(before);
  });

  test('a package.json above the workspace, as far as the repository goes', () => {
    const top = testDir({ '.git/HEAD': '', 'package.json': '{}', 'app/x': '' });
    const files = listProgramFiles(join(top, 'app'), { command: 'npm', args: ['test'] }, {});
    expect(files.map(({ path }) => path)).toEqual(['../package.json']);
  });

  test('a program that the PATH finds in the workspace is one of its files', () => {
    const { change, runs } = workspace({ PATH: `bin:${process.env.PATH}` });
    expect(runs(['date'])).toEqual([]);
    change('bin/date', 0o755);
    expect(runs(['date'])).toMatchObject([{ path: 'bin/date' }]);
  });

  test.each([
    [['cat', 'list.txt']],
    [['weather', 'list.md']],
    [['git', 'log', '-3']],
    [['sh', '-c', 'khal list | head']],
  ])('%j: nothing of the workspace', (command) => {
    expect(workspace().runs(command)).toEqual([]);
  });
});
