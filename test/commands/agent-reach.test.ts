import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { buildProgram } from '../../src/commands/program.ts';
import { listClaudePermissions } from '../../src/hosts/install/hosts.ts';
import { testRepository } from '../helpers/git.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

const CLAUDE = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: '0af3c6f2' };
const CODEX = { CODEX_THREAD_ID: '0af3c6f2' };
const SECRET = 'canary-5f1e';
/** A session of another project. */
const OTHER = '7d3c2f10-1111-4222-8333-444455556666';
/** A session of another host in this project, and its own pad. */
const NEIGHBOUR = '7d3c2f10-aaaa-4bbb-8ccc-444455556666';
const NEIGHBOURS = `.scratchpad/sessions/${NEIGHBOUR}`;

/** A project with a pad, and beside it what no agent in it may touch: another project, rules, a secret. */
function places() {
  const top = testDir({
    'project/inside.txt': 'inside',
    [`project/.scratchpad/hosts/${NEIGHBOUR}.json`]: '{}',
    [`project/${NEIGHBOURS}/SCRATCHPAD.md`]:
      '## Notes\n<!-- scratchpad:notes -->\ntheirs\n<!-- /scratchpad:notes -->\n',
    'project/SCRATCHPAD.md': '## Plan\n<!-- scratchpad:plan -->\n1. a\n2. b\n<!-- /scratchpad:plan -->\n',
    'home/x.txt': '',
    [`home/.claude/projects/-other/${OTHER}.jsonl`]: `${JSON.stringify({
      ...{ type: 'user', sessionId: OTHER, cwd: '/other', uuid: 'u1', timestamp: '2026-02-06T01:00:00Z' },
      message: { role: 'user', content: `never say ${SECRET}` },
    })}\n`,
    'outside/secret.txt': `${SECRET}\n`,
    'outside/talk.jsonl': `${JSON.stringify({ role: 'user', content: `still broken!! ${SECRET}` })}\n`,
    'outside/other/SCRATCHPAD.md': `## Notes\n<!-- scratchpad:notes -->\n${SECRET}\n<!-- /scratchpad:notes -->\n`,
    'outside/rules/': '',
  });
  const [project, outside, home] = ['project', 'outside', 'home'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  symlinkSync(join(outside, 'secret.txt'), join(project, 'link.txt'));
  symlinkSync(join(outside, 'rules'), join(project, 'rules'));
  mkdirSync(join(project, 'sub'));
  return {
    project,
    outside,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), SCRATCHPAD_INIT: '', ...CLAUDE },
  };
}

function contentsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((each) => {
    const path = join(each.parentPath, each.name);
    return each.isFile() ? `${path}: ${readFileSync(path, 'latin1')}` : path;
  });
}

/** What is in a project beside what the test and our own files put there. */
const foreignTo = (contents: readonly string[]): string[] =>
  contents.filter((each) => !/\/project\/(?:\.scratchpad\b|SCRATCHPAD\.md|inside|link|rules|sub)/.test(each));

const program = await buildProgram();

/** The commands that short words stand for. */
const SHORT: Readonly<Record<string, string[]>> = {
  ...{ todo: ['plan', 'add'], note: ['notes', 'add'], ref: ['refs', 'add'] },
  ...{ done: ['plan', 'done'], next: ['plan', 'next'], reopen: ['plan', 'undone'] },
  ...{ ls: ['show'], cat: ['show'], log: ['history'], find: ['search'], trail: ['handover'] },
};

/** The commands that `install` lets an agent run unasked, down to the last verb. */
function allowed(): { words: string[]; command: Command }[] {
  const leaves = (words: string[], command: Command): { words: string[]; command: Command }[] =>
    command.commands.length === 0
      ? [{ words, command }]
      : command.commands.flatMap((child) => leaves([...words, child.name()], child));
  return listClaudePermissions('tools').flatMap((rule) => {
    const words = /^Bash\(scratchpad (.+):\*\)$/.exec(rule)?.[1]?.split(' ');
    if (words === undefined) return [];
    const found = (SHORT[words.join(' ')] ?? words).reduce<Command | undefined>(
      (command, word) => command?.commands.find((each) => each.name() === word),
      program,
    );
    if (found === undefined) throw new Error(`${words.join(' ')} is no command`);
    return leaves(words, found);
  });
}

