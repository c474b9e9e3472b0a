import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSealed, writeSealed } from '../../src/base/trust/seal.ts';
import { parsePad, readRegion } from '../../src/pad/document.ts';
import { HOST_SESSIONS } from '../../src/session/actor.ts';
import { git, testRepository } from '../helpers/git.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

/** Whose plan is whose, as people and agents live through it: commands, hooks, the file and git, side by side. */
const LEFT = '1. Build it\n2. Try it';

/** Runs a command as a session of a host, or as a person. */
async function say(cwd: string, who: string | undefined, ...args: string[]): Promise<string> {
  const env = { ...minimalEnv(), ...(who && { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: who }) };
  const { stdout, stderr } = await runWarm(args, { cwd, env });
  return stdout + stderr;
}

/** The plan that `scratchpad plan` prints, without what is said beside it. */
async function plan(cwd: string, who?: string): Promise<string> {
  const env = { ...minimalEnv(), ...(who && { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: who }) };
  return (await runWarm(['plan'], { cwd, env })).stdout.trimEnd();
}

/** What a session is told at an event. */
async function tell(cwd: string, session: string, event: string, more: object = {}): Promise<string> {
  const input = JSON.stringify({ hook_event_name: event, session_id: session, cwd, ...more });
  const env = { ...minimalEnv(), ...('env' in more && (more.env as object)) };
  return (await runWarm(['hook', 'claude-code', event], { cwd, input, env })).stdout;
}

const start = (cwd: string, session: string, source = 'startup'): Promise<string> =>
  tell(cwd, session, 'SessionStart', { source });
const prompt = (cwd: string, session: string): Promise<string> =>
  tell(cwd, session, 'UserPromptSubmit', { prompt: 'what does foo do?' });

/** The session's end is reported by its host. */
function end(cwd: string, session: string): void {
  const path = join(cwd, '.scratchpad/hosts', `${session}.json`);
  const record = readSealed(path, HOST_SESSIONS) as object;
  writeSealed(path, HOST_SESSIONS, { ...record, ended: Date.now() + 1000 }, {});
}

const readPad = (root: string): string => readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8');
const planInFile = (root: string): string => readRegion(parsePad(readPad(root)), 'plan');

/** A repository in which session `one` has set a plan and ended. */
async function withLeftPlan(): Promise<string> {
  const cwd = testRepository();
  await say(cwd, undefined, 'init');
  await start(cwd, 'one');
  await say(cwd, 'one', 'plan', 'set', LEFT);
  end(cwd, 'one');
  return cwd;
}

describe('two sessions at once', () => {
  test('each has its plan, after a compaction and when it is resumed', async () => {
    const cwd = testRepository();
    await say(cwd, undefined, 'init');
    for (const [who, steps] of [
      ['one', '1. Migrate the database'],
      ['two', '1. Mend the build'],
    ] as const) {
      await start(cwd, who);
      await say(cwd, who, 'plan', 'set', steps);
    }
    for (const source of ['compact', 'resume', 'clear']) {
      const [one, two] = [await start(cwd, 'one', source), await start(cwd, 'two', source)];
      // A resumed window holds its plan.
      if (source !== 'resume') expect(one).toContain('1. Migrate the database');
      expect(one).not.toContain('1. Mend the build');
      if (source !== 'resume') expect(two).toContain('1. Mend the build');
      expect(two).not.toContain('1. Migrate the database');
      expect(await plan(cwd, 'one')).toBe('1. Migrate the database');
      expect(await plan(cwd, 'two')).toBe('1. Mend the build');
    }
    expect(await say(cwd, 'one', 'plan', 'done', '1')).toContain('~~Migrate the database~~');
    expect(await plan(cwd, 'two')).toBe('1. Mend the build');
    // A person sees what the file shows.
    expect(await plan(cwd)).toBe(planInFile(cwd));
  });
});

