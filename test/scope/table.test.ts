import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { main as run } from '../../src/commands/program.ts';
import { answerEvent } from '../../src/hosts/answer.ts';
import { HOOK_HOSTS } from '../../src/hosts/host-rows.ts';
import { FileStore } from '../../src/session/file-store.ts';
import { git, testRepository } from '../helpers/git.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const PLAN =
  '1. ~~Rotate the signing keys~~ DONE\n2. Teach the parser fractions <-- current\n3. Write the manual';
/** A plan that is named in one line is named by its current step: this one stands in the plan alone. */
const STEP = 'Write the manual';
const NOTES = 'The staging database is frozen';
const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Host = 'claude-code' | 'codex' | 'gemini-cli';

/** Where and by whom the plan was made, and where a session asks for it. */
interface Case {
  /** What the place is, and what is in it. */
  place: 'no git' | 'repository' | 'folder of it';
  age: number;
  made?: { branch?: string; session?: string };
  asked?: { branch?: string; session?: string; oneShot?: boolean; prompt?: string };
  host?: Host;
  /** The view: the whole plan, with its age if it is old, a line about it, or nothing of it. */
  gets: 'plan' | 'old plan' | 'line' | 'nothing';
  plan?: string;
}

const DONE = '1. ~~Rotate the signing keys~~ DONE';
const main = { branch: 'main' };
const feature = { branch: 'feat/login' };
const CASES: Case[] = [
  // Age, in a directory without git.
  { place: 'no git', age: 0, gets: 'plan' },
  { place: 'no git', age: HOUR, gets: 'plan' },
  { place: 'no git', age: 23 * HOUR, gets: 'plan' },
  { place: 'no git', age: 25 * HOUR, gets: 'line' },
  { place: 'no git', age: 25 * HOUR, gets: 'nothing', plan: DONE },
  { place: 'no git', age: 44 * DAY, gets: 'line' },
  { place: 'no git', age: 400 * DAY, gets: 'line' },
  { place: 'no git', age: 44 * DAY, gets: 'nothing', plan: DONE },
  { place: 'no git', age: 44 * DAY, gets: 'line', plan: 'Port everything to the new parser' },
  // The session that made it comes back to it, however long it was away.
  { place: 'no git', age: 44 * DAY, made: { session: 's' }, asked: { session: 's' }, gets: 'old plan' },
  { place: 'no git', age: 44 * DAY, made: { session: 'r' }, asked: { session: 's' }, gets: 'line' },
  { place: 'no git', age: HOUR, made: { session: 'r' }, asked: { session: 's' }, gets: 'plan' },
  // The same in a repository, and in a folder of it.
  { place: 'repository', age: HOUR, made: main, asked: main, gets: 'plan' },
  { place: 'repository', age: 25 * HOUR, made: main, asked: main, gets: 'old plan' },
  { place: 'folder of it', age: HOUR, made: main, asked: main, gets: 'plan' },
  { place: 'folder of it', age: 2 * DAY, made: main, asked: main, gets: 'old plan' },
  // Branches.
  { place: 'repository', age: HOUR, made: main, asked: feature, gets: 'line' },
  { place: 'repository', age: HOUR, made: feature, asked: main, gets: 'line' },
  { place: 'repository', age: HOUR, made: feature, asked: feature, gets: 'plan' },
  { place: 'repository', age: 9 * DAY, made: feature, asked: main, gets: 'line' },
  { place: 'repository', age: 9 * DAY, made: feature, asked: feature, gets: 'old plan' },
  { place: 'repository', age: 15 * DAY, made: feature, asked: feature, gets: 'line' },
  { place: 'repository', age: 2 * DAY, made: feature, asked: feature, gets: 'nothing', plan: DONE },
  { place: 'repository', age: 2 * HOUR, made: feature, asked: feature, gets: 'plan' },
  { place: 'repository', age: HOUR, made: feature, asked: main, gets: 'nothing', plan: DONE },
  { place: 'folder of it', age: HOUR, made: main, asked: feature, gets: 'line' },
  // A session that made a plan and then its branch goes on with it.
  {
    place: 'repository',
    age: HOUR,
    made: { ...main, session: 's' },
    asked: { ...feature, session: 's' },
    gets: 'plan',
  },
  {
    place: 'repository',
    age: 9 * DAY,
    made: { ...main, session: 's' },
    asked: { ...main, session: 's' },
    gets: 'old plan',
  },
  // One-shot runs.
  { place: 'no git', age: 2 * HOUR, asked: { oneShot: true, prompt: 'what does foo do?' }, gets: 'line' },
  {
    place: 'no git',
    age: 2 * HOUR,
    asked: { oneShot: true, prompt: 'continue with the plan' },
    gets: 'line',
  },
  { place: 'no git', age: HOUR / 2, asked: { oneShot: true, prompt: 'what does foo do?' }, gets: 'plan' },
  { place: 'no git', age: 2 * DAY, asked: { oneShot: true, prompt: 'what does foo do?' }, gets: 'line' },
  {
    place: 'repository',
    age: 2 * HOUR,
    made: main,
    asked: { ...main, oneShot: true, prompt: 'what is this?' },
    gets: 'line',
  },
  // Other hosts.
  { place: 'no git', age: HOUR, host: 'codex', gets: 'plan' },
  { place: 'no git', age: 44 * DAY, host: 'codex', gets: 'line' },
  { place: 'repository', age: HOUR, made: feature, asked: main, host: 'codex', gets: 'line' },
  { place: 'no git', age: HOUR, host: 'gemini-cli', gets: 'plan' },
  { place: 'no git', age: 44 * DAY, host: 'gemini-cli', gets: 'line' },
  { place: 'repository', age: HOUR, made: feature, asked: main, host: 'gemini-cli', gets: 'line' },
  { place: 'folder of it', age: 9 * DAY, made: feature, asked: main, host: 'gemini-cli', gets: 'line' },
];

