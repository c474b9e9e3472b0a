import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openScratchpad } from '../../src/index.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';
import { moment, transcript } from './host.ts';

/** `spaces.scope: session`: the designs of three spaces, one space and the notepad are each of one session. */

const ONE = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' };
const TWO = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's2' };

function workspace(more = ''): (env: Record<string, string>, ...args: string[]) => Promise<string> {
  const cwd = testDir({
    'SCRATCHPAD.md': '# Pad\n\n## Notes\nof everybody\n',
    '.scratchpad/config.yaml': `spaces:\n  scope: session\n${more}`,
  });
  return Object.assign(
    async (env: Record<string, string>, ...args: string[]) => (await runWarm(args, { cwd, env })).stdout,
    { cwd },
  );
}
const folderOf = (run: object): string => (run as { cwd: string }).cwd;

test('commands, tools and the library of a session write and read its own notes, plan and refs', async () => {
  const run = workspace();
  const cwd = folderOf(run);
  await run(ONE, 'notes', 'add', 'of one');
  await run(ONE, 'plan', 'set', '1. one');
  const input = JSON.stringify({ action: 'append_notes', content: 'of two' });
  await runWarm(['tool', 'session.scratchpad'], { cwd, env: TWO, input });
  const three = await openScratchpad({ workspace: cwd, env: { SCRATCHPAD_HOST_SESSION: 's3' } });
  await three.notepad.append('of three');
  expect(await run(ONE, 'notes')).toBe('of one\n');
  expect([await run(TWO, 'notes'), await run(TWO, 'plan')]).toEqual(['of two\n', '']);
  expect((await three.context()).text).toContain('of three');
  // A person at the shell is in no session.
  expect(await run({}, 'notes')).toBe('of everybody\n');
  expect(await run({}, 'notes', '-s', 's3')).toBe('of three\n');
});

test('hooks tell a session its own, and nothing of the others; after its end it is archived, a resume brings it back', async () => {
  const run = workspace();
  const cwd = folderOf(run);
  await run(ONE, 'notes', 'add', 'of one');
  await run(TWO, 'notes', 'add', 'of two');
  const other = await moment(cwd, 'SessionStart', { source: 'startup', session_id: 's9' });
  expect(other).toContain('The scratchpad is empty');
  expect(other).not.toContain('the next session');
  const start = await moment(cwd, 'SessionStart', { source: 'startup' });
  expect(start).toContain("this session's own");
  expect(start).toContain('of one');
  expect(start).not.toMatch(/of two|of everybody/);
  await moment(cwd, 'SessionEnd', { reason: 'other' });
  const folders = (name: string): string[] => readdirSync(join(cwd, '.scratchpad', name)).sort();
  expect([folders('sessions').includes('s1'), folders('archive').length]).toEqual([false, 1]);
  // The resumed window holds what it was told.
  expect(await moment(cwd, 'SessionStart', { source: 'resume' })).toBe('');
  expect(await moment(cwd, 'SessionStart', { source: 'compact' })).toContain('of one');
  expect(await run(ONE, 'notes')).toBe('of one\n');
  expect(await run(TWO, 'notes')).toBe('of two\n');
});

test('a subagent starts with an empty notepad, or with a copy of that of its session', async () => {
  const run = workspace('subagent:\n  copyNotepad: on\n');
  await run(ONE, 'notes', 'add', 'of one');
  const told = await moment(folderOf(run), 'SubagentStart', { agent_id: 'a1' });
  expect(told).toContain('of one');
  expect(told).not.toContain('of everybody');
  await run({}, 'notes', 'add', 'of the subagent', '-s', 'a1');
  expect(await run(ONE, 'notes')).toBe('of one\n');
});

test('a fork starts with a copy of what its parent wrote, and both go on by themselves', async () => {
  const run = workspace();
  const cwd = folderOf(run);
  writeFileSync(join(cwd, 's.jsonl'), transcript('On it.'));
  await moment(cwd, 'SessionStart', { source: 'startup' });
  await run(ONE, 'notes', 'add', 'of one');
  await run(ONE, 'plan', 'set', '1. one');
  await moment(cwd, 'UserPromptSubmit', { prompt: 'go on' });
  // The host copies the records of the parent.
  copyFileSync(join(cwd, 's.jsonl'), join(cwd, 's2.jsonl'));
  const fork = { session_id: 's2', transcript_path: join(cwd, 's2.jsonl') };
  await moment(cwd, 'SessionStart', { ...fork, source: 'fork' });
  expect([await run(TWO, 'notes'), await run(TWO, 'plan')]).toEqual([
    'of one\n',
    expect.stringContaining('one'),
  ]);
  await run(TWO, 'notes', 'add', 'of the fork');
  await run(ONE, 'notes', 'add', 'of the parent');
  expect(await run(ONE, 'notes')).toBe('of one\nof the parent\n');
  expect(await run(TWO, 'notes')).toBe('of one\nof the fork\n');
  expect(await moment(cwd, 'SessionStart', { ...fork, source: 'compact' })).toContain('of the fork');
});