/** Choices of a command's options: every one with RUNS, else none, each, every two of them, and all. */
function choices(options: readonly Option[]): Option[][] {
  const every = Array.from({ length: 2 ** options.length }, (_, bits) =>
    options.filter((_, k) => bits & (1 << k)),
  );
  const isUsual = ({ length }: Option[]): boolean => length <= 2 || length === options.length;
  return process.env.RUNS === undefined ? every.filter(isUsual) : every;
}

describe('what an agent may run unasked', () => {
  let here: ReturnType<typeof places>;
  let untouched: string[];
  beforeAll(() => {
    here = places();
    untouched = contentsOf(here.outside);
  });

  test('is found in the declared commands', () => {
    expect(allowed().length).toBeGreaterThan(30);
    expect(allowed().map(({ words }) => words.join(' '))).toContain('entry write');
  });

  test.each(allowed().map((each) => [each.words.join(' '), each] as const))(
    '%s reads and writes only in the workspace of its session',
    async (_, { words, command }) => {
      const { project, outside, env } = here;
      const values = [join(outside, 'secret.txt'), '../outside/talk.jsonl', 'link.txt'];
      const elsewhere = [
        [],
        ['-w', join(outside, 'other')],
        ['-w', join(outside, 'rules'), '--init'],
        ['-w', 'rules', '--init'],
        ['-s', '../../../../outside/rules', '--init'],
        ['-s', OTHER, '--init'],
        ['-s', NEIGHBOUR],
      ];
      const neighbours = contentsOf(join(project, NEIGHBOURS));
      const touched: string[] = [];
      for (const [turn, chosen] of choices(command.options).entries()) {
        for (const [k, place] of elsewhere.entries()) {
          // Alone, an option is given each value, and is tried in each place; together with others, in turn.
          if (chosen.length > 1 && turn % elsewhere.length !== k && process.env.RUNS === undefined) continue;
          const each = chosen.length <= 1 && (k === 0 || process.env.RUNS !== undefined);
          const given = each ? values : values.slice((turn + k) % 3).slice(0, 1);
          for (const value of given) {
            const options = chosen.flatMap(({ long, required, optional }) =>
              required || optional ? [`${long}=${value}`] : [`${long}`],
            );
            const operands = [[], ['1'], [value], ['x', value]][k % 4] ?? [];
            const args = [...place, ...words, ...operands, ...options];
            const onCall = (call: string, given: readonly unknown[]): void => {
              const started = /^(?:spawn|exec|fork)/.test(call) ? given[0] : process.execPath;
              if (started !== process.execPath) touched.push(`${args.join(' ')}: ${call} ${started}`);
              const looks = /^(?:l?stat|realpath|readlink|exists|access|statfs)/.test(call);
              const path = given.find((each) => typeof each === 'string' && each.startsWith(outside));
              if (!looks && path !== undefined) touched.push(`${args.join(' ')}: ${call} ${path}`);
            };
            const { stdout, stderr } = await runWarm(args, { cwd: project, env, onCall });
            if (`${stdout}${stderr}`.includes(SECRET)) touched.push(args.join(' '));
          }
        }
      }
      expect(touched).toEqual([]);
      expect(contentsOf(outside)).toEqual(untouched);
      expect(contentsOf(join(project, NEIGHBOURS))).toEqual(neighbours);
      expect(foreignTo(contentsOf(project))).toEqual([]);
      expect(contentsOf(project).filter((each) => each.includes(SECRET))).toEqual([]);
    },
    60_000,
  );
});

/** What each host sets for its agent's commands, as read in its release of November 2026; and what our plugins set. */
const MARKS: Readonly<Record<string, string>>[] = [
  { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's1' },
  { CODEX_THREAD_ID: 's1' },
  { CODEX_SANDBOX: 'seatbelt' },
  { GEMINI_CLI: '1' },
  { QWEN_CODE: '1', QWEN_CODE_SESSION_ID: 's1' },
  { COPILOT_CLI: '1', COPILOT_AGENT_SESSION_ID: 's1' },
  { COPILOT_AGENT_SESSION_ID: 's1' },
  { CURSOR_AGENT: '1' },
  { KILO: '1', OPENCODE: '1', AGENT: '1' },
  { OPENCODE: '1', AGENT: '1' },
  { PI_CODING_AGENT: 'true' },
  { OPENCLAW_CLI: '1', OPENCLAW_SHELL: 'exec' },
  { OPENCLAW_CLI: '1' },
  { FACTORY_EXEC_TARGET_AUTONOMY: 'auto-low' },
  { AI_AGENT: 'droid' },
  { SCRATCHPAD_HOST_SESSION: 's1' },
];

