import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mergePads } from '../../../src/session/merge-pads.ts';
import { git, testRepository } from '../../helpers/git.ts';
import { runWarm } from '../../helpers/run-warm.ts';
import { testDir } from '../../helpers/test-dir.ts';

/** A repository on `main` with a tracked pad that is committed, whose notes are one line. */
async function tracked() {
  const root = testRepository();
  const run = (...args: string[]) => runWarm(args, { cwd: root });
  const pad = join(root, 'SCRATCHPAD.md');
  const commit = (): void => {
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'pad');
  };
  await run('init', '--tracked');
  await run('notes', 'set', 'first');
  commit();
  const notes = async () => (await run('notes', 'show')).stdout.trim().split('\n').filter(Boolean);
  return { root, run, pad, commit, notes, text: () => readFileSync(pad, 'utf8') };
}

describe('a tracked pad', () => {
  test('holds nothing that changes by itself, and its state is shown all the same', async () => {
    const { root, run, pad, text } = await tracked();
    writeFileSync(join(root, 'talk.jsonl'), '{"role":"user","content":"please look at the parser"}\n');
    git(root, 'add', 'talk.jsonl');
    git(root, 'commit', '-q', '-m', 'talk');
    await run('assemble', '-t', 'talk.jsonl');
    expect(text()).not.toMatch(/^(?:revision|updated|ttl|expires|tokens|stages):|Time Context/m);
    expect(git(root, 'status', '--porcelain')).toBe('');
    expect((await run('check')).exitCode).toBe(0);
    expect((await run('show', 'state')).stdout).toContain('Time Context');
    expect((await run('context')).stdout).toContain('first');
    expect(readFileSync(pad, 'utf8')).toContain('tracked: true');
  });

  test('of two branches that each added a note is merged without a conflict', async () => {
    const { root, run, commit, notes, text } = await tracked();
    git(root, 'checkout', '-q', '-b', 'other');
    await run('notes', 'add', 'from other');
    await run('plan', 'set', '1. other');
    commit();
    git(root, 'checkout', '-q', 'main');
    await run('notes', 'add', 'from main');
    commit();
    git(root, 'merge', '-q', '--no-edit', 'other');
    expect(await notes()).toEqual(['first', 'from main', 'from other']);
    expect(text()).not.toContain('<<<<<<<');
    expect((await run('history')).stdout).toMatch(/notes +\S+ .*by git/);
    expect((await run('history')).stdout).not.toContain('by hand');
    expect((await run('plan', 'show')).stdout).toBe('1. other\n');
    await run('notes', 'add', 'after');
    expect(await notes()).toEqual(['first', 'from main', 'from other', 'after']);
  });

  test('that is checked out on another branch is what that branch has', async () => {
    const { root, run, commit, notes } = await tracked();
    git(root, 'checkout', '-q', '-b', 'other');
    await run('notes', 'add', 'secret of other');
    commit();
    git(root, 'checkout', '-q', 'main');
    expect(await notes()).toEqual(['first']);
    await run('notes', 'add', 'of main');
    expect(await notes()).toEqual(['first', 'of main']);
    commit();
    expect(git(root, 'show', 'main:SCRATCHPAD.md')).not.toContain('secret of other');
    git(root, 'checkout', '-q', 'other');
    expect(await notes()).toEqual(['first', 'secret of other']);
    expect((await run('history')).stdout).toContain('by git');
  });

  test('of another branch is not that of a branch that has none, and a hook makes none there', async () => {
    const root = testRepository();
    const run = (...args: string[]) => runWarm(args, { cwd: root });
    git(root, 'branch', 'early');
    await run('init', '--tracked');
    await run('notes', 'set', 'secret of main');
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'pad');
    git(root, 'checkout', '-q', 'early');
    const shown = await run('notes', 'show');
    expect(shown).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('this branch has no SCRATCHPAD.md'),
    });
    const input = JSON.stringify({ session_id: 's', cwd: root, prompt: 'and now?' });
    const { stdout } = await runWarm(['hook', 'claude-code', 'UserPromptSubmit'], { cwd: root, input });
    expect(stdout).not.toContain('secret of main');
    // An empty file would stand in the way of this checkout.
    git(root, 'checkout', '-q', 'main');
    expect((await run('notes', 'show')).stdout).toBe('secret of main\n');
    git(root, 'checkout', '-q', 'early');
    await run('notes', 'add', 'of early');
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'pad of early');
    expect(git(root, 'show', 'early:SCRATCHPAD.md')).toMatch(/tracked: true[\s\S]*of early/);
    expect(git(root, 'show', 'early:SCRATCHPAD.md')).not.toContain('secret of main');
    git(root, 'checkout', '-q', 'main');
    expect((await run('notes', 'show')).stdout).toBe('secret of main\n');
  });

  test('that somebody has deleted is still there', async () => {
    const { pad, notes } = await tracked();
    rmSync(pad);
    expect(await notes()).toEqual(['first']);
  });

  test('is not undone beyond a checkout: what was before is another branch’s', async () => {
    const { root, run, commit, notes } = await tracked();
    git(root, 'checkout', '-q', '-b', 'other');
    await run('notes', 'add', 'secret of other');
    commit();
    git(root, 'checkout', '-q', 'main');
    await run('notes', 'add', 'of main');
    expect((await run('undo')).exitCode).toBe(0);
    const again = await run('undo');
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('nothing to undo')]);
    expect(await notes()).toEqual(['first']);
  });

  test('in which somebody has edited after a checkout is not undone beyond it either', async () => {
    const { root, run, pad, commit, notes, text } = await tracked();
    git(root, 'checkout', '-q', '-b', 'other');
    await run('notes', 'add', 'secret of other');
    commit();
    git(root, 'checkout', '-q', 'main');
    writeFileSync(pad, text().replace('first\n', 'first\nby hand\n'));
    expect((await run('undo')).exitCode).toBe(1);
    expect(await notes()).toEqual(['first', 'by hand']);
    // What somebody has edited since is undone as ever.
    await run('notes', 'add', 'more');
    writeFileSync(pad, text().replace('more\n', ''));
    expect((await run('undo')).exitCode).toBe(0);
    expect(await notes()).toEqual(['first', 'by hand', 'more']);
  });

  test('is not hidden from git by a write elsewhere while a branch without it is checked out', async () => {
    const root = testRepository();
    git(root, 'branch', 'early');
    await runWarm(['init', '--tracked'], { cwd: root });
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'pad');
    git(root, 'checkout', '-q', 'early');
    // A file that git ignores is overwritten by a checkout without a question.
    for (const args of [['init'], ['plan', 'set', '1. a', '--session', 'mine'], ['notes', 'add', 'a']])
      await runWarm(args, { cwd: root });
    const tree = join(root, '../tree');
    git(root, 'worktree', 'add', '-q', '-b', 'more', tree);
    await runWarm(['plan', 'set', '1. of the tree'], { cwd: tree });
    expect(() => git(root, 'check-ignore', 'SCRATCHPAD.md')).toThrow();
  });

  test('that was stashed comes back', async () => {
    const { root, run, notes } = await tracked();
    await run('notes', 'add', 'not committed');
    git(root, 'stash', '-q');
    expect(await notes()).toEqual(['first']);
    await run('plan', 'set', '1. meanwhile');
    git(root, 'checkout', '-q', '--', 'SCRATCHPAD.md');
    git(root, 'stash', 'pop', '-q');
    expect(await notes()).toEqual(['first', 'not committed']);
    await run('notes', 'add', 'more');
    expect(await notes()).toEqual(['first', 'not committed', 'more']);
  });

  test('whose write was cut off before the file was replaced shows what was acknowledged', async () => {
    const { run, pad, text, notes } = await tracked();
    const before = text();
    await run('notes', 'add', 'acknowledged');
    const beside = pad.replace('SCRATCHPAD.md', '.scratchpad/sessions/main/tracked.json');
    const { revision, ...rest } = JSON.parse(readFileSync(beside, 'utf8'));
    // As a kill between journal and file leaves them: the file of before, and the note of before beside it.
    writeFileSync(pad, before);
    const { digestText } = await import('../../../src/base/text/strings.ts');
    writeFileSync(beside, JSON.stringify({ ...rest, revision: revision - 1, written: digestText(before) }));
    expect(await notes()).toEqual(['first', 'acknowledged']);
  });
});