describe("over an ended session's open plan", () => {
  test('another one is set beside it, both sessions are told, and plan take brings it back', async () => {
    const cwd = await withLeftPlan();
    expect(await start(cwd, 'two')).toContain('2. Try it');
    const set = await say(cwd, 'two', 'plan', 'set', '1. Write the manual');
    expect(set).toContain('plan 1 of session one on main (Build it, 0 of 2 done) was set aside');
    expect(set).toContain('scratchpad plan take 1');
    expect(set).not.toContain('this continues');
    expect(readPad(cwd)).toContain('- Plan 1 of session one on main (Build it, 0 of 2 done)');

    const back = await start(cwd, 'one', 'resume');
    expect(back).toContain('Another session: Write the manual, 0 of 1 done; it may be running');
    expect(await plan(cwd, 'one')).toBe(LEFT);
    end(cwd, 'one');

    expect(await plan(cwd, 'two')).toBe('1. Write the manual');
    await say(cwd, 'two', 'plan', 'take', '1');
    expect(await plan(cwd, 'two')).toBe(LEFT);
    expect(await say(cwd, 'two', 'plan')).toContain('plan 2 of session two on main (Write the manual');
  });

  test('a person who sets another one loses neither', async () => {
    const cwd = await withLeftPlan();
    expect(await say(cwd, undefined, 'plan', 'set', '1. Write the manual')).toContain('was set aside');
    expect(await plan(cwd)).toBe('1. Write the manual');
    await say(cwd, undefined, 'plan', 'take', '1');
    expect(await plan(cwd)).toBe(LEFT);
  });

  test('undo of the set gives the plan from before, redo the new one', async () => {
    const cwd = await withLeftPlan();
    await start(cwd, 'two');
    await say(cwd, 'two', 'plan', 'set', '1. Write the manual');
    await say(cwd, 'two', 'undo');
    expect(await plan(cwd, 'two')).toBe(LEFT);
    expect(await say(cwd, 'two', 'undo')).toContain('nothing to undo');
    await say(cwd, 'two', 'redo');
    expect(await plan(cwd, 'two')).toBe('1. Write the manual');
    expect(readPad(cwd)).toContain('- Plan 1 of session one on main (Build it, 0 of 2 done)');
  });

  test('a session that goes on with it is told so once, and undo gives it back to who left it', async () => {
    const cwd = await withLeftPlan();
    await start(cwd, 'two');
    const done = await say(cwd, 'two', 'plan', 'done', '1');
    expect(done).toContain('this continues the plan of session one on main');
    expect(await say(cwd, 'two', 'plan', 'done', '2')).not.toContain('this continues');
    await say(cwd, 'two', 'undo', '2');
    expect(await plan(cwd, 'one')).toBe(LEFT);
    expect(await start(cwd, 'three')).toMatch(/## Plan, left [^\n]* by an earlier session, 0 of 2 done/);
  });
});

describe('a plan that was shown and is changed by somebody else', () => {
  test('set over by another session, it is still there to go on with', async () => {
    const cwd = await withLeftPlan();
    expect(await start(cwd, 'two')).toContain('2. Try it');
    await start(cwd, 'three');
    await say(cwd, 'three', 'plan', 'set', '1. Write the manual');
    expect(await say(cwd, 'two', 'plan', 'done', '1')).toContain('1. ~~Build it~~ DONE');
    expect(await plan(cwd, 'three')).toBe('1. Write the manual');
  });

  test('taken up by another session, the step is refused with whose it is now, and the next prompt says so', async () => {
    const cwd = await withLeftPlan();
    expect(await start(cwd, 'two')).toContain('2. Try it');
    await start(cwd, 'three');
    await say(cwd, 'three', 'plan', 'done', '1');

    const refused = await say(cwd, 'two', 'plan', 'done', '2');
    expect(refused).not.toContain('no plan here yet');
    expect(refused).toContain('you have no plan here: nothing was changed');
    expect(refused).toContain('plan 1 of session three on main (Try it, 1 of 2 done)');
    expect(refused).toContain('scratchpad plan take');

    const told = await prompt(cwd, 'two');
    expect(told).toContain(
      'Plan 1 (Try it, 1 of 2 done), which you were shown, is the plan of another session now',
    );
    expect(told).toContain('`scratchpad plan take 1` takes it over');
    expect(await prompt(cwd, 'two')).not.toContain('Build it');

    // The one that loses it is told in the same words, also if it is finished by then.
    await say(cwd, 'two', 'plan', 'take', '1');
    await say(cwd, 'two', 'plan', 'done', '2');
    expect(await prompt(cwd, 'three')).toContain('which you were shown, is the plan of another session now');
  });

  test('the one that left it is told when it comes back', async () => {
    const cwd = await withLeftPlan();
    await start(cwd, 'two');
    await say(cwd, 'two', 'plan', 'done', '1');
    expect(await start(cwd, 'one', 'resume')).toContain('Try it, 1 of 2 done');
    expect(await say(cwd, 'one', 'plan', 'done', '2')).toContain(
      'of session two on main (Try it, 1 of 2 done)',
    );
  });
});

describe('after a checkout', () => {
  test('the file and scratchpad plan agree, there and back', async () => {
    const cwd = testRepository();
    const agree = async (expected: string): Promise<void> => {
      expect(await plan(cwd)).toBe(expected);
      expect(planInFile(cwd)).toBe(expected);
      expect(await plan(cwd)).toBe(expected);
    };
    await say(cwd, undefined, 'plan', 'set', '1. On main');
    git(cwd, 'checkout', '-q', '-b', 'feature');
    await agree('');
    expect(readPad(cwd)).toContain('- Plan 1 of main (On main, 0 of 1 done)');
    await say(cwd, undefined, 'plan', 'set', '1. On the branch');
    await agree('1. On the branch');
    git(cwd, 'checkout', '-q', 'main');
    await agree('1. On main');
    await say(cwd, undefined, 'notes', 'add', 'written on main');
    await agree('1. On main');
    git(cwd, 'checkout', '-q', 'feature');
    await say(cwd, undefined, 'notes', 'add', 'written on the branch');
    await agree('1. On the branch');
    git(cwd, 'checkout', '-q', 'main');
    expect(await say(cwd, undefined, 'show')).toContain('1. On main');
    expect(planInFile(cwd)).toBe('1. On main');
  });

  test("a session's end of a turn brings the file in step", async () => {
    const cwd = testRepository();
    await say(cwd, undefined, 'plan', 'set', '1. On main');
    git(cwd, 'checkout', '-q', '-b', 'feature');
    await start(cwd, 'one');
    await prompt(cwd, 'one');
    await tell(cwd, 'one', 'Stop');
    expect(planInFile(cwd)).toBe('');
    git(cwd, 'checkout', '-q', 'main');
    await tell(cwd, 'one', 'Stop');
    expect(planInFile(cwd)).toBe('1. On main');
  });

  test('an edit belongs to the plan that the file showed, and begins one where it showed none', async () => {
    const cwd = testRepository();
    const edit = (from: string, to: string): void =>
      writeFileSync(join(cwd, 'SCRATCHPAD.md'), readPad(cwd).replace(from, to));
    await say(cwd, undefined, 'plan', 'set', '1. On main');
    const buffer = readPad(cwd);
    git(cwd, 'checkout', '-q', '-b', 'feature');
    // Nothing has rendered the file anew: the person has the plan of main before them.
    edit('1. On main', '1. On main\n2. By hand');
    expect(await plan(cwd)).toBe('');
    const marker = '<!-- scratchpad:plan -->\n';
    edit(marker, `${marker}1. By hand on the branch\n`);
    expect(await plan(cwd)).toBe('1. By hand on the branch');
    git(cwd, 'checkout', '-q', 'main');
    expect(await plan(cwd)).toBe('1. On main\n2. By hand');
    edit('2. By hand', '2. By hand\n3. Again');
    git(cwd, 'checkout', '-q', 'feature');
    expect(await plan(cwd)).toBe('1. By hand on the branch');
    git(cwd, 'checkout', '-q', 'main');
    expect(await plan(cwd)).toBe('1. On main\n2. By hand\n3. Again');
    // An editor saves what it has had open all the time.
    git(cwd, 'checkout', '-q', 'feature');
    await plan(cwd);
    writeFileSync(join(cwd, 'SCRATCHPAD.md'), buffer.replace('1. On main', '0. First\n1. On main'));
    expect(await plan(cwd)).toBe('1. By hand on the branch');
    git(cwd, 'checkout', '-q', 'main');
    expect(await plan(cwd)).toBe('0. First\n1. On main\n2. By hand\n3. Again');
  });

  test('undo takes back what was done on this branch', async () => {
    const cwd = testRepository();
    await say(cwd, undefined, 'plan', 'set', '1. On main');
    await say(cwd, undefined, 'plan', 'done', '1');
    git(cwd, 'checkout', '-q', '-b', 'feature');
    await say(cwd, undefined, 'plan', 'set', '1. On the branch');
    git(cwd, 'checkout', '-q', 'main');
    await say(cwd, undefined, 'undo');
    expect([await plan(cwd), planInFile(cwd)]).toEqual(['1. On main', '1. On main']);
    git(cwd, 'checkout', '-q', 'feature');
    await say(cwd, undefined, 'undo');
    expect([await plan(cwd), planInFile(cwd)]).toEqual(['', '']);
    await say(cwd, undefined, 'redo');
    expect([await plan(cwd), planInFile(cwd)]).toEqual(['1. On the branch', '1. On the branch']);
  });
});

describe('a branch that is gone', () => {
  test.each([
    ['renamed', ['branch', '-m', 'feature', 'login'], 'login'],
    ['deleted', ['branch', '-D', 'feature'], 'main'],
    ['merged and deleted', ['merge', '-q', 'feature'], 'main'],
  ])('%s: its plan is the plan of whoever comes, and can be gone on with', async (_, away, where) => {
    const cwd = testRepository();
    await say(cwd, undefined, 'init');
    git(cwd, 'checkout', '-q', '-b', 'feature');
    await start(cwd, 'one');
    await say(cwd, 'one', 'plan', 'set', LEFT);
    git(cwd, 'commit', '-q', '--allow-empty', '-m', 'more');
    git(cwd, 'checkout', '-q', 'main');
    git(cwd, ...away);
    if (away[0] === 'merge') git(cwd, 'branch', '-d', 'feature');
    git(cwd, 'checkout', '-q', where);
    end(cwd, 'one');

    expect([await plan(cwd), planInFile(cwd)]).toEqual([LEFT, LEFT]);
    expect(await plan(cwd, 'one')).toBe(LEFT);
    expect(await start(cwd, 'two')).toContain('2. Try it');
    await say(cwd, 'two', 'plan', 'done', '1');
    expect(await plan(cwd, 'two')).toBe('1. ~~Build it~~ DONE\n2. Try it');
    await say(cwd, 'two', 'undo');
    expect(await plan(cwd)).toBe(LEFT);
  });

  test('a plan that was merged is set aside by a new one, and stands again where it was', async () => {
    const cwd = testRepository();
    git(cwd, 'branch', 'next');
    git(cwd, 'checkout', '-q', '-b', 'feature');
    await say(cwd, undefined, 'plan', 'set', LEFT, '--init');
    git(cwd, 'checkout', '-q', 'main');
    git(cwd, 'branch', '-D', 'feature');
    expect(await plan(cwd)).toBe(LEFT);
    git(cwd, 'checkout', '-q', 'next');
    expect(await say(cwd, undefined, 'plan', 'set', '1. Another')).toContain('plan take 1 brings it back');
    git(cwd, 'checkout', '-q', 'main');
    expect([await plan(cwd), planInFile(cwd)]).toEqual([LEFT, LEFT]);
  });

  test.each([
    ['made', ['checkout', '-q', '-b', 'topic']],
    ['copied', ['branch', '-c', 'main', 'topic']],
    ['made and renamed', ['checkout', '-q', '-b', 'other']],
  ])('a branch that is %s after its last change starts empty, and is offered the plan', async (_, make) => {
    const cwd = testRepository();
    const tree = join(cwd, '../gone');
    await say(cwd, undefined, 'init');
    git(cwd, 'worktree', 'add', '-q', '-b', 'feature', tree);
    await say(tree, undefined, 'plan', 'set', LEFT);
    git(cwd, 'worktree', 'remove', '--force', tree);
    git(cwd, 'branch', '-D', 'feature');

    git(cwd, ...make);
    if (make.includes('other')) git(cwd, 'branch', '-m', 'other', 'topic');
    git(cwd, 'checkout', '-q', 'topic');
    expect(await say(cwd, undefined, 'plan')).toMatch(
      /other open plans: plan 1 .*plan take N[\s\S]*plan is empty/,
    );
    expect(await start(cwd, 'two')).toContain('`scratchpad plan take 1` switches to it');
    expect(await say(cwd, undefined, 'todo', 'Topic')).toContain('still open beside it: plan 1');
    expect([await plan(cwd), planInFile(cwd)]).toEqual(['1. Topic', '1. Topic']);
    git(cwd, 'checkout', '-q', 'main');
    expect(await plan(cwd)).toBe(LEFT);
  });

  test('a plan of this branch goes before one of a branch that is gone', async () => {
    const cwd = testRepository();
    await say(cwd, undefined, 'plan', 'set', '1. On main');
    git(cwd, 'checkout', '-q', '-b', 'feature');
    await say(cwd, undefined, 'plan', 'set', LEFT);
    git(cwd, 'checkout', '-q', 'main');
    git(cwd, 'branch', '-D', 'feature');
    expect(await start(cwd, 'two')).toContain('1. On main');
    expect(await plan(cwd)).toBe(planInFile(cwd));
    expect(await say(cwd, undefined, 'plan')).toMatch(/plan [12] of (?:main|feature)/);
  });
});

describe('a work tree', () => {
  test('has plans of its own, which the main one has once tree and branch are checked out there', async () => {
    const root = testRepository();
    const tree = join(root, '../tree');
    git(root, 'worktree', 'add', '-q', '-b', 'feature', tree);
    await say(root, undefined, 'plan', 'set', '1. On main');
    await say(tree, undefined, 'plan', 'set', LEFT);
    expect([await plan(root), planInFile(root)]).toEqual(['1. On main', '1. On main']);
    expect(await plan(tree)).toBe(LEFT);
    git(root, 'worktree', 'remove', '--force', tree);
    expect(await start(root, 'two')).toContain('plan take 2');
    git(root, 'checkout', '-q', 'feature');
    expect([await plan(root), planInFile(root)]).toEqual([LEFT, LEFT]);
    expect(await start(root, 'three')).toContain('2. Try it');
    git(root, 'checkout', '-q', 'main');
    expect([await plan(root), planInFile(root)]).toEqual(['1. On main', '1. On main']);
  });
});

describe('claude -p on the second day', () => {
  const DAY_LATER = 25 * 3_600_000;
  const once = (cwd: string, session: string, hours: number): Promise<string> => {
    const now = new Date(Date.now() + hours * 3_600_000).toISOString();
    const input = JSON.stringify({
      hook_event_name: 'SessionStart',
      session_id: session,
      cwd,
      source: 'startup',
    });
    const env = { ...minimalEnv(), CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' };
    const args = ['hook', 'claude-code', 'SessionStart', '--now', now];
    return runWarm(args, { cwd, input, env }).then(({ stdout }) => stdout);
  };

  test('is told of the plan in one line, goes on with it by number, and a loop sees its own', async () => {
    const cwd = testDir();
    await say(cwd, undefined, 'init');
    await start(cwd, 'first');
    await say(cwd, 'first', 'plan', 'set', LEFT);
    end(cwd, 'first');
    expect(await once(cwd, 'second', 0.5)).toContain('2. Try it');
    const next = await once(cwd, 'third', 25);
    expect(next).toContain('`scratchpad plan take 1`');
    expect(next).not.toContain('2. Try it');

    const later = new Date(Date.now() + DAY_LATER).toISOString();
    const record = join(cwd, '.scratchpad/hosts/third.json');
    utimesSync(record, new Date(later), new Date(later));
    const done = await say(cwd, 'third', 'plan', 'done', '1', '--now', later);
    expect(done).toContain('plan 1 of session first (Build it, 0 of 2 done)');
    await say(cwd, 'third', 'plan', 'take', '1', '--now', later);
    expect(await say(cwd, 'third', 'plan', 'done', '1', '--now', later)).toContain('~~Build it~~ DONE');
  });
});

test('a secret in the name of a branch is told to nobody', async () => {
  const TOKEN = `ghp_${'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zA7bc'}`;
  const cwd = testRepository();
  git(cwd, 'checkout', '-q', '-b', `fix/${TOKEN}`);
  await runWarm(['plan', 'set', LEFT, '--init'], {
    cwd,
    env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'first' },
  });
  expect((await runWarm(['status'], { cwd })).stdout).not.toContain(TOKEN);
  git(cwd, 'checkout', '-q', 'main');
  const input = JSON.stringify({
    session_id: 'second',
    cwd,
    hook_event_name: 'SessionStart',
    source: 'startup',
  });
  const { stdout } = await runWarm(['hook', 'claude-code', 'SessionStart'], { cwd, input });
  expect(stdout).toContain('scratchpad plan take 1');
  expect(stdout).not.toContain(TOKEN);
});
