import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROGRAM } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const fileIn = (cwd: string): string => join(cwd, 'SCRATCHPAD.md');
const textIn = (cwd: string): string => readFileSync(fileIn(cwd), 'utf8');
const say = async (cwd: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await runWarm(args, { cwd });
  return stdout + stderr;
};

describe('an editor that holds an older copy', () => {
  test('does not lose the tick of a step beside the one that was changed in it', async () => {
    const cwd = testDir();
    await say(cwd, 'plan', 'set', '1. a\n2. b');
    const buffer = textIn(cwd);
    await say(cwd, 'plan', 'done', '1');
    writeFileSync(fileIn(cwd), buffer.replace('2. b', '2. b!'));
    expect(await say(cwd, 'plan', 'show')).toBe('1. ~~a~~ DONE\n2. b!\n');
    const told = await say(cwd, 'notes', 'add', 'next');
    expect(told).toContain('plan: merged an edit made in an older copy of the file');
    expect(told).not.toContain('both sides');
    expect(textIn(cwd)).toContain('1. ~~a~~ DONE\n2. b!\n');
  });

  test('a line that was removed stays removed, and the line after it has its edit', async () => {
    const cwd = testDir();
    await say(cwd, 'notes', 'set', 'drop\nport 80\nlast');
    const buffer = textIn(cwd);
    await say(cwd, 'notes', 'remove', '1');
    writeFileSync(fileIn(cwd), buffer.replace('port 80', 'port 8080'));
    expect(await say(cwd, 'notes', 'show')).toBe('port 8080\nlast\n');
  });

  test('a line that both changed is a conflict, its neighbours are merged', async () => {
    const cwd = testDir();
    await say(cwd, 'plan', 'set', '1. a\n2. b\n3. c');
    const buffer = textIn(cwd);
    await say(cwd, 'plan', 'done', '1', '2', '3');
    writeFileSync(fileIn(cwd), buffer.replace('2. b', '2. b!'));
    expect(await say(cwd, 'notes', 'add', 'next')).toContain('both sides changed the same lines of plan');
    expect(await say(cwd, 'plan', 'show')).toBe('1. ~~a~~ DONE\n2. b!\n3. ~~c~~ DONE\n');
  });
});

test('an edit that the log has shown stays, in the log and in its space, when the file is removed', async () => {
  const cwd = testDir();
  await say(cwd, 'notes', 'set', 'one');
  writeFileSync(fileIn(cwd), textIn(cwd).replace('one', 'one by hand'));
  const shown = await say(cwd, 'log');
  expect(shown).toMatch(/^ +2 .* by hand +\+ one by hand$/m);
  rmSync(fileIn(cwd));
  expect(await say(cwd, 'log')).toBe(shown);
  expect(await say(cwd, 'notes')).toBe('one by hand\n');
});

test('with -q warnings about a change are said', async () => {
  const cwd = testDir();
  await say(cwd, 'plan', 'set', '1. a\n2. b');
  const buffer = textIn(cwd);
  await say(cwd, 'plan', 'done', '1');
  writeFileSync(fileIn(cwd), buffer.replace('2. b', '2. b!'));
  expect(await say(cwd, '-q', 'notes', 'add', 'next')).toMatch(/^warning: plan: merged an edit/);
  expect(await say(cwd, '-q', 'notes', 'set', 'x'.repeat(5000))).toContain('notes truncated to 4,000');
});

describe('a file that was written anew, without front matter and markers', () => {
  const filled = async (cwd: string): Promise<void> => {
    await say(cwd, 'plan', 'set', '1. old one');
    await say(cwd, 'plan', 'set', '1. old one\n2. old two\n3. old three');
    await say(cwd, 'notes', 'set', 'old note\nolder note');
    await say(cwd, 'refs', 'set', 'old.ts', 'older.ts');
  };

  test('says what the spaces are: what it leaves out is gone, and in the history', async () => {
    const cwd = testDir();
    await filled(cwd);
    writeFileSync(
      fileIn(cwd),
      '# Work\n\n## Plan\n\n1. new one\n\n## Notes\n\nnew note\n\n## Refs\n\n- new.ts\n',
    );
    expect(await say(cwd, 'notes', 'add', 'more')).not.toContain('merged');
    expect(await say(cwd, 'plan', 'show')).toBe('1. new one\n');
    expect(await say(cwd, 'notes', 'show')).toBe('new note\nmore\n');
    expect(await say(cwd, 'refs', 'show')).toBe('new.ts\n');
    expect(textIn(cwd)).toContain('# Work\n');
    expect(textIn(cwd)).not.toContain('old');
    const history = await say(cwd, 'history');
    expect(history.match(/by hand/g)).toHaveLength(3);
    // The three edits by hand, and the note after them.
    await say(cwd, 'undo', '4');
    expect(await say(cwd, 'plan', 'show')).toBe('1. old one\n2. old two\n3. old three\n');
  });

  test('an earlier list that comes back word for word is what it says, too', async () => {
    const cwd = testDir();
    await filled(cwd);
    writeFileSync(fileIn(cwd), '## Plan\n1. old one\n');
    expect(await say(cwd, 'plan', 'show')).toBe('1. old one\n');
    // What it does not speak of was not emptied.
    expect(await say(cwd, 'notes', 'show')).toBe('old note\nolder note\n');
  });

  test('with markers: the same', async () => {
    const cwd = testDir();
    await filled(cwd);
    writeFileSync(
      fileIn(cwd),
      '## Plan\n<!-- scratchpad:plan -->\n1. new one\n<!-- /scratchpad:plan -->\n## Notes\n<!-- scratchpad:notes -->\n<!-- /scratchpad:notes -->\n',
    );
    expect(await say(cwd, 'plan', 'show')).toBe('1. new one\n');
    expect((await runWarm(['notes', 'show'], { cwd })).stdout).toBe('');
  });

  test('a comment in a code fence ends no section', async () => {
    const cwd = testDir();
    await filled(cwd);
    const notes = 'to build:\n```sh\n# once\nnpm ci\n```\nafter\n';
    writeFileSync(fileIn(cwd), `## Notes\n${notes}\n## Plan\n1. real\n`);
    expect(await say(cwd, 'plan', 'show')).toBe('1. real\n');
    expect(await say(cwd, 'notes', 'show')).toBe(notes);
    expect(await say(cwd, 'refs', 'show')).toBe('old.ts\nolder.ts\n');
  });
});

