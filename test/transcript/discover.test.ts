import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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

const codexWords = (timestamp: string, text = 'hi'): object => ({
  timestamp,
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const droidWords = {
  type: 'message',
  id: '0a1b2c3d-0000-4000-8000-000000000001',
  message: { role: 'user', content: [{ type: 'text', text: 'hi' }] },
};
const piWords = { type: 'message', id: 'm', parentId: null, message: { role: 'user', content: 'hi' } };

async function found(options: object = {}): Promise<string[]> {
  const refs = await discoverSessions({ workspace, env: {}, home, ...options });
  return refs.map((ref) => `${ref.host} ${ref.id}`);
}

describe('discovery', () => {
  test('finds no session where there is none', async () => {
    expect(await found()).toEqual([]);
  });

  test('lists a session once that has copies of its file beside it', async () => {
    const lines = claude('c1', workspace, 10);
    const folder = `.claude/projects/${fold(workspace)}`;
    files({
      [`${folder}/c1 copy.jsonl`]: lines,
      [`${folder}/c1.jsonl`]: lines,
      [`${folder}/c1 (1).jsonl`]: lines,
      [`${folder}/c2.jsonl`]: claude('c2', workspace, 5),
    });
    const refs = await discoverSessions({ workspace, env: {}, home });
    expect(refs.map(({ path }) => basename(path))).toEqual(['c1.jsonl', 'c2.jsonl']);
  });

  test('lists every host, the last active first', async () => {
    const project = createHash('sha256').update(workspace).digest('hex');
    files({
      [`.claude/projects/${fold(workspace)}/c1.jsonl`]: claude('c1', workspace, 10),
      '.codex/sessions/2026/02/06/rollout-2026-02-06-x.jsonl': [
        { timestamp: '2026-02-06T03:20:00Z', type: 'session_meta', payload: { id: 'x1', cwd: workspace } },
        codexWords('2026-02-06T03:20:00Z'),
      ],
      [`.gemini/tmp/${project}/chats/session-2026-g.jsonl`]: [
        { sessionId: 'g1', projectHash: project, lastUpdated: '2026-02-06T03:30:00.000Z' },
        { id: '1', type: 'user', content: [{ text: 'hi' }] },
      ],
      [`.pi/agent/sessions/--${workspace.slice(1).replace(/\//g, '-')}--/p.jsonl`]: [
        { type: 'session', version: 3, id: 'p1', cwd: workspace, timestamp: '2026-02-06T03:40:00.000Z' },
        piWords,
      ],
      '.openclaw/agents/main/sessions/sessions.json': {
        'agent:main:main': {
          sessionId: 'o1',
          updatedAt: 0,
          lastInteractionAt: Date.parse('2026-02-06T03:50:00Z'),
        },
      },
      '.openclaw/agents/main/sessions/o1.jsonl': [
        { type: 'session', version: 3, id: 'o1', cwd: workspace },
        piWords,
      ],
      'work/my-app/sessions/plain.jsonl': [
        { role: 'user', content: 'hi', timestamp: '2026-02-06T03:05:00Z' },
      ],
    });
    expect(await found({ paths: ['sessions'] })).toEqual([
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
      chat: 'agent:main:main',
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
      '.codex/sessions/2026/02/06/rollout-own.jsonl': rollout('own', { source: { internal: 'guardian' } }),
      '.codex/sessions/2026/02/06/rollout-name.jsonl': rollout('name', { thread_source: 'thread_title' }),
      ...Object.fromEntries(
        Object.entries({ callingSessionId: 'd0', callingToolUseId: 't1', decompSessionType: 'worker' }).map(
          ([key, value]) => [
            `.factory/sessions/${fold(workspace)}/${key}.jsonl`,
            [{ type: 'session_start', id: key, version: 2, cwd: workspace, [key]: value }, droidWords],
          ],
        ),
      ),
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

  test('a session of OpenClaw that its index no longer names is one if a person spoke in it', async () => {
    const folder = '.openclaw/agents/main/sessions';
    const lines = (id: string, text: string): object[] => [
      { type: 'session', version: 3, id, cwd: workspace, timestamp: '2026-02-06T03:00:00Z' },
      { type: 'message', id: 'w', message: { role: 'user', content: text } },
    ];
    files({
      [`${folder}/sessions.json`]: {
        'agent:main:main': { sessionId: 'now', updatedAt: Date.parse('2026-02-06T09:00:00Z') },
        'agent:main:cron:daily': { sessionId: 'cron' },
        'agent:main:old': { sessionId: 'archived', archivedAt: 5 },
      },
      [`${folder}/now.jsonl`]: lines('now', 'hello'),
      [`${folder}/before.jsonl`]: lines('before', 'paint the fence green'),
      [`${folder}/before.trajectory.jsonl`]: lines('copy', 'paint the fence green'),
      [`${folder}/cron.jsonl`]: lines('cron', 'water the plants'),
      [`${folder}/archived.jsonl`]: lines('archived', 'water the plants'),
      [`${folder}/earlier-cron.jsonl`]: lines('earlier', '[cron:5f2 daily] water the plants'),
      [`${folder}/child.jsonl`]: lines('child', '[Subagent Context] You are a subagent'),
    });
    expect(await found()).toEqual(['openclaw now', 'openclaw before']);
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
    expect(await found({ paths: ['sessions'] })).toEqual(['messages chat']);
    // Whoever can write a file in the workspace could say anything as the person.
    expect(await found()).toEqual([]);
  });

  test('the time comes from the lines, and never lies after the change of the file', async () => {
    const path = `.claude/projects/${fold(workspace)}/f.jsonl`;
    files({ [path]: claude('f', workspace, 1, { timestamp: '2099-01-01T00:00:00.000Z' }) });
    utimesSync(join(home, path), new Date('2026-02-07T00:00:00Z'), new Date('2026-02-07T00:00:00Z'));
    const [ref] = await discoverSessions({ workspace, env: {}, home });
    expect(ref?.lastActive).toBe('2026-02-07T00:00:00.000Z');
  });
});

describe('a session is found', () => {
  const claudeFile = (id: string): string => `.claude/projects/${fold(workspace)}/${id}.jsonl`;

  test('with a first line of any length', async () => {
    const timestamp = '2026-02-06T03:20:00Z';
    const text = 'x'.repeat(2_000_000);
    const meta = { id: 'x1', cwd: workspace, base_instructions: { text } };
    const image = { type: 'image', source: { type: 'base64', data: text } };
    const content = [image, { type: 'text', text: 'like this' }];
    files({
      '.codex/sessions/2026/02/06/rollout-x.jsonl': [
        { timestamp, type: 'session_meta', payload: meta },
        codexWords(timestamp),
      ],
      [claudeFile('c1')]: claude('c1', workspace, 10, { message: { role: 'user', content } }),
    });
    expect(await found()).toEqual(['codex x1', 'claude-code c1']);
  });

  test('as one long JSON value', async () => {
    const project = createHash('sha256').update(workspace).digest('hex');
    const messages = [
      { id: '1', type: 'user', timestamp: '2026-02-06T03:00:00Z', content: 'x'.repeat(1_500_000) },
    ];
    const chat = { sessionId: 'g', projectHash: project, messages };
    files({
      [`.gemini/tmp/${project}/chats/session-1.json`]: chat,
      [`.gemini/tmp/${project}/chats/session-2.json`]: JSON.stringify({ ...chat, sessionId: 'h' }, null, 2),
    });
    expect((await found()).sort()).toEqual(['gemini g', 'gemini h']);
  });

  test('behind lines of unknown kinds, and without line feeds', async () => {
    const unknown = Array.from({ length: 300 }, (_, k) => ({ type: `kind-${k}`, value: 'x'.repeat(500) }));
    const [line] = claude('c2', workspace, 2);
    files({
      [claudeFile('c1')]: [...unknown, ...claude('c1', workspace, 1)],
      [claudeFile('c2')]: `${'\0'.repeat(5000)}${JSON.stringify(line)}${JSON.stringify(line)}`,
    });
    expect(await found()).toEqual(['claude-code c2', 'claude-code c1']);
  });

  test('before empty and scripted ones', async () => {
    const project = createHash('sha256').update(workspace).digest('hex');
    const chats = `.gemini/tmp/${project}/chats`;
    const context = { content: [{ text: '<session_context>\nhere\n</session_context>' }] };
    const [timestamp, meta] = ['2026-02-06T03:50:00Z', { id: 'x', cwd: workspace, source: 'exec' }];
    files({
      [claudeFile('words')]: claude('words', workspace, 1),
      [claudeFile('left')]: claude('left', workspace, 20, { type: 'attachment', message: undefined }),
      [claudeFile('called')]: claude('called', workspace, 28, { entrypoint: 'mcp' }),
      [claudeFile('acted')]: claude('acted', workspace, 29, { entrypoint: 'claude-code-github-action' }),
      [claudeFile('printed')]: claude('printed', workspace, 30, { entrypoint: 'sdk-cli' }),
      [`${chats}/session-2.jsonl`]: [
        { sessionId: 'stub', projectHash: project, lastUpdated: '2026-02-06T03:40:00Z' },
        { id: '1', type: 'user', timestamp: '2026-02-06T03:40:00Z', ...context },
      ],
      '.codex/sessions/2026/02/06/rollout-x.jsonl': [
        { timestamp, type: 'session_meta', payload: meta },
        codexWords(timestamp),
      ],
      '.codex/sessions/2026/02/06/rollout-y.jsonl': [
        { timestamp, type: 'session_meta', payload: { ...meta, id: 'y', source: 'mcp' } },
        codexWords(timestamp),
      ],
    });
    const aside = [
      'codex x',
      'codex y',
      'gemini stub',
      'claude-code printed',
      'claude-code acted',
      'claude-code called',
      'claude-code left',
    ];
    expect(await found()).toEqual(['claude-code words', ...aside]);
    expect(await found({ limit: 1 })).toEqual(['claude-code words']);
  });

  test('with the age of its record, whatever the date of its file', async () => {
    files({ [claudeFile('copied')]: claude('copied', workspace, 1) });
    const older = new Date('2026-01-01T00:00:00Z');
    for (const changed of [new Date(), older]) {
      utimesSync(join(home, claudeFile('copied')), changed, changed);
      const [ref] = await discoverSessions({ workspace, env: {}, home });
      expect(ref?.lastActive).toBe('2026-02-06T03:01:00.000Z');
    }
  });

  test('with the age of the last message of a file that is one indented value', async () => {
    const project = createHash('sha256').update(workspace).digest('hex');
    const timestamp = '2026-02-06T03:05:00.000Z';
    const output = { name: 'read_file', status: 'success', result: [{ text: 'x'.repeat(20_000) }] };
    const toolCalls = Array.from({ length: 10 }, () => output);
    const messages = [
      { id: '1', timestamp: '2026-02-06T03:00:00.000Z', type: 'user', content: 'hi' },
      { id: '2', timestamp, type: 'gemini', content: 'read', toolCalls },
    ];
    const chat = JSON.stringify({ sessionId: 'g', projectHash: project, messages }, null, 2);
    files({ [`.gemini/tmp/${project}/chats/session-1.json`]: chat });
    const [ref] = await discoverSessions({ workspace, env: {}, home });
    expect(ref?.lastActive).toBe(timestamp);
  });

  test('by a path of another machine', async () => {
    files({
      '.openclaw/agents/main/sessions/sessions.json': {
        'agent:main:main': {
          sessionId: 'o1',
          updatedAt: 1770346800000,
          sessionFile: '/Users/ana/.openclaw/o1.jsonl',
        },
        'agent:main:web': {
          sessionId: 'o2',
          updatedAt: 1770346900000,
          sessionFile: 'C:\\Users\\ana\\o2-topic.jsonl',
        },
      },
      '.openclaw/agents/main/sessions/o1.jsonl': [{ type: 'session', id: 'o1', cwd: workspace }, piWords],
      '.openclaw/agents/main/sessions/o2-topic.jsonl': [
        { type: 'session', id: 'o2', cwd: workspace },
        piWords,
      ],
    });
    expect(await found()).toEqual(['openclaw o2', 'openclaw o1']);
  });

  test('under another name of its folder', async () => {
    const link = join(home, 'elsewhere');
    symlinkSync(workspace, link);
    files({ [`.claude/projects/${fold(link)}/c1.jsonl`]: claude('c1', link, 1) });
    expect(await found()).toEqual(['claude-code c1']);
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
    const onProblem = (problem: Error): number => problems.push(problem.message);
    const where = { workspace, env: {}, home, paths: ['sessions'], onProblem };
    expect((await readNewestSession(where))?.ref.id).toBe('d');
    writeFileSync(path, `${JSON.stringify({ role: 'user', timestamp: '2026-02-06T03:04:00Z' })}\n`);
    expect((await readNewestSession(where))?.ref.id).toBe('b');
    expect(problems).toEqual([]);
    rmSync(join(workspace, 'sessions'), { recursive: true });
    expect(await readNewestSession(where)).toBeUndefined();
  });
});
