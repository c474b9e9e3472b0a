import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { openScratchpad } from '../../src/index.ts';
import { git, testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const pad = (cwd: string): string => readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
const start = async (cwd: string): Promise<string> => {
  const input = JSON.stringify({ session_id: 's', cwd, hook_event_name: 'SessionStart', source: 'startup' });
  return (await runWarm(['hook', 'claude-code', 'SessionStart'], { cwd, input })).stdout;
};

test("of somebody's own file init names what it took over and what it left, and changes no line", async () => {
  const theirs =
    '# Home lab\n\n## TODO:\n- [x] One\n- [ ] Two\n\n---\n\n### Notes\nA note\n\n# References\n- https://example.com\n\n' +
    '## Log\nThe zebra cache is off.\n';
  const cwd = testDir({ 'SCRATCHPAD.md': theirs });
  const { stdout } = await runWarm(['init'], { cwd });
  expect(stdout).toContain('uses the existing file');
  expect(stdout).toContain('taken over as plan: "## TODO:" (line 3, 2 lines)');
  expect(stdout).toContain('taken over as notes: "### Notes" (line 9, 1 line)');
  expect(stdout).toContain('taken over as refs: "# References" (line 12, 1 line)');
  expect(stdout).toContain(
    'left as your own text, which models are not told and scratchpad search finds: 4 lines (Home lab, Log)',
  );
  const lines = pad(cwd).split('\n');
  expect(theirs.split('\n').filter((line) => !lines.includes(line))).toEqual([]);
  expect((await runWarm(['next'], { cwd })).stdout).toBe('2. Two\n');
  expect((await runWarm(['search', 'zebra'], { cwd })).stdout).toMatch(
    /^SCRATCHPAD\.md:\d+: The zebra cache is off\.\n$/,
  );

  const before = pad(cwd);
  expect((await runWarm(['undo'], { cwd })).stderr).toContain('nothing to undo');
  expect(pad(cwd)).toBe(before);
  await runWarm(['done', '2'], { cwd });
  await runWarm(['undo'], { cwd });
  expect((await runWarm(['plan'], { cwd })).stdout).toBe('- [x] One\n- [ ] Two\n');
});

test.each([
  ['## 1. Plan\n- [ ] Fix\n\n## 2. Notes\nx\n', '## 1. Plan', '## 2. Notes'],
  ['## Current plan\n- [ ] Fix\n\n## Findings:\nx\n', '## Current plan', '## Findings:'],
  ['## TODO (today)\n- [ ] Fix\n\n## 🗒️ My notes\nx\n', '## TODO (today)', '## 🗒️ My notes'],
  ['# Plan\n\n## Tasks\n- [ ] Fix\n\n## Notes\nx\n', '# Plan', '## Notes'],
  ['Mine\n====\n\nPlan\n----\n- [ ] Fix\n\nNotes\n-----\nx\n', 'Plan', 'Notes'],
  ['## To-do list\n- [ ] Fix\n\n## Notes\nx\n', '## To-do list', '## Notes'],
])('init takes over plan and notes of %j', async (theirs, plan, notes) => {
  const cwd = testDir({ 'SCRATCHPAD.md': theirs });
  const { stdout } = await runWarm(['init'], { cwd });
  expect(stdout).toContain(`taken over as plan: "${plan}"`);
  expect(stdout).toContain(`taken over as notes: "${notes}"`);
  expect((await runWarm(['next'], { cwd })).stdout).toBe('1. Fix\n');
});

test('a paragraph above a rule is a step of the plan, and no heading', async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '## Plan\nFix the login\n---\n\n## Notes\nx\n' });
  await runWarm(['init'], { cwd });
  expect((await runWarm(['plan'], { cwd })).stdout).toBe('Fix the login\n');
});

test('init names a file whose name differs in case, and the line by which git sees the pad', async () => {
  const cwd = testRepository({ '.gitignore': '*\n!*.md\n', 'scratchpad.md': 'mine\n' });
  const { stdout, stderr } = await runWarm(['init'], { cwd });
  expect(stdout).not.toContain('excluded from commits');
  expect(stderr).toContain('scratchpad.md is another file, which is not read');
  expect(stderr).toMatch(/"!\*\.md" in .*\.gitignore makes git see SCRATCHPAD\.md/);
  expect(git(cwd, 'status', '--porcelain', '--untracked-files=all')).toBe('?? SCRATCHPAD.md');
  const kept = testRepository({ '.gitignore': '!*.md\nSCRATCHPAD.*\n' });
  expect((await runWarm(['init'], { cwd: kept })).stdout).toContain('excluded from commits');
});

test("a model is told that the rest of the file is the person's, not that the file is empty", async () => {
  const cwd = testDir({ 'SCRATCHPAD.md': '# Scratchpad\n\n## Decisions\n- The zebra cache is off.\n' });
  await runWarm(['init'], { cwd });
  const told = await start(cwd);
  expect(told).toContain(
    "Plan, notes and refs of SCRATCHPAD.md are empty; the rest of the file is the person's own text.",
  );
  expect(told).not.toContain('scratchpad is empty');
  const fresh = testDir();
  await runWarm(['init'], { cwd: fresh });
  expect(await start(fresh)).toContain('The scratchpad is empty.');
});

test('fields of front matter that somebody else began keep their values', async () => {
  const fields =
    'title: Home lab\nupdated: 2026-02-16   # by hand\nttl: 90 days\nexpires: never\nrevision: C\n';
  const cwd = testDir({ 'SCRATCHPAD.md': `---\n${fields}---\n\n# My pad\n` });
  for (const command of [['init'], ['note', 'found it'], ['assemble'], ['note', 'more']])
    expect((await runWarm(command, { cwd })).exitCode).toBe(0);
  expect(pad(cwd)).toContain(`---\n${fields}`);
  expect((await runWarm(['notes'], { cwd })).stdout).toBe('found it\nmore\n');
});

