import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ClaudeSession } from '../handover/claude-session.ts';
import { git, testRepository } from '../helpers/git.ts';
import { runWarm } from '../helpers/run-warm.ts';

/** A repository with a pad and a linked work tree, beside it or inside it. */
async function withWorktree(where: 'beside' | 'inside') {
  const root = testRepository();
  const tree = where === 'beside' ? join(root, '../feature') : join(root, '.claude/worktrees/feature');
  git(root, 'worktree', 'add', '-q', '-b', 'feature', tree);
  const run = (...args: string[]) => runWarm(args, { cwd: tree });
  const atMain = (...args: string[]) => runWarm(args, { cwd: root });
  await atMain('init');
  await atMain('plan', 'set', '1. Plan of main');
  await atMain('notes', 'set', 'known to all');
  return { root, tree, run, atMain };
}

async function told(cwd: string, session: string): Promise<string> {
  const input = JSON.stringify({ session_id: session, cwd, source: 'startup' });
  const { stdout } = await runWarm(['hook', 'claude-code', 'SessionStart'], { cwd, input });
  return stdout;
}

describe.each(['beside', 'inside'] as const)('a linked work tree %s the repository', (where) => {
  test('has the notes of the repository and a plan of its own', async () => {
    const { root, tree, run, atMain } = await withWorktree(where);
    expect((await run('plan', 'show')).stdout).toBe('');
    expect((await run('notes', 'show')).stdout).toBe('known to all\n');
    await run('plan', 'set', '1. Plan of feature\n2. Then this');
    expect((await run('plan', 'done')).stdout).toContain('DONE');
    await run('notes', 'add', 'learned in feature');
    expect((await atMain('plan', 'show')).stdout).toBe('1. Plan of main\n');
    expect((await atMain('notes', 'show')).stdout).toBe('known to all\nlearned in feature\n');
    expect(existsSync(join(tree, 'SCRATCHPAD.md'))).toBe(false);
    const there = await told(tree, 'a');
    expect(there).toContain('Plan of feature');
    expect(there).toContain('learned in feature');
    expect(there).not.toContain('Plan of main');
    const here = await told(root, 'b');
    expect(here).toContain('Plan of main');
    expect(here).not.toContain('Plan of feature');
    expect((await run('show')).stdout).toMatch(/Plan of feature[\s\S]*learned in feature/);
  });
});

