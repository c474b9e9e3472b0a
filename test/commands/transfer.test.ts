import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

async function ok(cwd: string, ...args: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await runWarm(args, { cwd });
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

/** A workspace with two sessions, a history and entries. */
async function filled(): Promise<string> {
  const cwd = testDir();
  await ok(cwd, 'init');
  await ok(cwd, 'plan', 'set', '1. Find it\n2. Mend it');
  await ok(cwd, 'notes', 'append', 'root cause: ✓ timezone');
  await ok(cwd, 'notes', 'append', 'token ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8');
  await ok(cwd, 'refs', 'add', 'src/a.ts');
  await ok(cwd, 'entry', 'write', 'schema', 'CREATE TABLE t (a int);\n');
  await ok(cwd, 'notes', 'append', 'of the other', '--session', 'other', '--init');
  return cwd;
}

test('a whole workspace is exported to one file and imported elsewhere, including its history', async () => {
  const cwd = await filled();
  const file = join(testDir(), 'memory.jsonl');
  expect(await ok(cwd, 'export', file)).toContain('exported 2 sessions, 1 entry');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await runWarm(['export', file], { cwd })).stderr).toContain('the file exists already');
  const there = testDir();
  expect(await ok(there, 'import', file, '--init')).toContain('imported 2 sessions, 1 entry');
  for (const words of [
    ['plan', 'show'],
    ['notes', 'show'],
    ['refs', 'list'],
    ['entry', 'read', 'schema'],
  ])
    expect(await ok(there, ...words)).toBe(await ok(cwd, ...words));
  expect(await ok(there, 'notes', 'show', '--session', 'other')).toBe('of the other\n');
  const history = async (at: string): Promise<unknown> => JSON.parse(await ok(at, 'history', '--json'));
  expect(await history(there)).toEqual(await history(cwd));
});

test('a workspace that init has just made takes the history, too, and its own text stays', async () => {
  const cwd = await filled();
  const { stdout: archive } = await runWarm(['export', '-'], { cwd });
  expect(existsSync(join(cwd, '-'))).toBe(false);
  const file = join(testDir({ 'memory.jsonl': archive }), 'memory.jsonl');
  const history = async (at: string): Promise<unknown> => JSON.parse(await ok(at, 'history', '--json'));
  for (const how of [['init'], ['init', '--tracked']]) {
    const there = how.includes('--tracked') ? testRepository() : testDir();
    await ok(there, ...how);
    appendFileSync(join(there, 'SCRATCHPAD.md'), '\n## Own\ntext\n');
    expect(await ok(there, 'import', file)).toContain('imported 2 sessions, 1 entry');
    expect(await history(there)).toEqual(await history(cwd));
    expect(await ok(there, 'plan', 'show')).toBe(await ok(cwd, 'plan', 'show'));
    expect(readFileSync(join(there, 'SCRATCHPAD.md'), 'utf8')).toContain('\n## Own\ntext\n');
    expect(await ok(there, 'import', file)).toBe('nothing new: all of it is here already\n');
  }
});

test('importing into a workspace with content drops nothing, and importing again adds nothing', async () => {
  const file = join(testDir(), 'memory.jsonl');
  await ok(await filled(), 'export', file);
  const there = testDir();
  await ok(there, 'init');
  await ok(there, 'notes', 'append', 'ours');
  await ok(there, 'entry', 'write', 'schema', 'another');
  const first = await runWarm(['import', file], { cwd: there });
  expect(first.stderr).toContain('the imported one is schema (imported)');
  const notes = await ok(there, 'notes', 'show');
  expect(notes).toMatch(/^ours\nroot cause: ✓ timezone\n/);
  expect(await ok(there, 'entry', 'read', 'schema')).toContain('another');
  expect(await ok(there, 'entry', 'read', 'schema (imported)')).toContain('CREATE TABLE');
  await ok(there, 'import', file);
  expect(await ok(there, 'notes', 'show')).toBe(notes);
});

