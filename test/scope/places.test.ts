import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSealed, writeSealed } from '../../src/base/trust/seal.ts';
import { openScratchpad } from '../../src/index.ts';
import { HOST_SESSIONS } from '../../src/session/actor.ts';
import { git, testRepository } from '../helpers/git.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';

/** Runs a command as a session of a host, or as a person. */
async function say(cwd: string, who: string | undefined, ...args: string[]): Promise<string> {
  const env = { ...minimalEnv(), ...(who && { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: who }) };
  const { stdout, stderr } = await runWarm(args, { cwd, env });
  return stdout + stderr;
}

/** What a session is told at a prompt. */
async function prompt(cwd: string, session: string): Promise<string> {
  const input = JSON.stringify({
    ...{ hook_event_name: 'UserPromptSubmit', session_id: session, cwd },
    ...{ prompt: 'go on', source: 'user' },
  });
  return (await runWarm(['hook', 'claude-code', 'UserPromptSubmit'], { cwd, input })).stdout;
}

/** The session's end is told by its host. */
function end(cwd: string, session: string): void {
  const path = join(cwd, '.scratchpad/hosts', `${session}.json`);
  const record = readSealed(path, HOST_SESSIONS) as object;
  writeSealed(path, HOST_SESSIONS, { ...record, ended: Date.now() + 1000 }, {});
}

test("a session's plan set leaves a person's open plan beside its own, and plan take gives it back", async () => {
  const cwd = testRepository();
  await say(cwd, undefined, 'plan', 'set', '1. Ship it\n2. Tell them');
  expect(await say(cwd, 'one', 'plan', 'set', '1. Mend the build')).toContain(
    'plan 1 of main (Ship it, 0 of 2 done) was set aside; scratchpad plan take 1 brings it back',
  );
  expect(await say(cwd, 'one', 'plan', 'show')).toMatch(/^1\. Mend the build\n/);
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain(
    '- Plan 1 of main (Ship it, 0 of 2 done)',
  );
  await say(cwd, undefined, 'plan', 'take', '1');
  expect(await say(cwd, undefined, 'plan', 'show')).toMatch(/^1\. Ship it\n2\. Tell them\n/);
  expect(await say(cwd, 'one', 'plan', 'show')).toMatch(/^1\. Mend the build\n/);
});

test('undo gives a plan that was taken back to its branch', async () => {
  const cwd = testRepository();
  await say(cwd, undefined, 'plan', 'set', '1. On main');
  git(cwd, 'checkout', '-q', '-b', 'feature');
  await say(cwd, undefined, 'plan', 'set', '1. On the branch');
  git(cwd, 'checkout', '-q', 'main');
  await say(cwd, undefined, 'plan', 'take', '2');
  expect(await say(cwd, undefined, 'plan', 'show')).toMatch(/^1\. On the branch\n/);
  expect(await say(cwd, undefined, 'undo')).toContain('undid revision 3: plan take (plan 2 to main)');
  expect(await say(cwd, undefined, 'plan', 'show')).toMatch(/^1\. On main\n/);
  git(cwd, 'checkout', '-q', 'feature');
  expect(await say(cwd, undefined, 'plan', 'show')).toMatch(/^1\. On the branch\n/);
  expect(await say(cwd, undefined, 'history', '1')).toMatch(/undo of 3 .* plan 2 to feature\n/);
});

test('plan take names the plan before and after, and undo gives it back', async () => {
  const cwd = testRepository();
  await say(cwd, 'one', 'plan', 'set', '1. Mend the build');
  await prompt(cwd, 'one');
  await say(cwd, undefined, 'plan', 'set', '1. Ship it');
  const taken = await say(cwd, undefined, 'plan', 'take', '1');
  expect(taken).toContain(
    'plan 1 of session one on main (Mend the build, 0 of 1 done) was moved here in place of plan 2 of main ' +
      '(Ship it, 0 of 1 done), which is set aside; scratchpad undo moves it back\n1. Mend the build\n',
  );
  expect(taken).toContain('session one on main may be running, and has lost it');
  await say(cwd, undefined, 'undo');
  expect(await say(cwd, 'one', 'plan', 'show')).toMatch(/^1\. Mend the build\n/);
  expect(await say(cwd, undefined, 'plan', 'show')).toMatch(/^1\. Ship it\n/);
});