test.each(MARKS)('%o marks an agent, who approves nothing and stays in its workspace', async (mark) => {
  const { project, outside, env } = places();
  const clean = { CLAUDECODE: '', CLAUDE_CODE_SESSION_ID: '' };
  const agent = { ...env, ...clean, ...mark };
  const run = (cwd: string, ...args: string[]) => runWarm(args, { cwd, env: agent });
  const clone = testRepository({
    'SCRATCHPAD.md': readFileSync(join(outside, 'other/SCRATCHPAD.md'), 'utf8'),
  });

  expect((await run(clone, 'trust')).stderr).toContain('trust is for a person');
  const shown = await run(clone, 'show');
  expect(`${shown.stdout}${shown.stderr}`).not.toContain(SECRET);

  await runWarm(['notes', 'add', 'mine'], { cwd: project, env: { ...env, ...clean } });
  expect((await run(project, 'undo', '--others')).exitCode).toBe(1);
  expect((await run(project, 'notes', 'set', 'x', '-w', '../outside/other')).exitCode).toBe(1);
  expect((await run(project, 'entry', 'write', 'x', '-f', '../outside/secret.txt')).exitCode).toBe(1);
  expect(readFileSync(join(project, 'SCRATCHPAD.md'), 'utf8')).toContain('mine');
});

describe('an agent changes nothing but its own', () => {
  test.each([
    ['config', 'set', '--user', 'timezone', 'Asia/Tokyo'],
    ['config', 'set', 'store', 'postgres://evil@db.example.org/x'],
    ['config', 'unset', '--user', 'timezone'],
    ['install', 'codex', '--scope', 'user', '--yes'],
    ['install', 'openclaw', '--yes'],
    ['uninstall', 'codex', '--scope', 'user', '--yes'],
    ['session', 'delete', 'main', '--yes'],
    ['session', 'delete', 'main', '--yes', '--for-good'],
    ['session', 'archive', 'main'],
    ['session', 'delete', NEIGHBOUR],
    ['session', 'archive', NEIGHBOUR],
    ['session', 'prune', '--older-than', '1s'],
  ])('%s %s %s %s %s', async (...args) => {
    const { project, env } = places();
    const person = { ...env, CLAUDECODE: '', CLAUDE_CODE_SESSION_ID: '' };
    await runWarm(['notes', 'add', 'mine'], { cwd: project, env: person });
    await runWarm(['install', 'codex', '--scope', 'user', '--yes'], { cwd: project, env: person });
    if (args[0] === 'install') await runWarm(['uninstall', '--all', '--yes'], { cwd: project, env: person });
    const before = [...contentsOf(env.HOME), ...contentsOf(project)];
    const { exitCode, stderr } = await runWarm(args.filter(Boolean), { cwd: project, env });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('in a terminal of your own')]);
    expect([...contentsOf(env.HOME), ...contentsOf(project)]).toEqual(before);
    const done = await runWarm(args.filter(Boolean), { cwd: project, env: person });
    expect([done.exitCode, done.stderr]).toEqual([0, expect.anything()]);
  });

  test('which it still sets, installs and removes', async () => {
    const { project, env } = places();
    for (const args of [
      ['config', 'set', 'timezone', 'Asia/Tokyo'],
      ['install', 'agents-md', '--yes'],
      ['install', 'codex', '--scope', 'user', '--dry-run'],
      ['session', 'spawn', 'main', 'child'],
      ['session', 'delete', 'child'],
    ]) {
      const { exitCode, stderr } = await runWarm(args, { cwd: project, env });
      expect([args, exitCode, stderr]).toEqual([args, 0, expect.anything()]);
    }
  });
});

test('commands of a Droid session are marked through the file that Droid reads after its start', async () => {
  const { project, env } = places();
  const session = '51271b57-52bf-45f3-9de0-7b33d32a8ef1';
  const folder = join(env.HOME, '.factory/temp/env');
  const start = (session_id: string) => {
    const input = JSON.stringify({ session_id, cwd: project, hook_event_name: 'SessionStart' });
    return runWarm(['hook', 'droid', 'SessionStart'], { cwd: project, env: { HOME: env.HOME }, input });
  };
  await start(session);
  expect(existsSync(folder)).toBe(false);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `droid-env-${session}.sh`);
  writeFileSync(file, 'export A=b\n');
  await start(session);
  await start('../../x');
  expect(readFileSync(file, 'utf8')).toBe('export A=b\nexport AI_AGENT=droid\n');
  expect(contentsOf(join(env.HOME, '.factory')).filter((each) => each.includes('export'))).toHaveLength(1);
});

