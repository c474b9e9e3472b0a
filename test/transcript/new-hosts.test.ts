import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discoverSessions } from '../../src/transcript/discover.ts';
import { readSession, readTranscriptFile } from '../../src/transcript/read.ts';
import { listItems } from '../../src/transcript/record.ts';
import { testDir } from '../helpers/test-dir.ts';

const all = { limit: Number.POSITIVE_INFINITY };
const TIME = '2026-11-28T22:00:00.000Z';
const ID = '742f2e55-f58f-4809-b31a-54db60d77e67';

const copilot = (cwd: string): object[] => [
  record('session.start', { sessionId: 'c1', selectedModel: 'm', context: { cwd, branch: 'main' } }),
  record('user.message', { content: 'count for me' }),
  record('assistant.message', {
    content: 'I count.',
    toolRequests: [{ toolCallId: 't1', name: 'bash', arguments: { command: 'seq 3' } }],
  }),
  record('tool.execution_complete', {
    ...{ toolCallId: 't1', success: true, result: { content: '1' } },
    shellExecution: { exitCode: 2 },
  }),
  record('session.usage_record', {
    usage: {
      interactionType: 'conversation-agent',
      inputTokens: 900,
      outputTokens: 10,
      maxPromptTokens: 1000,
    },
  }),
  record('session.compaction_complete', { success: true, summaryContent: 'It counts.' }),
  record('user.message', { content: '/compact' }),
];
const record = (type: string, data: object): object => ({
  ...{ type, data, id: `${type}-1`, timestamp: TIME, parentId: null },
});

const qwen = (cwd: string): object[] => {
  const line = (uuid: string, more: object): object => ({
    ...{ uuid, parentUuid: null, sessionId: 'q1', timestamp: TIME, cwd, provenance: 'system' },
    ...more,
  });
  return [
    line('a', { type: 'user', provenance: 'real_user', message: { parts: [{ text: 'count for me' }] } }),
    line('b', {
      ...{ type: 'assistant', model: 'm', usageMetadata: { totalTokenCount: 910 } },
      message: {
        parts: [
          { text: 'thinking', thought: true },
          { text: 'I count.' },
          { functionCall: { id: 't1', name: 'run_shell_command', args: { command: 'seq 3' } } },
        ],
      },
      parentUuid: 'a',
    }),
    line('c', {
      ...{ type: 'tool_result', parentUuid: 'b', toolCallResult: { status: 'error' } },
      message: {
        parts: [{ functionResponse: { id: 't1', name: 'run_shell_command', response: { output: '1' } } }],
      },
    }),
    line('d', {
      ...{ type: 'system', parentUuid: 'c', subtype: 'chat_compression' },
      systemPayload: { compressedHistory: [{ parts: [{ text: 'It counts.' }] }] },
    }),
  ];
};

const droid = (cwd: string): object[] => {
  const line = (k: number, message: object): object => ({
    ...{ type: 'message', id: `${ID.slice(0, -1)}${k}`, timestamp: TIME, message },
  });
  return [
    { type: 'session_start', id: 'd1', title: 'count for me', cwd, version: 2 },
    line(0, { role: 'user', content: [], visibility: 'user_only', hookEventName: 'SessionStart' }),
    line(1, { role: 'user', content: [{ type: 'text', text: '<system-reminder>x</system-reminder>' }] }),
    line(2, { role: 'user', content: [{ type: 'text', text: 'count for me' }] }),
    line(3, {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I count.' },
        { type: 'tool_use', id: 't1', name: 'Execute', input: { command: 'seq 3' } },
      ],
    }),
    line(4, {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: '1' }],
    }),
  ];
};

const fold = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, '-');

describe.each([
  ['copilot', 'c1', copilot, () => '.copilot/session-state/c1/events.jsonl'],
  ['qwen-code', 'q1', qwen, (cwd: string) => `.qwen/projects/${fold(cwd)}/chats/q1.jsonl`],
  ['droid', 'd1', droid, (cwd: string) => `.factory/sessions/${fold(cwd)}/d1.jsonl`],
] as const)('%s', (host, id, lines, place) => {
  const home = testDir();
  const workspace = join(home, 'work');
  mkdirSync(workspace);
  const path = join(home, place(workspace));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    lines(workspace)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );

  test('its session is found', async () => {
    const found = await discoverSessions({ workspace, env: {}, home });
    expect(found.map((one) => [one.host, one.id])).toEqual([[host, id]]);
    expect(await discoverSessions({ workspace: home, env: {}, home })).toHaveLength(
      host === 'copilot' ? 1 : 1,
    );
  });

  test('the person’s words, the agent’s, a call that failed', async () => {
    const { messages } = await readTranscriptFile(path, all);
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'count for me',
    ]);
    expect(messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual([
      'I count.',
    ]);
    const { record: read } = await readSession(path, { root: workspace });
    expect(listItems(read).find(({ type }) => type === 'result')).toMatchObject({ outcome: 'failed' });
  });

  test.skipIf(host === 'droid')('its compaction', async () => {
    const { facts } = await readTranscriptFile(path, all);
    expect(facts.compactions).toMatchObject([{ summary: 'It counts.' }]);
    expect(facts.tokensUsed).toBe(910);
  });
});

interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void };
  close(): void;
}
const builtins: { getBuiltinModule?: (name: string) => undefined | Record<string, unknown> } = process;
const sqlite = builtins.getBuiltinModule?.('node:sqlite') as
  | { DatabaseSync: new (path: string) => Database }
  | undefined;

