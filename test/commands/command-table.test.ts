import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/commands/program.ts';
import { git } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** What the last call said, on stdout and stderr. */
let said = '';

/** A call of every command that does, or would do, something. `undefined`: it runs until it is ended, or waits for a host. */
const CALLS: Record<string, string[] | undefined> = {
  init: [],
  show: [],
  edit: ['plan'],
  search: ['word'],
  context: [],
  merge: ['none', 'none', 'none'],
  check: [],
  status: [],
  'notes show': [],
  'notes add': ['x'],
  'notes set': ['x'],
  'notes edit': ['1', 'x'],
  'notes replace': ['a', 'b'],
  'notes remove': ['1'],
  'notes clear': [],
  'plan show': [],
  'plan next': [],
  'plan add': ['x'],
  'plan set': ['1. x'],
  'plan edit': ['1', 'x'],
  'plan done': ['1'],
  'plan undone': ['1'],
  'plan current': ['1'],
  'plan remove': ['1'],
  'plan move': ['1', '2'],
  'plan clear': [],
  'plan take': [],
  'refs show': [],
  'refs add': ['x'],
  'refs set': ['x'],
  'refs remove': ['x'],
  'refs clear': [],
  history: [],
  diff: [],
  undo: [],
  redo: [],
  assemble: [],
  'memory search': ['x'],
  'memory index': [],
  'memory status': [],
  mood: [],
  line: undefined,
  report: [],
  feedback: ['shorter please'],
  audit: [],
  'handover show': [],
  'handover forget': ['1'],
  'transcript list': [],
  'transcript show': [],
  install: ['cron', '--dry-run'],
  uninstall: ['claude-code', '--dry-run'],
  guidance: [],
  doctor: [],
  hook: undefined,
  watch: undefined,
  schedule: undefined,
  tool: ['scratchpad_list'],
  mcp: undefined,
  'entry write': ['a', 'x'],
  'entry read': ['a'],
  'entry edit': ['a', '--content', 'x'],
  'entry list': [],
  'entry delete': ['a'],
  'entry undelete': ['a'],
  'entry rename': ['a', 'b'],
  run: ['--scratchpad', 'a', '--', 'true'],
  'session list': [],
  'session fork': ['main', 'child'],
  'session spawn': ['main', 'child'],
  'session archive': ['other'],
  'session prune': [],
  'session delete': ['other'],
  'session restore': ['--from', '../note.txt'],
  'session persist': ['--to', '../note.txt'],
  'store status': ['--offline'],
  'store join': [],
  'store pull': [],
  'store migrate': [],
  'store forget': ['main'],
  'store sync': [],
  'config list': [],
  'config get': ['ttl'],
  'config set': ['ttl', '1h'],
  'config unset': ['ttl'],
  'config check': [],
  trust: ['--show'],
};

/** Commands whose `--session` names the session of a host, or nothing, or that are refused before it matters. */
const NOT_A_PAD = new Set([
  ...['status', 'join', 'pull', 'migrate', 'forget', 'sync'].map((name) => `store ${name}`),
  ...['guidance', 'merge', 'trust', 'transcript list', 'transcript show', 'mood', 'handover show'],
  ...['handover forget', 'memory search', 'memory status', 'session restore'],
]);

const ASKED = new Set(['init']);
const WALKED = Object.entries(CALLS).flatMap(([name, args]) =>
  args === undefined ? [] : [{ name, argv: [...name.split(' '), ...args] }],
);