function placeFor({ place }: Case): { root: string; cwd: string } {
  const root = place === 'no git' ? testDir() : testRepository();
  const cwd = place === 'folder of it' ? join(root, 'src') : root;
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(root, '.scratchpad'));
  return { root, cwd };
}

const checkOut = (root: string, branch: string | undefined): void => {
  if (branch !== undefined) git(root, 'checkout', '-q', '-B', branch);
};

async function writePlan(root: string, cwd: string, each: Case): Promise<void> {
  checkOut(root, each.made?.branch);
  const session = each.made?.session;
  const env = { ...minimalEnv(), ...(session && { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session }) };
  const store = new FileStore(root, 'main', { now: () => NOW - each.age, env, cwd });
  await store.change(() => [
    { space: 'plan', content: each.plan ?? PLAN, op: 'set' },
    { space: 'notes', content: NOTES, op: 'set' },
  ]);
}

/** All that a session is told until its first prompt is answered. */
async function toldIn(cwd: string, each: Case): Promise<string> {
  const { host: name = 'claude-code', asked = {} } = each;
  const host = HOOK_HOSTS.get(name);
  if (!host) throw new Error(name);
  const env = { ...minimalEnv(), ...(asked.oneShot && { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }) };
  const events =
    name === 'gemini-cli' ? ['SessionStart', 'BeforeAgent'] : ['SessionStart', 'UserPromptSubmit'];
  const told: string[] = [];
  for (const event of events) {
    const prompt = event === 'SessionStart' ? {} : { prompt: asked.prompt ?? 'what does foo do?' };
    const source = event === 'SessionStart' ? { source: 'startup' } : {};
    const json = { session_id: asked.session ?? 'asking', hook_event_name: event, cwd, ...source, ...prompt };
    const now = new Date(NOW).toISOString();
    const reply = await answerEvent({ host, event, json, env, cwd, now, started: Date.now() });
    told.push(reply.text ?? '');
    await reply.finish();
  }
  return told.join('\n');
}

function nameOf({ place, age, made, asked, host, gets, plan }: Case): string {
  const old = age < DAY ? `${age / HOUR} h` : `${age / DAY} days`;
  const facts = [place, old, JSON.stringify(made ?? {}), JSON.stringify(asked ?? {}), host, plan];
  return `${facts.filter((fact) => fact !== undefined).join(' · ')}: ${gets}`.replace(/\s+/g, ' ');
}