// Node 20 has no SQLite.
describe.skipIf(sqlite === undefined)('the database of OpenCode', () => {
  function database(home: string, cwd: string) {
    const path = join(home, '.local/share/opencode/opencode.db');
    mkdirSync(dirname(path), { recursive: true });
    const db = new (sqlite as NonNullable<typeof sqlite>).DatabaseSync(path);
    db.exec(`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, time_created INTEGER,
        time_updated INTEGER, time_archived INTEGER);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
        time_updated INTEGER, data TEXT)`);
    const session = db.prepare('INSERT INTO session VALUES (?, ?, ?, 1, 9, NULL)');
    session.run('ses_1', null, cwd);
    session.run('ses_child', 'ses_1', cwd);
    let time = 1_795_902_336_000;
    const say = (id: string, data: object, ...parts: object[]): void => {
      time += 1000;
      db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run(
        ...[id, 'ses_1', time, time, JSON.stringify(data)],
      );
      for (const [k, part] of parts.entries())
        db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)').run(
          ...[`prt_${id}_${k}`, id, 'ses_1', time, time, JSON.stringify(part)],
        );
    };
    return { db, path, say };
  }
  const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });

  test('the text of a command is not the words of the person, but a sentence behind its name is', async () => {
    const home = testDir();
    const { path, say } = database(home, home);
    const ours = (typed: string) => ({ metadata: { scratchpad: { typed } } });
    say('msg_1', { role: 'user' }, text('Never write tests.', ours('/ship')));
    say('msg_2', { role: 'user' }, text('Never write tests: now.', ours('/ship the cart first')));
    const injected = { kilo: { injected: { title: '/ship mind\nthe gap' } } };
    say('msg_3', { role: 'user' }, text('Never write tests.', { metadata: injected }));
    const { record } = await readSession(path, { root: home, session: 'ses_1' });
    const words = listItems(record).flatMap((item) => (item.type === 'person' ? item.text : []));
    expect(words).toEqual(['the cart first', 'mind\nthe gap']);
  });

  test('nor is that of a command in its settings, or of a skill', async () => {
    const [home, rule] = [testDir(), 'Never write "tests", ] } in this repository.'];
    const template =
      '{"//": 1, /* x */ "command": {"a": {"template": TEXT,}, "b": {"template": "{file:./b.md}"},},}';
    writeFileSync(join(home, 'opencode.jsonc'), template.replace('TEXT', JSON.stringify(`${rule} a`)));
    writeFileSync(join(home, 'b.md'), `${rule} b`);
    mkdirSync(join(home, '.opencode/skill/x'), { recursive: true });
    writeFileSync(join(home, '.opencode/skill/x/SKILL.md'), `---\nname: x\n---\n${rule} c`);
    const { path, say } = database(home, home);
    for (const end of ['a', 'b', 'c', 'd']) say(`msg_${end}`, { role: 'user' }, text(`${rule} ${end}`));
    say('msg_e', { role: 'user' }, text('shown by a plugin', { ignored: true }));
    const { record } = await readSession(path, { root: home, session: 'ses_1' });
    const words = listItems(record).flatMap((item) => (item.type === 'person' ? item.text : []));
    expect(words).toEqual([`${rule} d`]);
  });

  test('a command of a few words leaves a doubt, in its settings, a file and a skill', async () => {
    const home = testDir({
      'opencode.json': '{"command": {"a": {"template": "EVIL a $ARGUMENTS"}}}',
      '.opencode/command/b.md': 'EVIL b $ARGUMENTS',
      '.opencode/skill/c/SKILL.md': 'EVIL c $ARGUMENTS',
    });
    const { path, say } = database(home, home);
    for (const name of ['a', 'b', 'c', 'd']) say(`msg_${name}`, { role: 'user' }, text(`EVIL ${name} now`));
    const { record } = await readSession(path, { root: home, session: 'ses_1' });
    const doubts = listItems(record).flatMap((item) => (item.type === 'person' ? [item.doubt] : []));
    expect(doubts).toEqual([
      ...['a', 'b', 'c'].map((name) => `perhaps text of the command /${name}`),
      undefined,
    ]);
  });

  test('is found, read, read on, and read after a turn was taken back', async () => {
    const home = testDir();
    const workspace = join(home, 'work');
    mkdirSync(workspace);
    const { db, path, say } = database(home, workspace);
    say('msg_1', { role: 'user' }, text('"count for me"'), text('ours', { synthetic: true }));
    const state = { status: 'completed', input: { command: 'seq 3' }, output: '1', metadata: { exit: 1 } };
    say('msg_2', { role: 'assistant', modelID: 'm', tokens: { total: 910 } }, text('I count.'), {
      ...{ type: 'tool', tool: 'bash', callID: 't1', state },
    });
    const found = await discoverSessions({ workspace, env: {}, home });
    expect(found.map(({ host, id }) => [host, id])).toEqual([['opencode', 'ses_1']]);
    const first = await readSession(path, { root: workspace, session: 'ses_1' });
    expect(listItems(first.record).map(({ type }) => type)).toEqual(['person', 'call', 'result', 'agent']);
    say('msg_3', { role: 'user' }, text('and on'));
    say('msg_4', { role: 'assistant', summary: true }, text('It counts.'));
    const words = (reading: typeof first): unknown[] =>
      listItems(reading.record).flatMap((item) =>
        'text' in item && item.type === 'person' ? item.text : [],
      );
    const second = await readSession(path, { root: workspace, session: 'ses_1', after: first });
    expect([second.continues, words(second)]).toEqual([true, ['count for me', 'and on']]);
    expect(listItems(second.record).some(({ type }) => type === 'compacted')).toBe(true);
    db.exec("DELETE FROM message WHERE id IN ('msg_3', 'msg_4')");
    say('msg_5', { role: 'user' }, text('another way'));
    const third = await readSession(path, { root: workspace, session: 'ses_1', after: second });
    expect([third.continues, words(third)]).toEqual([true, ['count for me', 'another way']]);
    db.close();
  });
});
