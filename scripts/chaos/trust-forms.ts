import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyProgram, freshDir, removeAll, report } from './rig.ts';

/**
 * Whether an approved command runs a script that has changed since: in each form the command is approved and run,
 * then a file that it runs is changed, and the program runs again. Nothing in the changed file may be executed.
 *
 *     npm run build && npx tsx scripts/chaos/trust-forms.ts
 */
interface Form {
  command: readonly string[];
  /** `RUN` is replaced with what the honest script does. A name that ends in `@` is a link to its content. */
  files: Readonly<Record<string, string>>;
  /** The file that changes; by default the first one. */
  changes?: string;
  /** Programs that must be installed for the form to be tried. */
  needs?: string;
  env?: Readonly<Record<string, string>>;
}

const SH = '#!/bin/sh\nRUN\n';
const JS = "require('fs').writeFileSync('RESULT', '');\n";
const PY = "open('RESULT', 'w')\n";
const x = { 'x.sh': SH };

const FORMS: readonly Form[] = [
  { command: ['./x.sh'], files: x },
  { command: ['sh', 'x.txt'], files: { 'x.txt': SH } },
  { command: ['sh', '-e', 'x.md'], files: { 'x.md': SH } },
  { command: ['sh', '-c', './x.sh | head'], files: x },
  { command: ['sh', '-c', '. ./x.txt'], files: { 'x.txt': SH } },
  { command: ['sh', '-c', 'cd tools && sh *'], files: { 'tools/a': SH } },
  { command: ['sh', '-c', 'sh "$(ls tools/*)"'], files: { 'tools/a.md': SH } },
  { command: ['bash', '-c', 'source tools/x'], files: { 'tools/x': SH } },
  { command: ['bash', '--rcfile', 'x.txt', '-i', '-c', 'true'], files: { 'x.txt': SH } },
  { command: ['bash', '-lc', 'bash < x.txt'], files: { 'x.txt': SH } },
  { command: ['eval', 'sh ./x.sh'], files: x },
  { command: ['.', './x.txt'], files: { 'x.txt': SH } },
  { command: ['env', 'A=1', 'sh', 'x.sh'], files: x },
  { command: ['env', '-S', 'sh x.sh'], files: x },
  { command: ['/usr/bin/env', 'ENV=./x.txt', 'sh', '-i', '-c', 'true'], files: { 'x.txt': SH } },
  { command: ['timeout', '5', './x.sh'], files: x },
  { command: ['nice', 'sh', 'x.sh'], files: x },
  { command: ['nohup', 'sh', 'x.sh'], files: x },
  { command: ['setsid', '-w', 'sh', 'x.sh'], files: x },
  { command: ['xargs', '-a', 'list.txt', '-n1', 'sh'], files: { 'x.md': SH, 'list.txt': 'x.md\n' } },
  { command: ['find', '.', '-name', 'x.*', '-exec', 'sh', '{}', ';'], files: { 'deep/er/x.md': SH } },
  { command: ['make'], files: { Makefile: 'all:\n\t@RUN\n' }, needs: 'make' },
  { command: ['make', '-f', 'all.txt'], files: { 'all.txt': 'all:\n\t@RUN\n' }, needs: 'make' },
  {
    command: ['make', '-C', 'tools'],
    files: { 'tools/rules.mk': 'all:\n\t@RUN\n', 'tools/Makefile': 'include rules.mk\n' },
    needs: 'make',
  },
  {
    command: ['npm', 'run', '-s', 'x'],
    files: { 'package.json': '{"scripts": {"x": "RUN"}}\n' },
    needs: 'npm',
  },
  {
    command: ['npm', 'run', '-s', 'x'],
    files: { 'x.js': JS, 'package.json': '{"scripts": {"x": "node x"}}\n' },
    needs: 'npm',
  },
  {
    command: ['npx', '--no', 'tool'],
    files: { 'node_modules/.bin/tool': SH, 'package.json': '{}' },
    needs: 'npx',
  },
  { command: ['node', 'tools/focus'], files: { 'tools/focus.js': JS } },
  { command: ['node', 'tools'], files: { 'tools/index.js': JS } },
  {
    command: ['node', 'tools'],
    files: { 'tools/main.cjs': JS, 'tools/package.json': '{"main": "main.cjs"}' },
  },
  { command: ['node', '--require=./x.js', '-e', '0'], files: { 'x.js': JS } },
  { command: ['node', '-r', './x', 'y.js'], files: { 'x.js': JS, 'y.js': '' } },
  {
    command: ['node', '--import', './x.mjs', 'y.js'],
    files: { 'x.mjs': "import('fs').then((fs) => fs.writeFileSync('RESULT', ''));\n", 'y.js': '' },
  },
  { command: ['node', '-e', "require('./lib/x')"], files: { 'lib/x.js': JS } },
  { command: ['node', 'y.js'], files: { 'lib/x.json.js': JS, 'y.js': "require('./lib/x.json');\n" } },
  { command: ['node', 'y.js'], files: { 'node_modules/dep/index.js': JS, 'y.js': "require('dep');\n" } },
  { command: ['node', '--test', 'tools'], files: { 'tools/x.test.js': JS } },
  { command: ['python3', '-m', 'x'], files: { 'x.py': PY }, needs: 'python3' },
  { command: ['python3', '-m', 'tools.x'], files: { 'tools/x.py': PY }, needs: 'python3' },
  { command: ['python3', '-I', 'x.py'], files: { 'x.py': PY }, needs: 'python3' },
  { command: ['python3', 'tools'], files: { 'tools/__main__.py': PY }, needs: 'python3' },
  { command: ['python3', '-c', 'import x'], files: { 'x.py': PY }, needs: 'python3' },
  {
    command: ['python3', 'y.py'],
    files: { 'enum.py': '', 'y.py': 'import json\n' },
    changes: 'enum.py',
    needs: 'python3',
  },
  {
    command: ['python3', 'y.py'],
    files: { 'lib/x.py': PY, 'lib/__init__.py': '', 'y.py': 'from lib import x\n' },
    needs: 'python3',
  },
  {
    command: ['perl', '-I.', '-Mx', '-e', '1'],
    files: { 'x.pm': "open(F, '>', 'RESULT'); 1;\n" },
    needs: 'perl',
  },
  { command: ['perl', 'x.md'], files: { 'x.md': "open(F, '>', 'RESULT');\n" }, needs: 'perl' },
  { command: ['perl', '-e', "do './x.txt'"], files: { 'x.txt': "open(F, '>', 'RESULT');\n" }, needs: 'perl' },
  { command: ['awk', '-f', 'x.txt'], files: { 'x.txt': 'BEGIN { system("RUN") }\n' } },
  { command: ['sed', '-n', '-f', 'x.txt', 'y.md'], files: { 'x.txt': 'e RUN\n', 'y.md': 'a\n' } },
  {
    command: ['sort', '--compress-program=./x.sh', '-S', '1k', 'y.md'],
    files: { ...x, 'y.md': 'b\na\n'.repeat(9000) },
  },
  { command: ['./link'], files: { 'tools/x': SH, 'link@': 'tools/x' } },
  { command: ['sh', 'link/x'], files: { 'tools/x': SH, 'link@': 'tools' } },
  { command: ['./y.sh'], files: { 'lib.txt': 'RUN\n', 'y.sh': '#!/bin/sh\n. ./lib.txt\n' } },
  {
    command: ['./y.sh'],
    files: { 'lib/a.sh': 'RUN\n', 'y.sh': '#!/bin/sh\nfor f in lib/*; do . "$f"; done\n' },
  },
  {
    command: ['tools/y.sh'],
    files: { 'lib/a': 'RUN\n', 'tools/y.sh': '#!/bin/sh\n. "$(dirname "$0")/../lib/a"\n' },
  },
  {
    command: ['tools/y'],
    files: { 'tools/sub/x.js': JS, 'tools/y': "#!/usr/bin/env node\nrequire('./sub/x')\n" },
  },
  { command: ['./y'], files: { 'tools/run': '#!/bin/sh\nRUN\n', y: '#!tools/run\n' } },
  { command: ['tool'], files: { 'bin/tool': SH }, env: { PATH: 'bin' } },
  { command: ['sh', 'y.sh'], files: { 'bin/tool': SH, 'y.sh': 'tool\n' }, env: { PATH: 'bin' } },
  { command: ['git', '-c', 'alias.x=!sh ./x.sh', 'x'], files: x },
  {
    command: ['git', 'status'],
    files: {
      'watch.sh': SH,
      '.git/config': '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ./watch.sh\n',
    },
  },
  {
    command: ['git', 'log'],
    files: {
      'more.cfg': '[core]\n\tx = 1\n',
      '.git/config': '[core]\n\trepositoryformatversion = 0\n[include]\n\tpath = ../more.cfg\n',
    },
  },
  { command: ['vim', '-es', '-S', 'x.txt'], files: { 'x.txt': ':!RUN\n:q\n' }, needs: 'vim' },
  {
    command: ['deno', 'run', '-A', 'x.ts'],
    files: { 'x.ts': "Deno.writeTextFileSync('RESULT', '');\n" },
    needs: 'deno',
  },
  { command: ['cat', 'x.sh'], files: x },
];