test('a program takes the plan that a notice of the library names', async () => {
  const cwd = testRepository();
  await say(cwd, undefined, 'plan', 'set', '1. Ship it');
  git(cwd, 'checkout', '-q', '-b', 'feature');
  const pad = await openScratchpad({ workspace: cwd, env: minimalEnv() });
  expect((await pad.plan.set('1. Build it')).warnings).toEqual([
    'a new plan was begun; still open beside it: plan 1 of main (Ship it, 0 of 1 done)',
  ]);
  const taken = await pad.plan.take(1);
  expect(taken).toMatchObject({ space: 'plan', used: 10, changed: true, warnings: [] });
  expect(await pad.plan.read()).toBe('1. Ship it');
  await expect(pad.plan.take(7)).rejects.toThrow('there is no open plan 7');
  await pad.undo();
  expect(await pad.plan.read()).toBe('1. Build it');
});

test('undo takes back one plan take after the other, also one that only shows another plan of this branch', async () => {
  const cwd = testRepository();
  git(cwd, 'checkout', '-q', '-b', 'feature');
  await say(cwd, undefined, 'plan', 'set', '1. Build it');
  git(cwd, 'checkout', '-q', 'main');
  await say(cwd, undefined, 'plan', 'set', '1. Ship it');
  await say(cwd, undefined, 'plan', 'take');
  await say(cwd, undefined, 'plan', 'take');
  const here = async () => (await say(cwd, undefined, 'plan')).match(/^1\. .*$/m)?.[0];
  expect(await here()).toBe('1. Ship it');
  await say(cwd, undefined, 'undo');
  expect(await here()).toBe('1. Build it');
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toContain('plan -->\n1. Build it\n');
  await say(cwd, undefined, 'redo');
  expect(await here()).toBe('1. Ship it');
  await say(cwd, undefined, 'undo');
  expect(await here()).toBe('1. Build it');
  await say(cwd, undefined, 'undo');
  expect(await here()).toBe('1. Ship it');
  git(cwd, 'checkout', '-q', 'feature');
  expect(await here()).toBe('1. Build it');
});

test('a session that changes the branch is told once that the plan it was shown stayed behind', async () => {
  const cwd = testRepository();
  await say(cwd, undefined, 'plan', 'set', '1. Ship it');
  const ask = async () => {
    const input = JSON.stringify({
      hook_event_name: 'UserPromptSubmit',
      session_id: 'one',
      cwd,
      prompt: 'why?',
    });
    return (await runWarm(['hook', 'claude-code', 'UserPromptSubmit'], { cwd, input })).stdout;
  };
  expect(await ask()).toContain('1. Ship it');
  git(cwd, 'checkout', '-q', '-b', 'feature');
  expect(await ask()).toContain(
    'Plan 1 (Ship it, 0 of 1 done), which you were shown, is on main and not the plan here; `scratchpad plan take 1` brings it here.',
  );
  expect(await ask()).not.toContain('Ship it');
});

test("a session that goes on with a person's plan changes that one", async () => {
  const cwd = testRepository();
  await say(cwd, undefined, 'plan', 'set', '1. Ship it\n2. Tell them');
  expect(await say(cwd, 'one', 'plan', 'done', '1')).not.toMatch(/a new plan was begun|was set aside/);
  expect(await say(cwd, undefined, 'plan', 'show')).toBe('1. ~~Ship it~~ DONE\n2. Tell them\n');
  await say(cwd, undefined, 'plan', 'done', '2');
  // A plan that is done is in nobody's way.
  expect(await say(cwd, 'one', 'plan', 'set', '1. Next')).not.toMatch(/a new plan was begun|was set aside/);
});