test('of a file that git tracks init says that commits will have it', async () => {
  const cwd = testDir();
  writeFileSync(join(cwd, 'SCRATCHPAD.md'), '# Ours\n');
  await execa('git', ['init', '-q'], { cwd });
  await execa('git', ['add', 'SCRATCHPAD.md'], { cwd });
  await execa('git', ['-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 's'], { cwd });
  const { stdout, stderr } = await runWarm(['init'], { cwd });
  expect(stdout).not.toContain('excluded from commits');
  expect(stderr).toContain('git tracks SCRATCHPAD.md');
});

test('show prints the file, also where newer plans and states are known; undo takes back a save of two spaces at once', async () => {
  const cwd = testDir();
  const run = (...words: string[]) => runWarm(words, { cwd });
  await run('plan', 'set', '1. a\n2. b');
  await run('notes', 'set', 'one');
  await run('assemble');
  const agent = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'aaaaaaaa-1111-4111-8111-111111111111' };
  await runWarm(['plan', 'set', '1. of the agent'], { cwd, env: agent });
  await start(cwd);
  expect((await run('show')).stdout).toBe(pad(cwd));

  writeFileSync(
    join(cwd, 'SCRATCHPAD.md'),
    pad(cwd).replace('of the agent', 'by hand').replace('\none\n', '\ntwo\n'),
  );
  expect((await run('show')).stdout).toBe(pad(cwd));
  const { stdout } = await run('undo');
  expect(stdout.match(/^undid revision/gm)).toHaveLength(2);
  expect([(await run('notes')).stdout, (await run('plan')).stdout]).toEqual(['one\n', '1. of the agent\n']);
  await run('redo');
  expect([(await run('notes')).stdout, (await run('plan')).stdout]).toEqual(['two\n', '1. by hand\n']);
});

test.each([
  ['a session', { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'aaaaaaaa-1111-4111-8111-111111111111' }],
  ['an agent', { AI_AGENT: 'mine' }],
  ['a tool', {}],
])('a change of %s is undone by the command that the refusal names', async (who, env) => {
  const cwd = testDir();
  await runWarm(['notes', 'set', 'one'], { cwd });
  const input = '{"action":"append_notes","content":"two"}';
  const args = who === 'a tool' ? ['tool', 'session.scratchpad'] : ['notes', 'add', 'two'];
  await runWarm(args, { cwd, env, input });
  const { stderr } = await runWarm(['undo'], { cwd });
  expect(stderr).toContain('the latest change was made by an agent');
  expect(stderr).toContain('undo it anyway with: scratchpad undo --others');
  await runWarm(['undo', '--others'], { cwd });
  expect((await runWarm(['notes'], { cwd })).stdout).toBe('one\n');
});

test.each(['true', 'mine', 'v2', '2', '1.5', '"1"', '[1]', '\n  one: 1'])(
  'front matter with a field of ours of another value is its owner’s: scratchpad: %s',
  async (value) => {
    const fields = `scratchpad: ${value}\nrevision: C\nttl: 90 days\nupdated: 2026-02-16\n`;
    const cwd = testDir({ 'SCRATCHPAD.md': `---\n${fields}---\n\n## Todo\n- Fix\n` });
    for (const args of [['init'], ['note', 'a'], ['assemble'], ['note', 'b']])
      expect((await runWarm(args, { cwd })).exitCode).toBe(0);
    expect(pad(cwd)).toContain(`---\n${fields}`);
    expect(pad(cwd)).toMatch(/^scratchpad-updated: \d/m);
    expect((await runWarm(['notes'], { cwd })).stdout).toBe('a\nb\n');
  },
);

test('after git clean plan and notes are back, and the first read says that entries are not', async () => {
  const cwd = testRepository();
  await runWarm(['notes', 'set', 'one', '--init'], { cwd });
  await runWarm(['entry', 'write', 'k', 'a text'], { cwd });
  git(cwd, 'clean', '-qfdx');
  const warning = 'it comes back from its copy in the folder of git, which has no entries';
  expect((await (await openScratchpad({ workspace: cwd })).context()).notices.join()).toContain(warning);
  const show = await runWarm(['tool', 'session.scratchpad'], { cwd, input: '{"action":"show"}' });
  expect(JSON.parse(show.stdout)).toMatchObject({
    notes: 'one',
    notices: [expect.stringContaining(warning)],
  });
  expect((await runWarm(['notes', 'add', 'two'], { cwd })).stderr).toContain(warning);
});

test('after git clean the pad of another session is back when it is asked for', async () => {
  const cwd = testRepository();
  await runWarm(['init', '-q'], { cwd });
  await runWarm(['session', 'spawn', 'main', 'other'], { cwd });
  await runWarm(['notes', 'set', 'theirs', '-s', 'other'], { cwd });
  git(cwd, 'clean', '-qfdx');
  expect((await runWarm(['notes', '-s', 'other'], { cwd })).stdout).toBe('theirs\n');
  expect((await runWarm(['notes', 'add', 'more', '-s', 'other'], { cwd })).exitCode).toBe(0);
  expect((await runWarm(['notes', '-s', 'other'], { cwd })).stdout).toBe('theirs\nmore\n');
  expect((await runWarm(['notes', '-s', 'none'], { cwd })).stderr).toContain('no such session');
});