async function run(argv: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<number> {
  const done = await runWarm(argv, { cwd, env: { EDITOR: 'true', SCRATCHPAD_INIT: '', ...env } });
  said = done.stdout + done.stderr;
  return done.exitCode;
}

/** Every file below a folder with its content. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/'))
    .sort()
    .map((path) => {
      const full = join(folder, path);
      return statSync(full).isDirectory() ? `${path}/` : `${path}: ${readFileSync(full, 'utf8')}`;
    });
}

test('every command of the program is in the table', async () => {
  const names: string[] = [];
  const walk = (command: Command, path: string[]): void => {
    if (command.commands.length === 0) names.push(path.join(' '));
    for (const child of command.commands) walk(child, [...path, child.name()]);
  };
  walk(await buildProgram(), []);
  expect(Object.keys(CALLS).sort()).toEqual(names.sort());
});

describe('nothing is created unless asked for', () => {
  test('in an empty directory', async () => {
    for (const { name, argv } of WALKED) {
      const root = testDir({ 'here/': '', 'note.txt': 'x' });
      const code = await run(argv, join(root, 'here'));
      expect([name, readdirSync(join(root, 'here')).length > 0]).toEqual([name, ASKED.has(name)]);
      // Whoever is refused is told how to begin.
      if (/no scratchpad here: nothing was written/.test(said))
        expect([name, code, said]).toEqual([name, 1, expect.stringContaining('scratchpad init')]);
    }
  });

  test('in a directory below a workspace: the workspace is used, and the answer names it', async () => {
    const root = testDir({ 'note.txt': 'x', 'below/': '' });
    await run(['init'], root);
    for (const { name, argv } of WALKED.filter((call) => !ASKED.has(call.name))) {
      await run(argv, join(root, 'below'));
      const made = filesIn(join(root, 'below'));
      expect([name, made]).toEqual([name, []]);
    }
  });

  test('a change made from below names the file', async () => {
    const root = testDir({ 'below/': '' });
    await run(['init'], root);
    expect(await run(['notes', 'add', 'found it'], join(root, 'below'))).toBe(0);
    expect(said).toContain('in ../SCRATCHPAD.md');
    expect(readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8')).toContain('found it');
  });

  test('in a repository inside a workspace: neither there nor in the workspace', async () => {
    const root = testDir({ 'note.txt': 'x' });
    await run(['init'], root);
    await run(['notes', 'set', 'of the parent'], root);
    const inner = join(root, 'inner');
    mkdirSync(inner);
    git(inner, 'init', '-q');
    const before = filesIn(root);
    for (const { name, argv } of WALKED.filter((call) => !ASKED.has(call.name))) {
      await run(argv, inner);
      expect([name, filesIn(root)]).toEqual([name, before]);
      expect([name, said]).toEqual([name, expect.not.stringContaining('of the parent')]);
    }
  });

  test('with an unknown session: refused, with the name that was probably meant', async () => {
    const root = testDir({ 'here/': '', 'note.txt': 'x' });
    const cwd = join(root, 'here');
    await run(['init'], cwd);
    await run(['notes', 'set', 'x', '--session', 'review', '--init'], cwd);
    const sessions = (): string[] => readdirSync(join(cwd, '.scratchpad/sessions')).sort();
    expect(sessions()).toContain('review');
    for (const { name, argv } of WALKED) {
      const before = filesIn(cwd);
      const code = await run(['--session', 'reveiw', ...argv], cwd);
      expect([name, sessions()]).toEqual([name, expect.not.arrayContaining(['reveiw'])]);
      if (NOT_A_PAD.has(name)) continue;
      expect([name, code, said]).toEqual([name, 1, expect.stringContaining('perhaps review')]);
      expect([name, filesIn(cwd)]).toEqual([name, before]);
    }
  });
});

test('a refused change of a new session leaves nothing of it', async () => {
  const cwd = testDir({ '.scratchpad/': '' });
  for (const argv of [['plan', 'done', '1'], ['undo'], ['notes', 'delete', 'a'], ['entry', 'delete', 'a']]) {
    expect([argv, await run(argv, cwd)]).toEqual([argv, 1]);
    expect([argv, filesIn(cwd)]).toEqual([argv, ['.scratchpad/']]);
  }
});

test('the search for a workspace does not enter the home directory from below', async () => {
  const home = testDir({ 'project/': '' });
  await run(['init'], home);
  const below = join(home, 'project');
  const env = { HOME: home };
  expect(await run(['notes', 'add', 'x'], below, env)).toBe(1);
  expect(await run(['notes', 'add', 'x'], home, env)).toBe(0);
});

test('the first use of a pad keeps it from git as init does', async () => {
  const cwd = testDir();
  git(cwd, 'init', '-q');
  expect(await run(['--init', 'notes', 'add', 'x'], cwd)).toBe(0);
  expect(git(cwd, 'status', '--porcelain')).toBe('');
  writeFileSync(join(cwd, 'a.txt'), '');
  expect(git(cwd, 'status', '--porcelain')).toBe('?? a.txt');
});