const MESSAGES = JSON.stringify([{ role: 'user', content: 'hello', timestamp: '2026-02-06T01:00:00Z' }]);

const program = copyProgram();
const failures: string[] = [];
const figures = { forms: 0, 'ran when approved': 0, 'not installed here': 0, 'ran changed': 0 };

for (const form of FORMS) {
  figures.forms += 1;
  const root = freshDir('trust');
  const [cwd, out] = [join(root, 'work'), join(root, 'out')];
  mkdirSync(out);
  const put = (path: string, result: string, text = form.files[path] ?? ''): void => {
    const at = join(cwd, path.replace(/@$/, ''));
    mkdirSync(dirname(at), { recursive: true });
    const content = text
      .replaceAll('RUN', `touch ${join(out, result)}`)
      .replaceAll('RESULT', join(out, result));
    rmSync(at, { force: true });
    if (path.endsWith('@')) symlinkSync(content, at);
    else writeFileSync(at, content);
    if (!path.endsWith('@') && !/\.(?:txt|md)$/.test(path)) chmodSync(at, 0o755);
  };
  mkdirSync(join(cwd, '.scratchpad'), { recursive: true });
  if (form.command[0] === 'git') spawnSync('git', ['init', '-q'], { cwd });
  for (const path of Object.keys(form.files)) put(path, 'before');
  const [command, ...args] = form.command;
  writeFileSync(
    join(cwd, '.scratchpad/config.yaml'),
    JSON.stringify({ stages: { form: { command, args, timeout: '20s' } } }),
  );
  const env = {
    ...process.env,
    ...form.env,
    PATH: `${form.env?.PATH ? `${form.env.PATH}:` : ''}${process.env.PATH ?? ''}`,
    HOME: join(root, 'home'),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'home'),
    XDG_CACHE_HOME: join(root, 'cache'),
  };
  const run = (...words: string[]): string =>
    spawnSync(process.execPath, [program, ...words], { cwd, env, input: MESSAGES, encoding: 'utf8' }).stdout;
  const name = form.command.join(' ');
  run('trust');
  run('assemble', '--messages', '-');
  if (existsSync(join(out, 'before'))) figures['ran when approved'] += 1;
  else if (form.needs && spawnSync('which', [form.needs]).status !== 0) figures['not installed here'] += 1;
  else console.log(`not run when approved: ${name}`);
  // Running may have changed the workspace, so the final state is approved next.
  run('trust');
  const path = form.changes ?? Object.keys(form.files)[0] ?? '';
  const text = path === 'enum.py' ? PY : form.files[path];
  put(path, 'after', path === 'more.cfg' ? `[core]\n\tfsmonitor = "RUN;"\n` : text);
  const { commands } = JSON.parse(run('trust', '--show', '--json')) as {
    commands: { refused: string | null }[];
  };
  run('assemble', '--messages', '-');
  if (existsSync(join(out, 'after'))) {
    figures['ran changed'] += 1;
    failures.push(`${name}: ran ${path} as it was changed`);
  } else if (commands[0]?.refused === null) failures.push(`${name}: a change of ${path} leaves it approved`);
}
removeAll();
report('trust', figures, failures);
