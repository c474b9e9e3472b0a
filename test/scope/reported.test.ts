import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerEvent } from '../../src/hosts/answer.ts';
import { HOOK_HOSTS } from '../../src/hosts/host-rows.ts';
import { FileStore } from '../../src/session/file-store.ts';
import { git, testRepository } from '../helpers/git.ts';
import { minimalEnv } from '../helpers/run-cli.ts';
import { testDir } from '../helpers/test-dir.ts';

/**
 * What users of other tools have reported: a plan or a memory that took over a session it was not for. Each is played
 * here with our hooks. A hijack is a step of a plan of somebody else that is put before the model as if it were this
 * session's (or without saying whose it is), an end of a turn that is held up, or a file that a hook changed.
 */
const NOW = Date.parse('2026-03-10T12:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const PLAN = '1. ~~Rotate the signing keys~~ DONE\n2. Teach the parser fractions\n3. Write the manual';
/** A plan that is named in one line is named by its current step: this one stands in the plan alone. */
const STEP = 'Write the manual';
const EVENTS = {
  'claude-code': ['SessionStart', 'UserPromptSubmit', 'Stop'],
  codex: ['SessionStart', 'UserPromptSubmit', 'Stop'],
  'gemini-cli': ['SessionStart', 'BeforeAgent', 'AfterAgent'],
} as const;
type Host = keyof typeof EVENTS;

interface Asking {
  host?: Host;
  session?: string;
  prompt?: string;
  source?: string;
  env?: NodeJS.ProcessEnv;
  transcript?: string;
}

/** Writes the spaces of a session of the workspace, as an agent of a host's session. */
async function write(
  root: string,
  spaces: Readonly<Record<string, string>>,
  { age = 0, by = 'theirs', pad = 'main', cwd = root } = {},
): Promise<void> {
  mkdirSync(join(root, '.scratchpad'), { recursive: true });
  const env = { ...minimalEnv(), CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: by };
  const store = new FileStore(root, pad, { now: () => NOW - age, env, cwd });
  await store.change(() =>
    Object.entries(spaces).map(([space, content]) => ({
      space: space as 'plan',
      content,
      op: 'set',
    })),
  );
}

/** One turn of a session: what the model is told, and what is answered when the turn ends. */
async function turn(cwd: string, asking: Asking = {}): Promise<{ told: string; atStop: string }> {
  const { host: name = 'claude-code', session = 'mine', prompt = 'what does foo do?' } = asking;
  const host = HOOK_HOSTS.get(name);
  if (host === undefined) throw new Error(name);
  const said: string[] = [];
  for (const event of EVENTS[name]) {
    const json = {
      session_id: session,
      hook_event_name: event,
      cwd,
      ...(event === 'SessionStart' ? { source: asking.source ?? 'startup' } : { prompt }),
      ...(asking.transcript && { transcript_path: asking.transcript }),
      ...(event === 'Stop' && { stop_hook_active: false, last_assistant_message: 'Foo adds.' }),
    };
    const env = { ...minimalEnv(), ...asking.env };
    const now = new Date(NOW).toISOString();
    const reply = await answerEvent({ host, event, json, env, cwd, now, started: Date.now() });
    said.push(reply.text ?? '');
    await reply.finish();
  }
  return { told: said.slice(0, 2).join('\n'), atStop: said[2] ?? '' };
}

/** Whether a turn was taken over by the plan. */
function hijacked({ told, atStop }: { told: string; atStop: string }): string[] {
  const signs: string[] = [];
  if (told.includes(STEP) && !/## Plan, left .* by an earlier session/.test(told))
    signs.push('not said whose it is');
  if (/Working on: (?!branch)/.test(told)) signs.push('said to be what is worked on');
  if (/\b(?:active plan|continue working|remaining phases|go on with)\b/i.test(told))
    signs.push('told to go on with it');
  if (/block|deny|reason|continue/.test(atStop)) signs.push('the end of the turn is held up');
  return signs;
}

const ONE_LINE = /Plan \d \([^"]*?, 1 of 3 done, [^"]*?last changed[^"]*?\) is not shown/;

/** What was reported, and what happens here. */
const REPORTS: [links: string, what: string, play: () => Promise<void>][] = [
  [
    'https://github.com/OthmanAdi/planning-with-files/issues/146',
    'a second Codex session in the same directory gets the active plan of the first',
    async () => {
      const cwd = testDir();
      await write(cwd, { plan: PLAN }, { age: 5 * MINUTE });
      const got = await turn(cwd, { host: 'codex' });
      expect(hijacked(got)).toEqual([]);
      expect(got.told).toContain(
        'Another session: Teach the parser fractions, 1 of 3 done; it may be running.',
      );
      expect(got.told).not.toContain(STEP);
    },
  ],
  [
    'https://github.com/OthmanAdi/planning-with-files/issues/195',
    'a one-shot codex exec reconciles the plan in place of answering, and its files change',
    async () => {
      const cwd = testDir({
        'rollout.jsonl': '{"type":"session_meta","payload":{"originator":"codex_exec","source":"exec"}}\n',
      });
      await write(cwd, { plan: PLAN }, { age: 2 * 60 * MINUTE });
      const planIn = () => /<!-- scratchpad:plan -->[\s\S]*?<!-- \/scratchpad:plan -->/.exec(pad())?.[0];
      const pad = () => readFileSync(join(cwd, 'SCRATCHPAD.md'), 'utf8');
      const before = planIn();
      const transcript = join(cwd, 'rollout.jsonl');
      const got = await turn(cwd, { host: 'codex', prompt: 'review this branch', transcript });
      expect(hijacked(got)).toEqual([]);
      expect(got.told).toMatch(ONE_LINE);
      expect(got.told).not.toContain(STEP);
      expect(planIn()).toBe(before);
    },
  ],
  [
    'https://github.com/OthmanAdi/planning-with-files/issues/178',
    'an unfinished plan keeps the agent from stopping',
    async () => {
      for (const host of ['claude-code', 'codex', 'gemini-cli'] as const) {
        const cwd = testDir();
        await write(cwd, { plan: PLAN }, { by: 'mine' });
        expect((await turn(cwd, { host })).atStop.replace(/[{}\s]/g, '')).toBe('');
      }
    },
  ],
  [
    'https://github.com/Chachamaru127/claude-code-harness/issues/269',
    'a session that only looks into something cannot end while tasks of others are open',
    async () => {
      const cwd = testDir();
      await write(cwd, { plan: PLAN }, { age: MINUTE });
      const got = [await turn(cwd), await turn(cwd, { prompt: 'and what calls it?' })];
      expect(got.flatMap(hijacked)).toEqual([]);
    },
  ],
  [
    'https://github.com/gopherguides/gopher-ai/issues/388',
    'what a session left behind without cleaning up is taken up by another one in the repository',
    async () => {
      const cwd = testRepository();
      await write(cwd, { plan: PLAN, notes: 'iteration 28' }, { pad: 'left-behind', age: MINUTE });
      const got = await turn(cwd);
      expect(hijacked(got)).toEqual([]);
      expect(got.told).not.toMatch(/fractions|iteration 28/);
    },
  ],
  [
    'https://github.com/OthmanAdi/planning-with-files/issues/148 https://github.com/thedotmack/claude-mem/pull/2919',
    'parallel tasks of one directory mix their plans and memories',
    async () => {
      const cwd = testDir();
      await write(cwd, { plan: PLAN, notes: 'the incident began at 9' }, { pad: 'theirs' });
      await write(cwd, { plan: '1. Refactor the lexer' }, { pad: 'mine', by: 'mine' });
      const { told } = await turn(cwd);
      expect(told).toContain('Refactor the lexer');
      expect(told).not.toMatch(/fractions|incident/);
    },
  ],
  [
    'https://github.com/OthmanAdi/planning-with-files/issues/217',
    'progress is lost when a second session writes what it read before',
    async () => {
      const cwd = testDir();
      const pad = join(cwd, 'SCRATCHPAD.md');
      await write(cwd, { plan: '1. Teach the parser fractions\n2. Write the manual' });
      const read = readFileSync(pad, 'utf8');
      await write(cwd, { plan: '1. ~~Teach the parser fractions~~ DONE\n2. Write the manual' });
      writeFileSync(pad, read.replace('2. Write the manual', '2. Write the manual\n3. Print it'));
      const { spaces } = await new FileStore(cwd, 'main').read();
      expect(spaces.plan).toMatch(
        /^1\. ~~Teach the parser fractions~~ DONE\n2\. Write the manual\n3\. Print it$/,
      );
    },
  ],
  [
    'https://github.com/anthropics/claude-code/issues/30398 https://github.com/anthropics/claude-code/issues/12838',
    'the plan of a session of long ago is taken for the one of now',
    async () => {
      for (const age of [44 * DAY, 2 * DAY]) {
        const cwd = testDir();
        await write(cwd, { plan: PLAN }, { age });
        const got = await turn(cwd);
        expect(hijacked(got)).toEqual([]);
        expect(got.told).toMatch(ONE_LINE);
        expect(got.told).not.toContain(STEP);
      }
    },
  ],
  [
    'https://github.com/anthropics/claude-code/issues/28549 https://github.com/anthropics/claude-code/issues/40017 https://github.com/anthropics/claude-code/issues/20233',
    'a plan that was carried out comes up again with the next task',
    async () => {
      const cwd = testDir();
      await write(cwd, { plan: '1. ~~Teach the parser fractions~~ DONE' }, { age: 2 * DAY });
      expect((await turn(cwd)).told).not.toMatch(/fractions|is not shown/);
      await write(cwd, { plan: '1. Clean up docs.yml' }, { by: 'mine' });
      const { told } = await turn(cwd, { session: 'mine' });
      expect(told).toContain('Clean up docs.yml');
      expect(told).not.toContain('fractions');
    },
  ],
  [
    'https://github.com/anthropics/claude-code/issues/12505',
    'an old plan comes back after each compaction',
    async () => {
      const cwd = testDir();
      await write(cwd, { plan: PLAN }, { by: 'mine', age: 10 * MINUTE });
      await turn(cwd);
      await write(cwd, { plan: '1. Clean up docs.yml' }, { by: 'mine' });
      const { told } = await turn(cwd, { source: 'compact' });
      expect(told).toContain('Clean up docs.yml');
      expect(told).not.toContain('fractions');
    },
  ],
  [
    'https://github.com/nikhilsitaram/claude-memory-system/issues/132',
    'of two projects that are open at once the next session gets the one that wrote last',
    async () => {
      const [one, two] = [testDir(), testDir()];
      await write(one, { plan: PLAN, notes: 'of one' });
      await write(two, { plan: '1. Clean up docs.yml', notes: 'of two' });
      const { told } = await turn(one);
      expect(told).toContain('of one');
      expect(told).not.toMatch(/docs\.yml|of two/);
    },
  ],
  [
    'https://github.com/gastownhall/beads/issues/119 https://github.com/gastownhall/beads/issues/1363',
    'what belongs to one branch is used on another',
    async () => {
      const cwd = testRepository();
      git(cwd, 'checkout', '-q', '-b', 'feature');
      await write(cwd, { plan: PLAN }, { age: MINUTE });
      git(cwd, 'checkout', '-q', 'main');
      const got = await turn(cwd);
      expect(hijacked(got)).toEqual([]);
      expect(got.told).toContain(
        'Another session on feature: Teach the parser fractions, 1 of 3 done; it may be running.',
      );
      expect(got.told).not.toContain(STEP);
    },
  ],
  [
    'https://github.com/gastownhall/beads/issues/570 https://github.com/gastownhall/beads/issues/170 https://github.com/gastownhall/beads/issues/2190',
    'a worktree beside the repository has nothing, or the plan of the main one',
    async () => {
      const root = testRepository();
      await write(root, { plan: PLAN, notes: 'known to all' });
      const tree = join(root, '../tree');
      git(root, 'worktree', 'add', '-q', '-b', 'feature', tree);
      const { told } = await turn(tree);
      expect(told).toContain('known to all');
      expect(told).not.toMatch(/fractions|is not shown/);
    },
  ],
  [
    'https://github.com/gastownhall/beads/issues/1076',
    'a tracked file is changed by the tool alone, and no branch can be checked out',
    async () => {
      const root = testRepository();
      const tracked = new FileStore(root, 'main', { tracked: true, env: minimalEnv() });
      await tracked.change(() => [{ space: 'plan', content: PLAN, op: 'set' }]);
      git(root, 'add', '-A');
      git(root, 'commit', '-q', '-m', 'pad');
      await turn(root);
      expect(git(root, 'status', '--porcelain')).toBe('');
    },
  ],
];

describe('what was reported of other tools', () => {
  test.each(REPORTS.map(([links, what, play]) => ({ links, what, play })))('$what ($links)', ({ play }) =>
    play(),
  );
});
