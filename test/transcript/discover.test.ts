import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readNewestSession } from '../../src/assembly/source.ts';
import { discoverSessions } from '../../src/transcript/discover.ts';
import { testDir } from '../helpers/test-dir.ts';

let home = '';
let workspace = '';

beforeEach(() => {
  home = testDir();
  workspace = join(home, 'work', 'my-app');
  mkdirSync(workspace, { recursive: true });
});

/** Write files below the home folder; an array is written as JSONL. */
function files(tree: Record<string, object[] | object | string>): void {
  for (const [name, content] of Object.entries(tree)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    const text = Array.isArray(content)
      ? content.map((record) => `${JSON.stringify(record)}\n`).join('')
      : content;
    writeFileSync(path, typeof text === 'string' ? text : JSON.stringify(text));
  }
}

const fold = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, '-');

function claude(id: string, cwd: string, minute: number, more: object = {}): object[] {
  const timestamp = `2026-02-06T03:${String(minute).padStart(2, '0')}:00.000Z`;
  const message = { role: 'user', content: 'hi' };
  return [
    { type: 'user', uuid: `u-${id}`, parentUuid: null, sessionId: id, cwd, timestamp, message, ...more },
  ];
}

async function found(options: object = {}): Promise<string[]> {
  const refs = await discoverSessions({ workspace, env: {}, home, ...options });
  return refs.map((ref) => `${ref.host} ${ref.id}`);
}