test('on a detached HEAD there is a plan of its own, whatever the commit', async () => {
  const cwd = testRepository();
  await say(cwd, 'one', 'plan', 'set', '1. On main');
  git(cwd, 'checkout', '-q', '--detach');
  await say(cwd, 'one', 'plan', 'set', '1. Look at the old one');
  expect(await say(cwd, 'two', 'plan')).toMatch(/plan 2 of session one on detached at [\da-f]{7} \(Look/);
  git(cwd, 'commit', '-q', '--allow-empty', '-m', 'more');
  expect(await say(cwd, 'one', 'plan', 'show')).toMatch(/^1\. Look at the old one\n/);
  git(cwd, 'checkout', '-q', 'main');
  expect(await say(cwd, 'one', 'plan', 'show')).toMatch(/^1\. On main\n/);
});

test('a branch that was deleted: its plan stays with its session, and then is left to others', async () => {
  const cwd = testRepository();
  git(cwd, 'checkout', '-q', '-b', 'feature');
  await say(cwd, 'one', 'plan', 'set', '1. Build it\n2. Try it');
  git(cwd, 'checkout', '-q', 'main');
  git(cwd, 'branch', '-D', 'feature');
  expect(await say(cwd, 'one', 'plan', 'show')).toMatch(/^1\. Build it\n2\. Try it\n/);
  await prompt(cwd, 'one');
  end(cwd, 'one');
  const told = await prompt(cwd, 'two');
  expect(told).toContain(
    String.raw`## Plan, left within the hour by an earlier session, 0 of 2 done, made on branch feature, which is gone\n1. Build it`,
  );
  expect(await prompt(cwd, 'two')).not.toContain('Build it');
  expect(await say(cwd, 'two', 'plan', 'done', '1')).toContain('this continues the plan of ');
  expect(await say(cwd, 'two', 'plan', 'show')).toBe('1. ~~Build it~~ DONE\n2. Try it\n');
});

test('the plan of a branch that is gone belongs to the branch where a person goes on with it, which is said once', async () => {
  const cwd = testRepository();
  git(cwd, 'checkout', '-q', '-b', 'feature');
  await say(cwd, undefined, 'plan', 'set', '1. Build it\n2. Try it');
  git(cwd, 'checkout', '-q', 'main');
  git(cwd, 'branch', '-D', 'feature');
  expect(await say(cwd, undefined, 'todo', 'Ship it')).toContain(
    'this continues the plan of branch feature, which is gone; undo takes the change back',
  );
  expect(await say(cwd, undefined, 'done', '1')).not.toContain('this continues');
  git(cwd, 'checkout', '-q', '-b', 'other');
  expect(await say(cwd, undefined, 'plan')).toMatch(/plan is empty\n$/);
});

test.each([
  ['a person', undefined],
  ['a session', 'one'],
])(
  'a plan of %s follows its branch that is renamed, and no branch that gets the old name has it',
  async (_, who) => {
    const cwd = testRepository();
    git(cwd, 'checkout', '-q', '-b', 'fix/old');
    await say(cwd, who, 'plan', 'set', '1. Build it\n2. Try it');
    git(cwd, 'branch', '-m', 'fix/old', 'new');
    expect(await say(cwd, who, 'plan')).toBe('1. Build it\n2. Try it\n');
    await say(cwd, who, 'plan', 'done', '1');
    await say(cwd, who, 'undo');

    git(cwd, 'checkout', '-q', '-b', 'fix/old', 'main');
    expect(await say(cwd, 'two', 'plan')).toContain('plan is empty');
    expect(await say(cwd, undefined, 'plan')).toContain('on new (Build it, 0 of 2 done)'.slice(who ? 0 : 3));
    // The log of a branch has full seconds.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await say(cwd, who, 'todo', 'Other work');
    git(cwd, 'branch', '-m', 'new', 'newer');
    git(cwd, 'checkout', '-q', 'newer');
    expect(await say(cwd, who, 'plan')).toMatch(/^1\. Build it\n2\. Try it\n/);
    git(cwd, 'branch', '-m', 'fix/old', 'fix/other');
    git(cwd, 'branch', '-m', 'newer', 'fix/old');
    expect(await say(cwd, who, 'plan')).toMatch(/^1\. Build it\n2\. Try it\n/);
  },
);

test('what does not exist is refused in clear words, and nothing is made', async () => {
  const cwd = testRepository();
  await say(cwd, 'one', 'plan', 'set', '1. Mine');
  await say(cwd, undefined, 'plan', 'set', '1. A person’s');
  await say(cwd, 'one', 'plan', 'clear');
  const before = readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
  expect(await say(cwd, undefined, 'plan', 'take', '1')).toContain(
    'there is no open plan 1, or it is gone: nothing was changed',
  );
  for (const args of [['notes'], ['plan'], ['history'], ['undo']])
    expect(await say(cwd, undefined, ...args, '-s', 'nosuch')).toContain('no such session');
  expect(existsSync(join(cwd, '.scratchpad/sessions/nosuch'))).toBe(false);
  expect(readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8')).toBe(before);
});