describe('in the session of a host', () => {
  const SAVED = { CLAUDECODE: '', CLAUDE_CODE_SESSION_ID: '' };

  test.each([
    ['a workspace elsewhere', ['notes', 'set', 'x', '-w', '../outside/other'], 'workspace of its session'],
    [
      'a new workspace elsewhere',
      ['notes', 'set', 'x', '--init', '-w', '../outside/rules'],
      'of its session',
    ],
    ['a file elsewhere', ['entry', 'write', 'x', '-f', '../outside/secret.txt'], 'files of its workspace'],
    ['a link to a file elsewhere', ['notes', 'add', '-f', 'link.txt'], 'files of its workspace'],
    ['messages elsewhere', ['mood', '-m', '../outside/talk.jsonl'], 'files of its workspace'],
    ['a file to write elsewhere', ['report', '-o', '../outside/x.html'], 'files of its workspace'],
    ['a pad elsewhere', ['init', '-w', '../outside/rules'], 'workspace of its session'],
    [
      'a file to merge elsewhere',
      ['merge', 'inside.txt', 'inside.txt', '../outside/secret.txt'],
      'files of its',
    ],
    [
      'a file to merge into elsewhere',
      ['merge', 'inside.txt', '../outside/secret.txt', 'inside.txt'],
      'files of its',
    ],
    ['a file of another session', ['notes', 'add', '-f', `${NEIGHBOURS}/SCRATCHPAD.md`], 'files of its'],
    ['another main pad', ['config', 'set', 'primarySession', NEIGHBOUR], 'for a person'],
    ['another main pad by default', ['config', 'unset', 'primarySession'], 'for a person'],
    ['what the person says of its answers', ['feedback', 'too verbose'], 'for a person'],
    ['to forget what the person says', ['feedback', '--reset'], 'for a person'],
  ])('%s is refused, and a person is told what to do', async (_, args, said) => {
    for (const session of [CLAUDE, CODEX]) {
      const { project, env } = places();
      const refused = await runWarm(args, { cwd: project, env: { ...env, ...SAVED, ...session } });
      expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(said)]);
      expect(refused.stderr).toContain('in a terminal of your own');
    }
    const { project, env } = places();
    const done = await runWarm(args, { cwd: project, env: { ...env, ...SAVED } });
    expect([args, done.exitCode, done.stderr]).toEqual([args, 0, expect.not.stringContaining('refused')]);
  });

  test('the pad of another session is refused, also by a variable; that of a subagent is not', async () => {
    const { project, env } = places();
    const named = { ...env, SCRATCHPAD_SESSION: NEIGHBOUR };
    for (const { exitCode, stdout, stderr } of [
      await runWarm(['notes', 'set', 'x', '-s', NEIGHBOUR], { cwd: project, env }),
      await runWarm(['notes', 'set', 'x'], { cwd: project, env: named }),
      await runWarm(['entry', 'list', '-s', NEIGHBOUR, '--init'], { cwd: project, env }),
      // A copy of it is refused, too.
      await runWarm(['session', 'fork', NEIGHBOUR, 'copy'], { cwd: project, env }),
      await runWarm(['session', 'spawn', NEIGHBOUR, 'copy', '--copy-notepad'], { cwd: project, env }),
    ])
      expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining('another session')]);

    const subagents = join(project, '.scratchpad/hosts', `${CLAUDE.CLAUDE_CODE_SESSION_ID}.children`);
    mkdirSync(subagents);
    writeFileSync(join(subagents, NEIGHBOUR), NEIGHBOUR);
    expect((await runWarm(['notes', 'add', 'x', '-s', NEIGHBOUR], { cwd: project, env })).exitCode).toBe(0);
  });

  test('the pad of another session is refused after git clean, and files of it in the folder of git', async () => {
    const cwd = testRepository();
    const env = { HOME: cwd, SCRATCHPAD_INIT: '' };
    const theirs = { ...env, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: NEIGHBOUR };
    await runWarm(['init'], { cwd, env });
    await runWarm(['config', 'set', 'spaces.scope', 'session'], { cwd, env });
    const clean = (): void => rmSync(join(cwd, '.scratchpad'), { recursive: true, force: true });
    await runWarm(['notes', 'add', 'theirs'], { cwd, env: theirs });
    const copy = `.git/scratchpad/top/${NEIGHBOUR}.jsonl`;
    expect(readFileSync(join(cwd, copy), 'utf8')).toContain('theirs');

    const read = ['notes', '-s', NEIGHBOUR];
    for (const args of [read, ['session', 'restore', '--from', copy]])
      for (const agent of [CLAUDE, CODEX]) {
        clean();
        const { exitCode, stdout } = await runWarm(args, { cwd, env: { ...env, ...agent } });
        expect([args, exitCode, stdout]).toEqual([args, 1, '']);
      }

    // Its commands do not name their session.
    expect((await runWarm(read, { cwd, env: { ...env, GEMINI_CLI: '1' } })).exitCode).toBe(1);
    expect((await runWarm(read, { cwd, env: theirs })).stdout).toContain('theirs');
    expect((await runWarm(read, { cwd, env })).stdout).toContain('theirs');
  });

  test('its own workspace, files in it and new sessions are as usual', async () => {
    const { project, env } = places();
    const cwd = join(project, 'sub');
    for (const args of [
      ['notes', 'add', 'x', '-w', '..'],
      ['notes', 'add', '-f', '../inside.txt'],
      ['entry', 'write', 'x', '-f', join(project, 'inside.txt')],
      ['notes', 'add', 'y', '-s', 'new', '--init'],
    ]) {
      const { exitCode, stderr } = await runWarm(args, { cwd, env });
      expect([args, exitCode, stderr]).toEqual([args, 0, expect.anything()]);
    }
  });

  test('a workspace is not made unasked, also where nobody has one', async () => {
    const { outside, env } = places();
    const cwd = join(outside, 'rules');
    const refused = await runWarm(['notes', 'add', 'x', '--init'], {
      cwd,
      env,
    });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('scratchpad init')]);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await runWarm(['init'], { cwd, env })).exitCode).toBe(0);
    expect((await runWarm(['notes', 'add', 'x'], { cwd, env })).exitCode).toBe(0);
  });

  test('a server that the host’s settings start serves the workspace that they name', async () => {
    const { project, outside, env } = places();
    const init = {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, ...init })}\n`;
    const served = await runCli(['mcp', '-w', project], { cwd: outside, env, input });
    expect([served.exitCode, served.stdout]).toEqual([0, expect.stringContaining('"result"')]);
  });
});

test('an agent is shown no secret of the memory, whatever options it gives', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const cwd = testDir({ 'SCRATCHPAD.md': '# Pad\n', 'MEMORY.md': `- The CI token is ${token}\n` });
  const env = CLAUDE;
  await runWarm(['init'], { cwd });
  const plain = await runWarm(['memory', 'search', 'ci token'], { cwd, env });
  const input = `${JSON.stringify({ id: '1', query: 'ci token' })}\n`;
  const batch = await runWarm(['memory', 'search', '--batch'], { cwd, env, input });
  expect(batch.stdout).toContain('CI token');
  expect(`${plain.stdout}${batch.stdout}`).not.toContain(token);
});

test.each<[string, Record<string, string>]>([
  ['HOME', { HOME: '/dev/null' }],
  ['XDG_STATE_HOME', { XDG_STATE_HOME: '/dev/null/state' }],
  ['a forged record', { HOME: 'forged' }],
])('a session works where it began whatever state folder a command is given: %s', async (_, moved) => {
  const session = '0f44c2aa-aaaa-4aaa-8aaa-a44a44a44a44';
  const top = testDir({
    'home/x.txt': '',
    'project/SCRATCHPAD.md': '',
    'other/SCRATCHPAD.md': '',
    [`forged/.local/state/scratchpad/sessions/${session}.json`]: '{"folder":"other"}',
  });
  const [home, project] = [join(top, 'home'), join(top, 'project')];
  const env = { HOME: home, XDG_STATE_HOME: '', CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session };
  const os = process.getBuiltinModule('node:os');
  vi.spyOn(os, 'userInfo').mockReturnValue({ ...os.userInfo(), homedir: home });
  const input = JSON.stringify({ session_id: session, cwd: project, source: 'startup' });
  await runWarm(['hook', 'claude-code', 'SessionStart'], { cwd: project, env, input });

  const path: Record<string, string> = moved.HOME === 'forged' ? { HOME: join(top, 'forged') } : moved;
  const done = await runWarm(['notes', 'add', 'found'], {
    cwd: join(top, 'other'),
    env: { ...env, ...path },
  });
  expect(done.stderr).toContain(join('..', 'project'));
  expect(readFileSync(join(top, 'other/SCRATCHPAD.md'), 'utf8')).toBe('');
  expect(readFileSync(join(top, 'project/SCRATCHPAD.md'), 'utf8')).toContain('found');
  vi.restoreAllMocks();
});