describe('discovery', () => {
  test('finds no session where there is none', async () => {
    expect(await found()).toEqual([]);
  });

  test('lists every host, the last active first', async () => {
    const project = createHash('sha256').update(workspace).digest('hex');
    files({
      [`.claude/projects/${fold(workspace)}/c1.jsonl`]: claude('c1', workspace, 10),
      '.codex/sessions/2026/02/06/rollout-2026-02-06-x.jsonl': [
        { timestamp: '2026-02-06T03:20:00Z', type: 'session_meta', payload: { id: 'x1', cwd: workspace } },
      ],
      [`.gemini/tmp/${project}/chats/session-2026-g.jsonl`]: [
        { sessionId: 'g1', projectHash: project, lastUpdated: '2026-02-06T03:30:00.000Z' },
      ],
      [`.pi/agent/sessions/--${workspace.slice(1).replace(/\//g, '-')}--/p.jsonl`]: [
        { type: 'session', version: 3, id: 'p1', cwd: workspace, timestamp: '2026-02-06T03:40:00.000Z' },
      ],
      '.openclaw/agents/main/sessions/sessions.json': {
        'agent:main:main': {
          sessionId: 'o1',
          updatedAt: 0,
          lastInteractionAt: Date.parse('2026-02-06T03:50:00Z'),
        },
      },
      '.openclaw/agents/main/sessions/o1.jsonl': [{ type: 'session', version: 3, id: 'o1', cwd: workspace }],
      'work/my-app/sessions/plain.jsonl': [
        { role: 'user', content: 'hi', timestamp: '2026-02-06T03:05:00Z' },
      ],
    });
    expect(await found()).toEqual([
      'openclaw o1',
      'pi p1',
      'gemini g1',
      'codex x1',
      'claude-code c1',
      'messages plain',
    ]);
    expect(await found({ limit: 1 })).toEqual(['openclaw o1']);
    const [ref] = await discoverSessions({ workspace, env: {}, home, limit: 1 });
    expect(ref).toEqual({
      host: 'openclaw',
      id: 'o1',
      path: join(home, '.openclaw/agents/main/sessions/o1.jsonl'),
      cwd: workspace,
      lastActive: '2026-02-06T03:50:00.000Z',
    });
  });

  test('two projects whose names fold to one folder do not mix', async () => {
    const other = join(home, 'work', 'my.app');
    mkdirSync(other);
    files({
      [`.claude/projects/${fold(workspace)}/ours.jsonl`]: claude('ours', workspace, 1),
      [`.claude/projects/${fold(workspace)}/theirs.jsonl`]: claude('theirs', other, 9),
    });
    expect(fold(other)).toBe(fold(workspace));
    expect(await found()).toEqual(['claude-code ours']);
    expect(await found({ workspace: other })).toEqual(['claude-code theirs']);
  });

  test('a workspace reached by a symbolic link is the same workspace', async () => {
    const link = join(home, 'link');
    symlinkSync(workspace, link);
    files({ [`.claude/projects/${fold(workspace)}/real.jsonl`]: claude('real', workspace, 1) });
    files({ [`.claude/projects/${fold(link)}/linked.jsonl`]: claude('linked', link, 2) });
    expect(await found({ workspace: link })).toEqual(['claude-code linked', 'claude-code real']);
    expect(await found()).toEqual(['claude-code real']);
  });

  test('a folder inside belongs to the workspace unless it is a project of its own', async () => {
    const inside = join(workspace, 'packages', 'a');
    const own = join(workspace, 'vendor', 'b');
    mkdirSync(inside, { recursive: true });
    mkdirSync(join(own, '.git'), { recursive: true });
    files({
      [`.claude/projects/${fold(inside)}/inside.jsonl`]: claude('inside', inside, 1),
      [`.claude/projects/${fold(own)}/own.jsonl`]: claude('own', own, 2),
      [`.claude/projects/${fold(dirname(workspace))}/above.jsonl`]: claude('above', dirname(workspace), 3),
    });
    expect(await found()).toEqual(['claude-code inside']);
  });

  test('subagents, timers, hooks and copies are left out', async () => {
    const rollout = (id: string, more: object): object[] => [
      { timestamp: '2026-02-06T03:20:00Z', type: 'session_meta', payload: { id, cwd: workspace, ...more } },
    ];
    files({
      [`.claude/projects/${fold(workspace)}/agent-a1.jsonl`]: claude('a1', workspace, 1),
      [`.claude/projects/${fold(workspace)}/side.jsonl`]: claude('side', workspace, 1, { isSidechain: true }),
      '.codex/sessions/2026/02/06/rollout-sub.jsonl': rollout('sub', { source: { subagent: 'review' } }),
      '.codex/archived_sessions/rollout-old.jsonl': rollout('old', {}),
      '.openclaw/agents/main/sessions/sessions.json': {
        'agent:main:cron:daily': { sessionId: 'cron' },
        'hook:mail': { sessionId: 'hook' },
        'agent:main:subagent:77': { sessionId: 'child' },
        'agent:main:main': { sessionId: 'main' },
        'agent:main:archived': { sessionId: 'archived', archivedAt: 5 },
      },
      ...Object.fromEntries(
        ['cron', 'hook', 'child', 'main', 'archived', 'unlisted'].map((id) => [
          `.openclaw/agents/main/sessions/${id}.jsonl`,
          [{ type: 'session', version: 3, id, cwd: workspace, timestamp: '2026-02-06T03:00:00Z' }],
        ]),
      ),
    });
    expect(await found()).toEqual(['openclaw main']);
  });

  test('without an index OpenClaw session files are taken, their copies not', async () => {
    const session = [
      { type: 'session', version: 3, id: 's', cwd: workspace, timestamp: '2026-02-06T03:00:00Z' },
    ];
    files({
      '.openclaw/agents/main/sessions/s.jsonl': session,
      '.openclaw/agents/main/sessions/s.trajectory.jsonl': session,
      '.openclaw/agents/main/sessions/s.checkpoint.1.jsonl': session,
      '.openclaw/agents/main/sessions/s.jsonl.reset.2026': session,
    });
    expect(await found()).toEqual(['openclaw s']);
  });

  test('an OpenClaw session without a directory belongs to the workspace of its agent', async () => {
    files({
      '.openclaw/agents/main/sessions/m.jsonl': [{ type: 'session', version: 3, id: 'm' }],
      '.openclaw/agents/ops/sessions/n.jsonl': [{ type: 'session', version: 3, id: 'n' }],
      '.openclaw/workspace/AGENTS.md': '',
      '.openclaw/workspace-ops/AGENTS.md': '',
    });
    expect(await found({ workspace: join(home, '.openclaw', 'workspace') })).toEqual(['openclaw m']);
    expect(await found({ workspace: join(home, '.openclaw', 'workspace-ops') })).toEqual(['openclaw n']);
  });

  test('honours the folders that the environment names', async () => {
    files({
      [`claude-here/projects/${fold(workspace)}/c.jsonl`]: claude('c', workspace, 3),
      'codex-here/sessions/2026/02/06/rollout-y.jsonl': [
        { timestamp: '2026-02-06T03:02:00Z', type: 'session_meta', payload: { id: 'y', cwd: workspace } },
      ],
      'claw-here/agents/main/sessions/z.jsonl': [
        { type: 'session', version: 3, id: 'z', cwd: workspace, timestamp: '2026-02-06T03:01:00Z' },
      ],
    });
    const env = {
      CLAUDE_CONFIG_DIR: join(home, 'claude-here'),
      CODEX_HOME: join(home, 'codex-here'),
      OPENCLAW_STATE_DIR: join(home, 'claw-here'),
    };
    expect(await found({ env })).toEqual(['claude-code c', 'codex y', 'openclaw z']);
    expect(await found()).toEqual([]);
  });

  test('listed files and folders belong to the workspace wherever they ran', async () => {
    files({
      'elsewhere/talk.jsonl': claude('talk', '/some/other/machine', 4),
      'work/my-app/sessions/notes.md': 'not a session',
      'work/my-app/sessions/broken.jsonl': 'nonsense',
      'work/my-app/sessions/chat.json': [{ role: 'user', content: 'x' }],
    });
    expect(await found({ paths: ['../../elsewhere/talk.jsonl', 'sessions', 'missing'] })).toContain(
      'claude-code talk',
    );
    expect(await found()).toEqual(['messages chat']);
  });

  test('the time comes from the lines, and never lies after the change of the file', async () => {
    const path = `.claude/projects/${fold(workspace)}/f.jsonl`;
    files({ [path]: claude('f', workspace, 1, { timestamp: '2099-01-01T00:00:00.000Z' }) });
    utimesSync(join(home, path), new Date('2026-02-07T00:00:00Z'), new Date('2026-02-07T00:00:00Z'));
    const [ref] = await discoverSessions({ workspace, env: {}, home });
    expect(ref?.lastActive).toBe('2026-02-07T00:00:00.000Z');
  });
});

describe('the newest session', () => {
  test('is the last active one with something to read', async () => {
    const line = (minute: number, role: string): object[] => [
      { role, content: 'hi', timestamp: `2026-02-06T03:0${minute}:00Z` },
    ];
    files({
      'work/my-app/sessions/a.jsonl': line(1, 'user'),
      'work/my-app/sessions/b.jsonl': line(2, 'user'),
      'work/my-app/sessions/c.jsonl': line(3, 'wizard'),
      'work/my-app/sessions/d.jsonl': line(4, 'user'),
    });
    const path = join(workspace, 'sessions', 'd.jsonl');
    const problems: string[] = [];
    const where = { workspace, env: {}, home, onProblem: (problem: Error) => problems.push(problem.message) };
    expect((await readNewestSession(where))?.ref.id).toBe('d');
    writeFileSync(path, `${JSON.stringify({ role: 'user', timestamp: '2026-02-06T03:04:00Z' })}\n`);
    expect((await readNewestSession(where))?.ref.id).toBe('b');
    expect(problems).toEqual([]);
    rmSync(join(workspace, 'sessions'), { recursive: true });
    expect(await readNewestSession(where)).toBeUndefined();
  });
});