describe('whose plan a session is shown', () => {
  test(`is decided in ${CASES.length} cases`, () => expect(CASES.length).toBeGreaterThanOrEqual(40));

  test.each(CASES.map((each) => ({ name: nameOf(each), each })))('$name', async ({ each }) => {
    const { root, cwd } = placeFor(each);
    await writePlan(root, cwd, each);
    checkOut(root, each.asked?.branch);
    const told = await toldIn(cwd, each);
    expect(told).toContain(NOTES);
    const line =
      /Plan \d \([^"]*? last changed [^"]*?\) is not shown; `scratchpad plan take \d` switches to it\./.test(
        told,
      );
    // A step's words anywhere, as "Working on" too, would be the plan put before the model.
    const whole = told.includes(STEP);
    const old = /## Plan, (?:last changed|left) (?:\d+ days|2[4-9] h|[34]\d h) ago\b/.test(told);
    const plan = old ? 'old plan' : 'plan';
    const short = line ? 'line' : 'nothing';
    expect(whole ? plan : short).toBe(each.gets);
    if (each.gets === 'line') expect(told).toMatch(/, (?:1 of 3 done|0 of 1 done), /);
    if (!whole) expect(told).not.toMatch(/Working on: (?!branch)/);
  });
});

describe('the plan of a session that has not said its end', () => {
  test.each([
    ['claude-code', (pid: number) => ({ CLAUDE_PID: `${pid}` })],
    ['codex', (pid: number) => ({ SCRATCHPAD_KEPT_BY: `1 ${pid}` })],
  ] as const)('is the next one’s as soon as the host was killed: %s', async (name, identify) => {
    const cwd = testDir();
    const killed = spawn('sleep', ['600']);
    const host = HOOK_HOSTS.get(name);
    if (!host) throw new Error(name);
    const start = async (session: string, variables: NodeJS.ProcessEnv): Promise<string> => {
      const json = { session_id: session, hook_event_name: 'SessionStart', cwd, source: 'startup' };
      const env = { ...minimalEnv(), ...variables };
      const reply = await answerEvent({ host, event: 'SessionStart', json, env, cwd, started: Date.now() });
      await reply.finish();
      return reply.text ?? '';
    };
    const session: Record<string, string> =
      name === 'codex' ? { CODEX_THREAD_ID: 'a' } : { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'a' };

    try {
      await runWarm(['init'], { cwd });
      await start('a', identify(killed.pid ?? 0));
      await runWarm(['plan', 'set', PLAN], { cwd, env: session });
      const other = identify(process.pid);
      expect(await start('b', other)).toMatch(/Another session: .*; it may be running/);
      const gone = once(killed, 'exit');
      killed.kill('SIGKILL');
      await gone;
      expect(await start('c', other)).toContain(STEP);
    } finally {
      killed.kill('SIGKILL');
    }
  });
});

describe('a plan that is told in one line', () => {
  test('is the plan here once it is taken up', async () => {
    const each: Case = { place: 'repository', age: 9 * DAY, made: feature, asked: main, gets: 'plan' };
    const { root, cwd } = placeFor(each);
    await writePlan(root, cwd, each);
    checkOut(root, 'main');
    expect(
      await run(['plan', 'take', '--quiet', '--now', new Date(NOW).toISOString()], minimalEnv(), cwd),
    ).toBe(0);
    expect(await toldIn(cwd, each)).toContain(STEP);
  });

  /** A pad at a new path is asked about once: nothing of it is told until the person approves it. */
  const approve = async (root: string, each: Case): Promise<void> => {
    const told = await toldIn(root, each);
    expect(told).toContain(
      'until the person runs `scratchpad trust`: SCRATCHPAD.md, not made here but copied, moved',
    );
    expect(told).not.toMatch(/parser|manual|staging/);
    const problem = /problem: +not used until you run scratchpad trust: SCRATCHPAD\.md, not made here/;
    expect((await runWarm(['status'], { cwd: root })).stdout).toMatch(problem);
    const doctor = await runWarm(['doctor'], { cwd: root });
    expect(doctor.stdout).toMatch(
      /warn +trust: not used until you run scratchpad trust: SCRATCHPAD\.md, .*\n +next: scratchpad trust\n/,
    );
    expect((await runWarm(['trust'], { cwd: root })).exitCode).toBe(0);
    expect((await runWarm(['status'], { cwd: root })).stdout).not.toContain('scratchpad trust');
  };

  test('of a repository that was moved is the plan there', async () => {
    const each: Case = { place: 'repository', age: HOUR, made: main, gets: 'plan' };
    const { root, cwd } = placeFor(each);
    await writePlan(root, cwd, each);
    git(root, 'remote', 'add', 'origin', 'git@example.com:a/b.git');
    expect(await toldIn(cwd, each)).toContain(STEP);
    git(root, 'remote', 'remove', 'origin');
    const moved = join(root, '../moved');
    renameSync(root, moved);
    expect(await toldIn(moved, each)).toContain(STEP);
  });

  test('of a clone is that of the same repository on another machine, once it is approved', async () => {
    const each: Case = { place: 'repository', age: HOUR, made: feature, gets: 'plan' };
    const { root, cwd } = placeFor(each);
    git(root, 'remote', 'add', 'origin', 'https://someone:token@example.com/a/b');
    await writePlan(root, cwd, each);
    const other = testRepository();
    git(other, 'remote', 'add', 'origin', 'git@example.com:a/b.git');
    git(other, 'checkout', '-q', '-b', 'feat/login');
    cpSync(join(root, '.scratchpad'), join(other, '.scratchpad'), { recursive: true });
    cpSync(join(root, 'SCRATCHPAD.md'), join(other, 'SCRATCHPAD.md'));
    rmSync(root, { recursive: true });
    await approve(other, each);
    expect(await toldIn(other, each)).toContain(STEP);
    git(other, 'checkout', '-q', 'main');
    expect(await toldIn(other, each)).toMatch(/Plan \d \(.*, on feat\/login, last changed .*\) is not shown/);
  });

  test('outside of git is judged by its journal', async () => {
    const each: Case = { place: 'no git', age: 44 * DAY, gets: 'line' };
    const { root, cwd } = placeFor(each);
    await writePlan(root, cwd, each);
    expect(await toldIn(cwd, each)).toMatch(
      /Plan 1 \(.*, 1 of 3 done, last changed 44 days ago\) is not shown/,
    );
  });

  test('that a person wrote into the file is as old as the file', async () => {
    const each: Case = { place: 'no git', age: 44 * DAY, gets: 'line' };
    const { root, cwd } = placeFor(each);
    await writePlan(root, cwd, each);
    const pad = join(root, 'SCRATCHPAD.md');
    writeFileSync(pad, readFileSync(pad, 'utf8').replace('Teach the parser fractions', 'Teach it fractions'));
    const saved = new Date(NOW - HOUR);
    utimesSync(pad, saved, saved);
    expect(await toldIn(cwd, each)).toContain(STEP);
  });
});