test('text below the heading of a space but outside its markers is pointed out, and nothing else', async () => {
  const cwd = testDir();
  await say(cwd, 'notes', 'set', 'n1\n## Notes\ntext');
  expect((await runWarm(['check'], { cwd })).stdout).not.toContain('outside its markers');
  const text = textIn(cwd).replace('## Notes\n', '## Notes\n\nTyped under the heading\nand more\n');
  writeFileSync(fileIn(cwd), `${text}\n## Decisions\nPostgres\n\n## Plan\n1. pasted\n`);
  const told = (space: string, line: number, name: string): string =>
    `SCRATCHPAD.md line ${line}: this text is below "## ${space}" but outside its markers, so it is not part of the ${name}`;
  const lineOf = (part: string): number => textIn(cwd).split('\n').indexOf(part) + 1;
  const expected = [
    told('Notes', lineOf('Typed under the heading'), 'notes'),
    told('Plan', lineOf('1. pasted'), 'plan'),
  ];
  const checked = await runWarm(['check', '--json'], { cwd });
  const { problems } = JSON.parse(checked.stdout) as { problems: string[] };
  expect([checked.exitCode, problems]).toEqual([4, expected]);
  expect((await runWarm(['status'], { cwd })).stdout).toContain(expected[0]);
});

test('a file that was removed is said to be missing, and the editor gets it again', async () => {
  const cwd = testDir();
  await say(cwd, 'notes', 'set', 'n1');
  rmSync(fileIn(cwd));
  expect(await say(cwd, 'status')).toContain('the file is missing: its content is in .scratchpad/');
  const { exitCode } = await runWarm(['edit'], { cwd, env: { EDITOR: 'grep -q n1', VISUAL: '' } });
  expect(exitCode).toBe(0);
  expect(await say(cwd, 'status')).not.toContain('missing');
});

test('a section that was removed is written again, and a change says so once', async () => {
  const cwd = testDir();
  await say(cwd, 'plan', 'set', '1. a');
  await say(cwd, 'notes', 'set', 'n1');
  writeFileSync(fileIn(cwd), textIn(cwd).replace(/## Plan[\s\S]*<!-- \/scratchpad:plan -->\n/, ''));
  const told = await say(cwd, 'notes', 'add', 'n2');
  expect(told).toContain(
    'plan: its section was missing in the file and is written again; scratchpad plan clear',
  );
  expect(told).not.toContain('notes: its section');
  expect(textIn(cwd)).toContain('1. a');
  expect(await say(cwd, 'notes', 'add', 'n3')).not.toContain('missing');
});

test('what is saved at once in two spaces is one change to undo and redo, marked in the history', async () => {
  const cwd = testDir();
  await say(cwd, 'plan', 'set', '1. a\n2. b');
  await say(cwd, 'notes', 'set', 'port 80');
  writeFileSync(fileIn(cwd), textIn(cwd).replace('2. b', '2. b!').replace('port 80', 'port 8080'));
  expect(await say(cwd, 'notes', 'show')).toBe('port 8080\n');
  await say(cwd, 'undo');
  expect(textIn(cwd)).toMatch(/2\. b\n[\s\S]*port 80\n/);
  expect((await say(cwd, 'history')).match(/ edit .*\(undone\)$/gm)).toHaveLength(2);
  await say(cwd, 'redo');
  expect(textIn(cwd)).toMatch(/2\. b!\n[\s\S]*port 8080\n/);
  expect(await say(cwd, 'history')).not.toContain('(undone)');
});

test.skipIf(process.platform === 'win32')('in a directory that was deleted: words, no stack', () => {
  const cwd = testDir();
  const line = `cd "${cwd}" && rmdir "${cwd}" && exec "${process.execPath}" "${PROGRAM}" status`;
  const { stderr, status } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    3,
    'scratchpad: this directory has been deleted\n  next:     run the command in another one\n',
  ]);
});