test('the file says whose plan it shows after a switch, and where the plan of what is gone was made', async () => {
  const { root, tree, run, atMain } = await withWorktree('beside');
  const pad = (): string => readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8');
  expect(pad()).toMatch(/^plan-origin: "branch main"$[\s\S]*^1\. Plan of main$/m);

  // Nothing has run since the switch: the file still shows the plan of main, and names it.
  git(root, 'switch', '-qc', 'a-->b');
  expect(pad()).toMatch(/^plan-origin: "branch main"$[\s\S]*^1\. Plan of main$/m);
  expect((await atMain('show')).stdout).toMatch(/scratchpad:plan -->\n<!-- \//);
  expect(pad()).not.toContain('plan-origin');
  expect((await atMain('show')).stdout).toBe(pad());

  await run('plan', 'set', '1. Plan of feature');
  expect((await run('show')).stdout).toMatch(/^plan-origin: "branch feature"$[\s\S]*^1\. Plan of feature$/m);
  git(root, 'worktree', 'remove', '--force', tree);
  git(root, 'branch', '-qD', 'feature');
  const { stdout, stderr } = await atMain('plan');
  expect(stdout).toBe('1. Plan of feature\n');
  expect(stderr).toContain('this plan was made on branch feature in work tree feature, which is gone');
  expect(pad()).toMatch(
    /^plan-origin: "branch feature in work tree feature, which is gone"$[\s\S]*^1\. Plan of feature$/m,
  );
  expect((await atMain('status')).stdout).toContain('branch feature in work tree feature, which is gone');
  expect((await atMain('context')).stdout).toContain(
    'made on branch feature in work tree feature, which is gone',
  );
  await atMain('plan', 'done', '1');
  expect((await atMain('show')).stdout).toBe(pad());
});

test('a plan follows its branch into a linked work tree, and the state block of the main one is no fault there', async () => {
  const root = testRepository();
  const tree = join(root, '../login');
  const atMain = (...args: string[]) => runWarm(args, { cwd: root });
  const run = (...args: string[]) => runWarm(args, { cwd: tree });
  await atMain('init');
  git(root, 'switch', '-qc', 'fix-login');
  await atMain('plan', 'set', '1. Lock after five failures\n2. Test it');
  await atMain('assemble');
  git(root, 'switch', '-q', 'main');

  const found = await atMain('search', 'failures');
  expect([found.stdout, found.stderr]).toEqual([
    'plan 1:1: 1. Lock after five failures\n',
    expect.stringContaining('scratchpad plan take N makes one the plan here'),
  ]);
  expect((await atMain('history')).stderr).toContain(
    '1 change of other plans; scratchpad plan take brings such a plan here',
  );

  git(root, 'worktree', 'add', '-q', tree, 'fix-login');
  const shown = await run('plan', 'show');
  expect([shown.stdout, shown.stderr]).toEqual(['1. Lock after five failures\n2. Test it\n', '']);
  expect(await told(tree, 'a')).toContain('1. Lock after five failures');
  await run('plan', 'done', '1');
  expect((await run('plan', 'next')).stdout).toBe('2. Test it\n');
  expect(await told(root, 'b')).not.toContain('five failures');
});

test('init in a linked work tree says what a pad of its own means', async () => {
  const { run, tree } = await withWorktree('beside');
  const made = await run('init');
  expect(made.exitCode).toBe(0);
  expect(made.stderr).toMatch(
    /linked work tree: .*goes when it is removed; one in .* is shared by all its work trees/,
  );
  expect(existsSync(join(tree, 'SCRATCHPAD.md'))).toBe(true);
  expect((await run('init')).stderr).toBe('');
});

test('a pad of its own in a linked work tree shows its plan, takes edits, and has the plan that git checks out', async () => {
  const root = testRepository();
  const tree = join(root, '../feature');
  git(root, 'worktree', 'add', '-q', '-b', 'feature', tree);
  const run = (...args: string[]) => runWarm(args, { cwd: tree });
  const pad = join(tree, 'SCRATCHPAD.md');
  await run('init');
  await run('plan', 'set', '1. Build it');
  expect(readFileSync(pad, 'utf8')).toMatch(/^plan-origin: "branch feature"$[\s\S]*^1\. Build it$/m);
  writeFileSync(pad, readFileSync(pad, 'utf8').replace('1. Build it\n', '1. Build it\n2. By hand\n'));
  expect((await run('plan', 'show')).stdout).toBe('1. Build it\n2. By hand\n');
  // The journal is not checked out with the file.
  rmSync(join(tree, '.scratchpad'), { recursive: true });
  expect((await run('plan', 'show')).stdout).toBe('1. Build it\n2. By hand\n');
  await run('plan', 'done', '1');
  // In its own pad the work tree is no other one, whose plan would not be in the file.
  const journal = readFileSync(join(tree, '.scratchpad/sessions/main/journal.jsonl'), 'utf8');
  expect(journal).toContain('"plan":{"branch":"feature",');
  expect(journal).not.toContain('"worktree"');
  expect((await run('plan', 'show')).stdout).toBe('1. ~~Build it~~ DONE\n2. By hand\n');
});

test('undo in a linked work tree undoes the last change made there, in plan or notes', async () => {
  const { run, atMain } = await withWorktree('beside');
  await run('plan', 'set', '1. Plan of feature');
  await run('notes', 'add', 'by mistake');
  const history = (await run('history')).stdout
    .split('\n')
    .map((line) => line.replace(/^.*\d\d:\d\d {2}/, ''));
  expect(history[0]).toMatch(/^notes +append .*by mistake/);
  expect(history[1]).toMatch(/^plan +set .*Plan of feature/);
  expect((await run('undo')).stdout).toContain('by mistake');
  expect((await atMain('notes', 'show')).stdout).toBe('known to all\n');
  expect((await run('undo')).stdout).toContain('Plan of feature');
  expect((await run('redo', '2')).exitCode).toBe(0);
  expect((await atMain('notes', 'show')).stdout).toBe('known to all\nby mistake\n');
  expect((await run('plan', 'show')).stdout).toBe('1. Plan of feature\n');
  expect((await atMain('plan', 'show')).stdout).toBe('1. Plan of main\n');
});

describe('when a work tree goes away', () => {
  test('its plan is still there, is told of, and can be taken over', async () => {
    const { root, run, atMain, tree } = await withWorktree('beside');
    await run('plan', 'set', '1. Unfinished of feature');
    git(root, 'worktree', 'remove', '--force', tree);
    const offered = await told(root, 'a');
    expect(offered).toContain(
      'Plan 2 (Unfinished of feature, 0 of 1 done, in the work tree feature, which is gone, last changed within the hour) is not shown',
    );
    expect(offered).toContain('Plan of main');
    await atMain('plan', 'take', '2');
    expect((await atMain('plan', 'show')).stdout).toBe('1. Unfinished of feature\n');
    expect((await atMain('plan', 'show')).stderr).toContain('plan 1 of main (Plan of main, 0 of 1 done)');
    expect(await told(root, 'b')).not.toContain('is gone');
  });

  test('its plan does not take the place of the one in a file that git tracks', async () => {
    const root = testRepository();
    const tree = join(root, '../feature');
    const atMain = (...args: string[]) => runWarm(args, { cwd: root });
    await atMain('init', '--tracked');
    await atMain('plan', 'set', '1. Plan of main');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'the pad');
    git(root, 'worktree', 'add', '-q', '-b', 'feature', tree, 'HEAD~1');
    await runWarm(['plan', 'set', '1. Plan of feature'], { cwd: tree });
    git(root, 'worktree', 'remove', '--force', tree);

    await atMain('refs', 'add', 'src/pool.ts');
    expect(readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8')).toContain('1. Plan of main');
    const { stdout, stderr } = await atMain('plan');
    expect(stdout).toBe('1. Plan of main\n');
    expect(stderr).toContain('Plan of feature');

    git(root, 'commit', '-qam', 'a ref');
    git(root, 'switch', '-q', '--orphan', 'empty');
    expect((await atMain('show')).stdout).not.toContain('Plan of');
    git(root, 'switch', '-q', 'main');
    await atMain('plan', 'take', '2');
    expect((await atMain('plan')).stdout).toBe('1. Plan of feature\n');
  });
});

test('an existing work tree is not taken for a removed one', async () => {
  const { root, run, tree } = await withWorktree('beside');
  await run('plan', 'set', '1. Still here');
  expect(await told(root, 'a')).not.toContain('is gone');
  rmSync(tree, { recursive: true });
  expect(await told(root, 'b')).toMatch(
    /Plan 2 \(.*, in the work tree feature, which is gone, .*\) is not shown; `scratchpad plan take 2` switches to it/,
  );
  expect(readFileSync(join(tree, '../repo/SCRATCHPAD.md'), 'utf8')).toContain('Plan of main');
});

test('a linked work tree that is moved, and a branch that is renamed, keep plan and words', async () => {
  const { root, tree, run } = await withWorktree('beside');
  const hook = async (cwd: string, event: string, session: string, more: object = {}): Promise<string> => {
    const transcript = join(root, `../${session}.jsonl`);
    const input = JSON.stringify({ session_id: session, transcript_path: transcript, cwd, ...more });
    return (await runWarm(['hook', 'claude-code', event], { cwd, input })).stdout;
  };
  const began = new Date(Date.now() - 3_600_000);
  const talk = new ClaudeSession({ cwd: tree, session: 's1', branch: 'feature', day: began });
  talk.person('Round the totals in cart.py').agent('The totals are cut off in cart.py, not rounded.');
  talk.person('and cover it with a test');
  writeFileSync(join(root, '../s1.jsonl'), talk.text);
  await hook(tree, 'Stop', 's1');
  await hook(tree, 'SessionEnd', 's1', { reason: 'exit' });
  await run('plan', 'set', '1. Round the totals');

  const moved = join(root, '../moved');
  git(root, 'worktree', 'move', tree, moved);
  git(moved, 'branch', '-m', 'renamed');
  expect(await hook(moved, 'SessionStart', 's2', { source: 'startup' })).toContain('1. Round the totals');
  const told = await hook(moved, 'UserPromptSubmit', 's2', { prompt: 'continue' });
  expect(told).toContain('“and cover it with a test”');
  expect(told).not.toContain('on feature');
  const { stdout } = await runWarm(['status'], { cwd: moved });
  expect(stdout).toContain('for the work tree moved');
  expect(await hook(root, 'UserPromptSubmit', 's3', { prompt: 'continue' })).not.toContain('cover it');
});

test('a plan that a work tree took stays there: the file that no longer shows it is no edit', async () => {
  const root = testRepository();
  const tree = join(root, '../taker');
  await runWarm(['plan', 'set', '1. Main job'], { cwd: root });
  git(root, 'worktree', 'add', '-q', '-b', 'taker', tree);
  await runWarm(['plan', 'take', '1'], { cwd: tree });
  expect((await runWarm(['plan'], { cwd: tree })).stdout).toBe('1. Main job\n');
  await runWarm(['notes', 'add', 'begun'], { cwd: tree });
  expect((await runWarm(['plan'], { cwd: tree })).stdout).toBe('1. Main job\n');
  expect((await runWarm(['history'], { cwd: tree })).stdout).not.toContain('by hand');
  expect((await runWarm(['undo', '2'], { cwd: tree })).exitCode).toBe(0);
  expect((await runWarm(['plan'], { cwd: root })).stdout).toBe('1. Main job\n');
});

test('--workspace works on the branch and work tree of the folder that it names, wherever it is run', async () => {
  const root = testRepository();
  const tree = join(root, '../named');
  git(root, 'worktree', 'add', '-q', '-b', 'named', tree);
  await runWarm(['plan', 'set', '1. Of main'], { cwd: root });
  await runWarm(['plan', 'set', '1. Of the tree'], { cwd: tree });
  const read = async (cwd: string, folder: string): Promise<string> =>
    (await runWarm(['plan', '-w', folder], { cwd })).stdout;
  expect([await read('/', tree), await read('/', root)]).toEqual(['1. Of the tree\n', '1. Of main\n']);
  expect([await read(root, tree), await read(tree, root)]).toEqual(['1. Of the tree\n', '1. Of main\n']);
  await runWarm(['plan', 'done', '1', '-w', tree], { cwd: '/' });
  expect(await read(root, root)).toBe('1. Of main\n');
});

test('edit opens the plan of the place where it is run, and puts everything else into the file', async () => {
  const { root, tree, run, atMain } = await withWorktree('beside');
  await run('plan', 'set', '1. Plan of feature');
  const edit = (cwd: string, script: string) =>
    runWarm(['edit'], { cwd, env: { EDITOR: `sed -i ${script}`, VISUAL: '' } });
  const file = () => readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8');

  const done = await edit(
    tree,
    "'s/^1. Plan of .*/&, edited/; s/^known.*/&, edited/; s/Working Memory/Ours/'",
  );
  expect([done.exitCode, done.stdout]).toEqual([0, 'changed: notes, plan\n']);
  expect((await run('plan')).stdout).toBe('1. Plan of feature, edited\n');
  expect((await atMain('plan')).stdout).toBe('1. Plan of main\n');
  expect((await atMain('notes')).stdout).toBe('known to all, edited\n');
  expect(file()).toContain('— Ours\n');
  expect(file()).not.toContain('1. Plan of feature');
  await run('undo');
  expect((await run('plan')).stdout).toBe('1. Plan of feature\n');

  // The file shows the plan of the branch that was checked out when it was written.
  git(root, 'checkout', '-q', '-b', 'other');
  await edit(root, "'s/^1. Plan of main/1. Overwritten/'");
  git(root, 'checkout', '-q', 'main');
  expect((await atMain('plan')).stdout).toBe('1. Plan of main\n');

  const both = await edit(
    tree,
    `'s/— Ours/— Theirs/' "$1"; sed -i 's/— Ours/— Yours/' "${root}/SCRATCHPAD.md" #`,
  );
  expect([both.exitCode, both.stderr]).toEqual([
    1,
    expect.stringContaining('were changed in SCRATCHPAD.md meanwhile'),
  ]);
  expect(file()).toContain('— Yours\n');
  expect(readFileSync(/where: +(.*)/.exec(both.stderr)?.[1] ?? '', 'utf8')).toContain('— Theirs\n');
});
