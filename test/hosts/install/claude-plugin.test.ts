import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findExecutable } from '../../../src/hosts/install/program.ts';
import { git, testRepository } from '../../helpers/git.ts';
import { PROGRAM } from '../../helpers/run-cli.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

const SETTINGS = '{\n\t"permissions": {"allow": ["Bash(ls:*)"]},\n\t"model": "opus" }';
const FILE = '.claude/settings.local.json';

/** As the real one: it lays the settings out anew, and knows what is installed for which project. */
const FAKE = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
if (words[0] === '--version') return console.log((process.env.FAKE_VERSION ?? '2.1.332') + ' (Claude Code)');
appendFileSync(process.env.HOME + '/calls', process.cwd() + ' ' + words.join(' ') + '\\n');
if (process.env.FAKE_REFUSAL === words[1]) { console.error(words[1] + ' is not allowed here'); process.exit(1); }
const folder = process.env.HOME + '/.claude/plugins';
mkdirSync(folder, { recursive: true });
const file = folder + '/installed_plugins.json';
const { plugins } = existsSync(file) ? JSON.parse(readFileSync(file)) : { plugins: {} };
const [, verb, id] = words;
const others = (plugins[id] ?? []).filter(({ projectPath }) => projectPath !== process.cwd());
if (verb === 'install') {
  plugins[id] = [...others, { projectPath: process.cwd() }];
  writeFileSync('.claude/settings.local.json', '{"laid out": "anew"}');
}
if (verb === 'uninstall') plugins[id] = others;
writeFileSync(file, JSON.stringify({ version: 2, plugins }));
`;

/** A person with `scratchpad` on the PATH, and a `claude` that is the text of a program, or the path of one. */
function makePerson(cwd: string, claude?: string, home = testDir({ 'bin/': '' })) {
  const bin = join(home, 'bin');
  symlinkSync(PROGRAM, join(bin, 'scratchpad'));
  if (claude?.startsWith('#!')) {
    writeFileSync(join(bin, 'claude'), claude);
    chmodSync(join(bin, 'claude'), 0o755);
  } else if (claude !== undefined) symlinkSync(claude, join(bin, 'claude'));
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
  const run = (words: string, more: Record<string, string> = {}, where = cwd) =>
    runWarm(words.split(' '), { cwd: where, env: { ...env, ...more } });

  return { home, run, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}

const REAL = findExecutable('claude', process.env);

test.each([
  ['a stand-in', FAKE],
  ['the real one, if it is there', REAL],
])(
  'with %s its commands add the plugin; the layout stays; uninstalling restores the bytes',
  async (_, claude) => {
    if (claude === undefined) return;
    const cwd = testDir({ [FILE]: SETTINGS });
    const { home, run, read } = makePerson(cwd, claude);
    const done = await run('install claude-code --yes');
    expect([done.exitCode, done.stderr]).toEqual([0, '']);
    expect(read(FILE)).toContain('\t"model": "opus"');
    expect(read(FILE)).toContain('"scratchpad@scratchpad-package": true');
    expect(read(FILE)).not.toContain('"hooks"');
    const installed = (): string =>
      readFileSync(join(home, '.claude/plugins/installed_plugins.json'), 'utf8');
    expect(installed()).toContain(cwd);

    expect((await run('install claude-code --yes')).stdout).toContain('already installed');
    expect((await run('install claude-code --yes --hooks')).stderr).toContain('is installed');
    expect((await run('doctor')).stdout).toContain('plugin scratchpad@scratchpad-package');

    expect((await run('uninstall claude-code --yes')).exitCode).toBe(0);
    expect(read(FILE)).toBe(SETTINGS);
    expect(installed()).not.toContain(cwd);
  },
);

test('a settings file that was not there goes; another project that has the plugin keeps the marketplace', async () => {
  const [first, second] = [testDir(), testDir()];
  const { home, run } = makePerson(first, FAKE);
  for (const cwd of [first, second]) await run('install claude-code --yes', {}, cwd);
  writeFileSync(join(home, 'calls'), '');
  await run('uninstall claude-code --yes', {}, first);
  expect(existsSync(join(first, '.claude'))).toBe(false);
  expect(readFileSync(join(home, 'calls'), 'utf8')).not.toContain('marketplace remove');
  await run('uninstall claude-code --yes', {}, second);
  expect(readFileSync(join(home, 'calls'), 'utf8')).toContain('marketplace remove scratchpad-package');
});

test('where the host refuses the plugin nothing is left of it, and the hooks are named', async () => {
  const cwd = testDir({ [FILE]: SETTINGS });
  const { run, read } = makePerson(cwd, FAKE);
  const { exitCode, stderr } = await run('install claude-code --yes', { FAKE_REFUSAL: 'install' });
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(/install is not allowed here[\s\S]*scratchpad install claude-code --hooks/);
  expect(read(FILE)).toBe(SETTINGS);
});

test.each([
  ['an older claude', FAKE, '', { FAKE_VERSION: '2.1.286' }, 'needs Claude Code 2.1.287, this is 2.1.286'],
  ['a claude that does not answer', '#!/bin/sh\nexit 1\n', '', {}, 'not on the PATH'],
  ['no claude', undefined, '', {}, 'not on the PATH'],
  ['settings for everyone', FAKE, ' --scope project', {}, 'a path of this machine'],
  ['--hooks', FAKE, ' --hooks', {}, ''],
])('%s: hooks are installed, and the reason is said', async (_, claude, option, more, reason) => {
  const cwd = testDir();
  const { run, read } = makePerson(cwd, claude);
  const { stdout } = await run(`install claude-code --yes${option}`, more);
  const file = option.includes('project') ? '.claude/settings.json' : FILE;
  expect(read(file)).toContain('UserPromptSubmit');
  expect(stdout.includes('These are hooks, without a pane')).toBe(reason !== '');
  expect(stdout).toContain(reason);

  // Another installation of the same scope finds them, and stays with them.
  expect((await run(`install claude-code --yes${option.replace(' --hooks', '')}`)).stdout).toContain(
    'already installed',
  );
});

test.each([
  ['git tracks', 'the plugin names a path of this machine', '{}\n', true],
  ['have comments', "claude's own command refuses them", '{ // mine\n "model": "opus" }\n', false],
])('settings that %s get hooks: %s', async (_, __, text, isTracked) => {
  const cwd = isTracked ? testRepository() : testDir({ [FILE]: text });
  if (isTracked) {
    mkdirSync(join(cwd, '.claude'));
    writeFileSync(join(cwd, FILE), text);
    git(cwd, 'add', '-f', FILE);
  }
  const { run, read } = makePerson(cwd, FAKE);
  expect((await run('install claude-code --yes')).stdout).toContain('These are hooks, without a pane');
  expect(read(FILE)).toContain('UserPromptSubmit');
});