describe("git's conflict markers", () => {
  async function conflicting() {
    const made = await tracked();
    const { root, run, commit } = made;
    git(root, 'checkout', '-q', '-b', 'other');
    await run('notes', 'set', 'theirs');
    commit();
    git(root, 'checkout', '-q', 'main');
    await run('notes', 'set', 'ours');
    commit();
    expect(() => git(root, 'merge', '-q', '--no-edit', 'other')).toThrow();
    return made;
  }

  test('stop every change and are reported; readers get the earlier contents', async () => {
    const { root, run, notes, text, pad } = await conflicting();
    const before = text();
    expect(before).toMatch(/<<<<<<< ours\nours\n\|\|\|\|\|\|\| base\nfirst\n=======\ntheirs\n>>>>>>> theirs/);
    expect(await notes()).toEqual(['ours']);
    for (const change of [['notes', 'add', 'x'], ['undo'], ['plan', 'set', '1. x'], ['init']]) {
      const done = await run(...change);
      expect([change, done.exitCode, done.stderr]).toEqual([
        change,
        1,
        expect.stringContaining('conflict markers'),
      ]);
    }
    const checked = await run('check');
    expect([checked.exitCode, checked.stdout]).toEqual([1, expect.stringContaining('conflict markers')]);
    expect((await run('status')).stdout).toContain('conflict markers');
    const input = JSON.stringify({ session_id: 's', cwd: root, source: 'startup' });
    const { stdout } = await runWarm(['hook', 'claude-code', 'SessionStart'], { cwd: root, input });
    expect(stdout).toContain('ours');
    expect(stdout).not.toMatch(/<<<<<<<|>>>>>>>|theirs/);
    expect(text()).toBe(before);
    for (const marker of [/^<{7} ours\n/m, /^\|{7} base\n/m, /^={7}\n/m, /^>{7} theirs\n/m]) {
      writeFileSync(pad, text().replace(marker, ''));
      if (!/^[<|>]{7} /m.test(text())) break;
      expect(await notes()).toEqual(['ours']);
      expect((await run('notes', 'add', 'x')).stderr).toContain('conflict markers');
    }
    writeFileSync(pad, before.replace(/<{7}[\s\S]*?>{7} theirs/, 'both'));
    git(root, 'add', 'SCRATCHPAD.md');
    expect(await notes()).toEqual(['both']);
    expect((await run('notes', 'add', 'x')).exitCode).toBe(0);
    expect(await notes()).toEqual(['both', 'x']);
  });

  test('are read as the branch has it, not as another had it when something was written last', async () => {
    const { root, run, commit, notes, pad, text } = await tracked();
    git(root, 'checkout', '-q', '-b', 'other');
    await run('notes', 'set', 'theirs');
    commit();
    git(root, 'checkout', '-q', 'main');
    writeFileSync(pad, text().replace('first\n', 'ours, by hand\n'));
    commit();
    expect(() => git(root, 'merge', '-q', '--no-edit', 'other')).toThrow();
    expect(await notes()).toEqual(['ours, by hand']);
  });

  const marked = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other';

  test.each(['in git', 'outside git'])('that somebody wrote are ordinary text, %s', async (where) => {
    const root = where === 'in git' ? testRepository() : testDir();
    const run = (...args: string[]) => runWarm([...args, '-w', root], { cwd: root });
    const pad = join(root, 'SCRATCHPAD.md');
    const journal = join(root, '.scratchpad/sessions/main/journal.jsonl');
    await run('notes', 'set', marked, '--init');
    expect((await run('notes', 'add', 'more')).exitCode).toBe(0);
    expect((await run('notes', 'show')).stdout).toBe(`${marked}\nmore\n`);
    // A kill between journal and file.
    const before = readFileSync(pad);
    await run('notes', 'add', 'last');
    expect(readFileSync(journal, 'utf8')).toContain('last');
    writeFileSync(pad, before);
    expect((await run('plan', 'set', '1. go on')).exitCode).toBe(0);
    expect((await run('notes', 'show')).stdout).toBe(`${marked}\nmore\nlast\n`);
    // Edits by hand, in a space and in a section of the person's own.
    writeFileSync(pad, readFileSync(pad, 'utf8').replace('more\n', 'by hand\n'));
    expect((await run('notes', 'show')).stdout).toBe(`${marked}\nby hand\nlast\n`);
    writeFileSync(pad, `${readFileSync(pad, 'utf8')}\n## Mine\n>>>>>>> x\n`);
    expect((await run('notes', 'add', 'end')).exitCode).toBe(0);
    expect((await run('check')).stdout).not.toContain('conflict markers');
    expect((await run('undo')).exitCode).toBe(0);
    expect((await run('notes', 'clear')).exitCode).toBe(0);
    expect(readFileSync(pad, 'utf8')).toContain('\n## Mine\n>>>>>>> x\n');
  });

  test('that were committed are ordinary text', async () => {
    const { root, run, commit, pad, text } = await conflicting();
    const before = text();
    commit();
    expect((await run('notes', 'add', 'x')).exitCode).toBe(0);
    expect((await run('notes', 'show')).stdout).toMatch(/^<{7} ours\nours\n[\s\S]*theirs\nx\n$/);
    expect(git(root, 'show', 'HEAD:SCRATCHPAD.md')).toBe(before.trim());
    expect(readFileSync(pad, 'utf8')).toContain('>>>>>>> theirs');
  });
});

describe('merging two pads', () => {
  const pad = (notes: string, extra = '') =>
    `---\nscratchpad: 1\nsession: main\ntracked: true\n---\n\n${extra}## Notes\n<!-- scratchpad:notes -->\n${notes}<!-- /scratchpad:notes -->\n`;

  test('takes what only one side changed, in the spaces and around them', () => {
    const merged = mergePads(pad('a\n'), pad('a\nb\n'), pad('a\n', 'By hand.\n\n'));
    expect(merged).toEqual({ text: pad('a\nb\n', 'By hand.\n\n'), conflict: false });
    expect(mergePads(pad('a\n'), pad(''), pad('a\n'))).toEqual({ text: pad(''), conflict: false });
  });

  test('without a common ancestor keeps both', () => {
    expect(mergePads('', pad('a\n'), pad('b\n'))).toEqual({ text: pad('a\nb\n'), conflict: false });
  });

  test('shows as a conflict what both changed', () => {
    const { text, conflict } = mergePads(pad('a\n'), pad('b\n'), pad('c\n'));
    expect(conflict).toBe(true);
    expect(text).toMatch(/<<<<<<< ours\nb\n/);
  });
});