test('an archive that is cut short or changed is refused, and nothing is changed', async () => {
  const file = join(testDir(), 'memory.jsonl');
  await ok(await filled(), 'export', file);
  const whole = readFileSync(file, 'utf8');
  for (const text of [whole.slice(0, -30), whole.replace('timezone', 'timezoom'), `${whole}{}\n`]) {
    const broken = join(testDir(), 'broken.jsonl');
    writeFileSync(broken, text);
    const there = testDir();
    const done = await runWarm(['import', broken, '--init'], { cwd: there });
    expect([done.exitCode, done.stderr.split('\n')[0]]).toEqual([
      1,
      'scratchpad: the archive is incomplete: nothing was imported',
    ]);
    expect((await runWarm(['notes', 'show'], { cwd: there })).stdout).toBe('');
  }
});

test('without secrets on request', async () => {
  const file = join(testDir(), 'memory.jsonl');
  await ok(await filled(), 'export', file, '--redact');
  expect(readFileSync(file, 'utf8')).toContain('timezone');
  expect(readFileSync(file, 'utf8')).not.toContain('ghp_');
});

test('task_plan.md, findings.md and progress.md', async () => {
  const cwd = testDir({
    'task_plan.md': '# Plan\n\n## Phase 1\n- [x] Look at it\n- [ ] Mend it\n',
    'findings.md': '# Findings\n\nSome words.\n- The clock is in UTC\n',
    'progress.md': '# Progress\n\nday one\n',
  });
  await ok(cwd, 'import', '.', '--init');
  expect(await ok(cwd, 'plan', 'show')).toBe('1. ~~Look at it~~ DONE\n2. Mend it\n');
  expect(await ok(cwd, 'notes', 'show')).toBe('- The clock is in UTC\n');
  expect(await ok(cwd, 'entry', 'read', 'progress.md')).toContain('day one');
});

test('issues of beads: open ones become the plan, those in progress first', async () => {
  const issue = (id: string, status: string, priority: number) =>
    `${JSON.stringify({ id, title: `Title of ${id}`, status, priority, issue_type: 'task' })}\n`;
  const cwd = testDir({
    '.beads/issues.jsonl':
      issue('bd-1', 'open', 1) +
      issue('bd-2', 'closed', 0) +
      issue('bd-3', 'in_progress', 3) +
      issue('bd-4', 'open', 0),
  });
  await ok(cwd, 'import', '.beads/issues.jsonl', '--init');
  expect(await ok(cwd, 'plan', 'show')).toBe(
    '1. bd-3 Title of bd-3\n2. bd-4 Title of bd-4\n3. bd-1 Title of bd-1\n',
  );
  expect(await ok(cwd, 'entry', 'read', 'beads.jsonl')).toContain('bd-2');
  const many = join(cwd, 'many.jsonl');
  for (let k = 0; k < 200; k += 1) appendFileSync(many, issue(`bd-${100 + k}`, 'open', 2));
  const done = await runWarm(['import', many], { cwd });
  expect(done.stderr).toMatch(
    /plan has no room for \d+ of 200 lines: all of them are in the entries beads.jsonl/,
  );
});

test('an export of claude-mem', async () => {
  const cwd = testDir({
    'memories.json': JSON.stringify({
      exportedAt: '2026-02-06T03:00:00Z',
      observations: [
        {
          title: 'Flaky test',
          narrative: 'It waits for a port.',
          facts: '["port 5432"]',
          created_at_epoch: 1,
        },
      ],
      summaries: [{ learned: 'Ports are shared.', next_steps: 'Use a free port.', created_at_epoch: 2 }],
    }),
  });
  await ok(cwd, 'import', 'memories.json', '--init');
  expect(await ok(cwd, 'notes', 'show')).toBe('- Next: Use a free port.\n- Ports are shared.\n');
  expect(await ok(cwd, 'entry', 'read', 'claude-mem.md')).toContain('- port 5432');
  const done = await runWarm(['import', join(cwd, 'SCRATCHPAD.md')], { cwd });
  expect([done.exitCode, done.stderr.split('\n')[0]]).toEqual([1, expect.stringContaining('unknown format')]);
});