describe('a change to the plan of another branch', () => {
  const say = async (cwd: string, ...args: string[]): Promise<string> => {
    const { stdout, stderr } = await runWarm(args, { cwd });
    return stdout + stderr;
  };
  const add = async (cwd: string, content: string): Promise<string> => {
    const input = JSON.stringify({ action: 'plan.add', content });
    return (await runWarm(['tool', 'session.scratchpad'], { cwd, input })).stdout;
  };
  /** In a repository on feat/login, with a plan made on main. */
  const beside = async (): Promise<string> => {
    const root = testRepository();
    await say(root, 'plan', 'set', '1. ~~A~~ DONE\n2. B\n3. C');
    git(root, 'checkout', '-q', '-b', 'feat/login');
    return root;
  };
  const OWN = 'a new plan was begun; still open beside it: plan 1 of main (B, 1 of 3 done)';

  test('makes one of its own, says so, and leaves the other as it is', async () => {
    const root = await beside();
    expect(await say(root, 'plan', 'set', '1. login only')).toContain(OWN);
    expect(await say(root, 'plan', 'set', '1. login')).not.toContain('of its own');
    expect(await say(root, 'plan', 'show')).toMatch(/^1\. login\nother open plans: plan 1 of main/);
    git(root, 'checkout', '-q', 'main');
    expect(await say(root, 'plan', 'show')).toMatch(
      /^1\. ~~A~~ DONE\n2\. B\n3\. C\nother open plans: plan 2 of feat/,
    );
    expect(await say(root, 'plan', 'set', '1. D')).not.toContain('warning');
  });

  test('is refused by a step of it, with how to go on with it', async () => {
    const root = await beside();
    const there = 'plan 1 of main (B, 1 of 3 done)';
    const done = await say(root, 'plan', 'done', '2');
    expect(done).toContain(`you have no plan here: nothing was changed\n  found:    ${there}`);
    expect(done).toContain('make one the plan here with: scratchpad plan take N');
    expect(await say(root, 'next')).toContain(`other open plans: ${there}`);
    git(root, 'checkout', '-q', 'main');
    expect(await say(root, 'next')).toBe('2. B\n');
  });

  test('is undone for itself, on either branch', async () => {
    const root = await beside();
    await say(root, 'plan', 'set', '1. login');
    git(root, 'checkout', '-q', 'main');
    await say(root, 'plan', 'done', '2');
    git(root, 'checkout', '-q', 'feat/login');
    await say(root, 'undo');
    expect((await runWarm(['plan', 'show'], { cwd: root })).stdout).toBe('');
    await say(root, 'redo');
    expect((await runWarm(['plan', 'show'], { cwd: root })).stdout).toBe('1. login\n');
    git(root, 'checkout', '-q', 'main');
    expect((await runWarm(['plan', 'show'], { cwd: root })).stdout).toBe(
      '1. ~~A~~ DONE\n2. ~~B~~ DONE\n3. C\n',
    );
    await say(root, 'undo');
    expect((await runWarm(['plan', 'show'], { cwd: root })).stdout).toBe('1. ~~A~~ DONE\n2. B\n3. C\n');
  });

  test('is said to an agent that uses the tool, and with --quiet', async () => {
    const root = await beside();
    expect(await add(root, 'D')).toContain(OWN);
    await say(root, 'undo', '--others');
    expect(await say(root, 'plan', 'set', '1. login only', '--quiet')).toContain(OWN);
  });

  test('line counts the others, and plan take makes one of them the plan here', async () => {
    const root = await beside();
    expect(await say(root, 'line')).toBe('no plan here, 1 other plan\n');
    await say(root, 'plan', 'take');
    expect(await say(root, 'line')).toBe('1/3 · B\n');
    expect(await say(root, 'plan', 'add', 'D')).not.toContain('warning');
    expect(await say(root, 'plan', 'take', '7')).toContain(
      'there is no open plan 7, or it is gone: nothing was changed',
    );
    expect(await say(root, 'plan', 'take', '1')).toContain('plan 1 is the plan here: nothing was changed');
    expect(await say(root, 'plan', 'take')).toContain('there is no other open plan to take');
  });

  test('SCRATCHPAD.md shows the plan that was changed last, and a line for each other', async () => {
    const root = await beside();
    await say(root, 'plan', 'set', '1. login only');
    const pad = () => readFileSync(join(root, 'SCRATCHPAD.md'), 'utf8');
    expect(pad()).toContain('plan-origin: "branch feat/login"\n');
    expect(pad()).toContain(
      '<!-- scratchpad:plan -->\n1. login only\n<!-- /scratchpad:plan -->\n\n' +
        '<!-- scratchpad:beside — other open plans, generated -->\n- Plan 1 of main (B, 1 of 3 done)\n<!-- /scratchpad:beside -->\n',
    );
    // A person's edit is one of the plan that is shown, wherever it is made.
    git(root, 'checkout', '-q', 'main');
    writeFileSync(join(root, 'SCRATCHPAD.md'), pad().replace('login only', 'login at last'));
    await say(root, 'plan', 'done', '2');
    expect(pad()).toMatch(
      /plan-origin: "branch main"\n[\s\S]*scratchpad:plan -->\n1\. ~~A~~ DONE\n2\. ~~B~~ DONE[\s\S]*- Plan 2 of feat\/login \(login at last, /,
    );
    git(root, 'checkout', '-q', 'feat/login');
    await say(root, 'plan', 'done', '1');
    expect(pad()).toMatch(
      /plan-origin: "branch feat\/login"\n[\s\S]*scratchpad:plan -->\n1\. ~~login at last~~ DONE\n<!-- \/[\s\S]*- Plan 1 of main \(C, 2 of 3 done\)/,
    );
  });

  test('cannot happen where git tracks the file: each branch has its own', async () => {
    const root = await beside();
    git(root, 'checkout', '-q', 'main');
    await say(root, 'init', '--tracked');
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'pad');
    git(root, 'checkout', '-q', '-b', 'fix');
    expect(await say(root, 'plan', 'done', '2')).not.toContain('warning');
    expect(await say(root, 'context')).toContain('3. C');
  });
});

test('a weekend counts as three days, wherever its age is shown', async () => {
  const root = testRepository();
  const friday = ['--now', '2026-03-06T16:40:00Z'];
  const monday = ['--now', '2026-03-09T09:00:00Z'];
  await runWarm(['plan', 'set', '1. A\n2. B', ...friday], { cwd: root });
  const { stdout: context } = await runWarm(['context', ...monday], { cwd: root });
  expect(context).toContain('(The plan was last changed 3 days ago.)\n');
  expect(context).toContain('## Plan\n1. A\n2. B');
  const { stdout: status } = await runWarm(['status', ...monday], { cwd: root });
  expect(status).toContain('changed 3 days ago');
});
