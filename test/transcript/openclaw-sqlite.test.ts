import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ScratchpadError } from '../../src/base/errors.ts';
import { findPreviousSessions, mayRun, ownSession } from '../../src/handover/index.ts';
import { discoverSessions } from '../../src/transcript/discover.ts';
import { type Reading, readSession, readTranscriptFile } from '../../src/transcript/read.ts';
import { listItems } from '../../src/transcript/record.ts';
import { runWarm } from '../helpers/run-warm.ts';
import { testDir } from '../helpers/test-dir.ts';

interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void };
  close(): void;
}
interface Builtins {
  getBuiltinModule?: (name: string) => undefined | Record<string, unknown>;
}

const builtins: Builtins = process;
const sqlite = builtins.getBuiltinModule?.('node:sqlite') as
  | { DatabaseSync: new (path: string) => Database }
  | undefined;
const zlib = builtins.getBuiltinModule?.('node:zlib') as
  | { zstdCompressSync?: (data: Buffer) => Buffer }
  | undefined;
const folder = testDir();
const all = { limit: Number.POSITIVE_INFINITY };
let count = 0;

/** A database with the tables and columns that the reader uses, as agent schema 23 has them. */
function database(path = join(folder, `${count++}.sqlite`), version = 23): { path: string; db: Database } {
  if (sqlite === undefined) throw new Error('no SQLite on this Node');
  const db = new sqlite.DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA user_version = ${version};
    CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
      updated_at INTEGER NOT NULL, created_via TEXT, spawned_by TEXT, archived_at INTEGER, last_interaction_at INTEGER,
      last_activity_at INTEGER) STRICT;
    CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
      event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq)) STRICT;
    CREATE TABLE session_transcript_index_state (session_id TEXT PRIMARY KEY, indexed_seq INTEGER NOT NULL,
      needs_rebuild INTEGER NOT NULL DEFAULT 0, active_event_count INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE session_transcript_active_events (session_id TEXT NOT NULL, active_position INTEGER NOT NULL,
      event_seq INTEGER NOT NULL, message_position INTEGER, context_eligible INTEGER,
      PRIMARY KEY (session_id, active_position)) STRICT;`);
  return { path, db };
}

function node(
  db: Database,
  key: string,
  id: string,
  spokenAt: number,
  more: Record<string, unknown> = {},
): void {
  const row = { session_key: key, current_session_id: id, entry_json: '{}', updated_at: spokenAt, ...more };
  const names = [...Object.keys(row), ...('last_interaction_at' in more ? [] : ['last_interaction_at'])];
  const values = [...Object.values(row), ...('last_interaction_at' in more ? [] : [spokenAt])];
  db.prepare(`INSERT INTO session_nodes (${names.join()}) VALUES (${names.map(() => '?').join()})`).run(
    ...values,
  );
}

/** Insert events; `active` lists the rows of the host's own projection, none leaves it empty. */
function events(
  db: Database,
  id: string,
  entries: object[],
  active?: number[],
  packed = new Set<number>(),
): void {
  const insert = db.prepare(
    'INSERT INTO transcript_events (session_id, seq, event_json, event_zstd, created_at) VALUES (?, ?, ?, ?, 0)',
  );
  entries.forEach((entry, seq) => {
    const text = JSON.stringify(entry);
    const zstd = packed.has(seq) ? (zlib?.zstdCompressSync?.(Buffer.from(text)) ?? null) : null;
    insert.run(id, seq, zstd === null ? text : null, zstd);
  });
  if (active === undefined) return;
  const row = db.prepare(
    'INSERT INTO session_transcript_active_events (session_id, active_position, event_seq) VALUES (?, ?, ?)',
  );
  active.forEach((seq, position) => {
    row.run(id, position, seq);
  });
  db.prepare('INSERT INTO session_transcript_index_state VALUES (?, ?, 0, ?)').run(
    id,
    entries.length - 1,
    active.length,
  );
}

const header = { type: 'session', version: 4, id: 's1', cwd: '/w' };
const said = (id: string, parentId: string | null, content: string, role = 'user'): object => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-09-01T00:00:00.000Z',
  message: { role, content },
});
const branched = [
  header,
  said('a', null, 'one'),
  said('x', 'a', 'left behind'),
  said('b', 'a', 'two', 'assistant'),
  { type: 'leaf', id: 'l', parentId: 'x', targetId: 'b' },
];

describe.skipIf(sqlite === undefined)('an OpenClaw database', () => {
  test('gives the active path, from the projection or, when that is behind, from the events', async () => {
    for (const active of [[1, 3], undefined]) {
      const { path, db } = database();
      node(db, 'agent:main:main', 's1', 5, {
        entry_json: '{"contextTokens":200000,"totalTokens":1234,"model":"m"}',
      });
      events(db, 's1', branched, active);
      db.close();
      const { format, messages, facts } = await readTranscriptFile(path, all);
      expect(format).toBe('openclaw-sqlite');
      expect(messages.map(({ id, role, content, session }) => [id, role, content, session])).toEqual([
        ['a', 'user', 'one', 's1'],
        ['b', 'assistant', 'two', 's1'],
      ]);
      expect(facts).toMatchObject({
        id: 's1',
        cwd: '/w',
        model: 'm',
        tokensUsed: 1234,
        contextWindow: 200_000,
      });
    }
  });

  test.skipIf(zlib?.zstdCompressSync === undefined)('reads events of both columns', async () => {
    const { path, db } = database();
    node(db, 'agent:main:main', 's1', 5);
    events(
      db,
      's1',
      [header, said('a', null, 'plain'), said('b', 'a', 'packed '.repeat(500))],
      [1, 2],
      new Set([2]),
    );
    db.close();
    const { messages, skipped } = await readTranscriptFile(path, all);
    expect(messages.map((message) => message.content.slice(0, 6))).toEqual(['plain', 'packed']);
    expect(skipped).toEqual([]);
  });

  test('an event that cannot be read is counted and does not hide the others', async () => {
    const { path, db } = database();
    node(db, 'agent:main:main', 's1', 5);
    events(db, 's1', [header, said('a', null, 'one'), said('b', 'a', 'two'), said('c', 'b', 'three')]);
    db.exec("UPDATE transcript_events SET event_json = '{broken' WHERE seq = 2");
    db.close();
    const { messages, skipped } = await readTranscriptFile(path, all);
    expect(messages.map((message) => message.content)).toEqual(['one', 'three']);
    expect(skipped).toContainEqual({ reason: 'event that cannot be read', count: 1 });
  });

  test('holds texts of the host in the person’s place, which are left out', async () => {
    const { path, db } = database();
    node(db, 'agent:main:main', 's1', 5);
    const polled = [said('b', 'a', '[OpenClaw heartbeat poll]'), said('c', 'b', 'HEARTBEAT_OK', 'assistant')];
    events(db, 's1', [header, said('a', null, 'one'), ...polled]);
    db.close();
    const { messages } = await readTranscriptFile(path, all);
    expect(messages.map(({ content }) => content)).toEqual(['one']);
  });

  test('takes the session a human spoke in last, or the one that is named', async () => {
    const { path, db } = database();
    node(db, 'agent:main:main', 's1', 10);
    node(db, 'agent:main:old', 's2', 5);
    node(db, 'agent:main:cron:daily', 's3', 99);
    node(db, 'agent:main:archived', 's4', 98, { archived_at: 1 });
    node(db, 'agent:main:subagent:1', 's5', 97);
    node(db, 'agent:main:child', 's6', 96, { spawned_by: 'agent:main:main' });
    node(db, 'agent:main:beat', 's7', 95, { last_interaction_at: 1 });
    for (const id of ['s1', 's2', 's3', 's4', 's5', 's6', 's7']) events(db, id, [said('a', null, id)]);
    db.close();
    const first = async (session?: string): Promise<string | undefined> =>
      (await readTranscriptFile(path, session === undefined ? {} : { session })).messages[0]?.content;
    expect(await first()).toBe('s1');
    expect(await first('agent:main:old')).toBe('s2');
    expect(await first('s3')).toBe('s3');
    await expect(first('nobody')).rejects.toMatchObject({ kind: 'refused', detail: { found: 'nobody' } });
  });

  test('is read forwards from where the last reading ended, and anew after a rewind', async () => {
    const { path, db } = database();
    node(db, 'agent:main:main', 's1', 10);
    const talk = [said('a', null, 'one'), said('b', 'a', 'two'), said('c', 'b', 'three')];
    const words = ({ record }: Reading): string[] =>
      listItems(record).flatMap((item) => (item.type === 'person' ? [item.text] : []));
    const read = (after?: Reading): Promise<Reading> =>
      readSession(path, { root: '/', session: 's1', after });
    events(db, 's1', talk.slice(0, 2));
    const first = await read();
    expect([words(first), first.position.offset]).toEqual([['one', 'two'], 1]);
    const insert = db.prepare(
      'INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES (?, ?, ?, 0)',
    );
    insert.run('s1', 2, JSON.stringify(talk[2]));
    const grown = await read(first);
    expect([words(grown), grown.continues]).toEqual([['one', 'two', 'three'], true]);
    insert.run('s1', 3, JSON.stringify(said('d', 'a', 'other')));
    const rewound = await read(grown);
    expect([words(rewound), rewound.continues]).toEqual([['one', 'other'], true]);
    db.close();
  });

  test('is preferred to the session files of before, and left for them when it cannot be read', async () => {
    const home = testDir();
    const agent = join(home, '.openclaw', 'agents', 'main');
    mkdirSync(join(agent, 'agent'), { recursive: true });
    mkdirSync(join(agent, 'sessions'));
    writeFileSync(
      join(agent, 'sessions', 'f.jsonl'),
      `${JSON.stringify({ ...header, id: 'f', cwd: home })}\n`,
    );
    const { path, db } = database(join(agent, 'agent', 'openclaw-agent.sqlite'));
    node(db, 'agent:main:main', 's1', 1_770_000_000_000);
    events(db, 's1', [{ ...header, cwd: home }]);
    const problems: ScratchpadError[] = [];
    const options = {
      workspace: home,
      env: {},
      home,
      onProblem: (problem: ScratchpadError) => problems.push(problem),
    };
    const [ref] = await discoverSessions(options);
    expect(ref).toMatchObject({ host: 'openclaw', id: 'agent:main:main', path, cwd: home });
    expect(problems).toEqual([]);
    db.exec('DROP TABLE transcript_events; PRAGMA user_version = 99');
    db.close();
    expect((await discoverSessions(options)).map((found) => found.id)).toEqual(['f']);
    expect(problems[0]).toMatchObject({
      kind: 'environment',
      detail: { found: 'no such table: transcript_events' },
    });
  });

  test('has all sessions of an agent: each is before the next, and none runs because another one does', async () => {
    const root = testDir({ 'SCRATCHPAD.md': '# Pad\n', '.scratchpad/.gitignore': '*\n' });
    const now = Date.now();
    const at = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();
    const state = join(root, 'state');
    const agent = join(state, 'agents/main/agent');
    mkdirSync(agent, { recursive: true });
    const { path, db } = database(join(agent, 'openclaw-agent.sqlite'));
    for (const [key, minutes, words] of [
      ['a', 20, 'Never close the pool twice.'],
      ['b', 10, 'Write the labels.'],
      ['c', 0, 'go on'],
    ] as const) {
      node(db, `agent:main:explicit:${key}`, key, now - minutes * 60_000);
      const spoken = { ...said(key, null, words), timestamp: at(minutes) };
      events(db, key, [{ ...header, id: key, cwd: root, timestamp: at(minutes) }, spoken], [1]);
    }
    const session = 'agent:main:explicit:c';
    const env = { OPENCLAW_STATE_DIR: state };
    const config = { transcript: { paths: [] } };
    const options = {
      root,
      session,
      now,
      config,
      env,
      onProblem: (problem: string) => expect(problem).toBe(''),
    };
    const own = await ownSession(options);
    const { all: before } = await findPreviousSessions(options, own);
    expect(before.map((stored) => [stored.session.at(-1), mayRun(stored, now, root)])).toEqual([
      ['b', false],
      ['a', false],
    ]);
    expect(own?.path).toBe(path);
    db.close();
  });

  test('the old single key of this workspace’s session is loaded into notes on first use, once', async () => {
    const root = testDir({ 'work/SCRATCHPAD.md': '# Pad\n', 'work/.scratchpad/': '', 'other/': '' });
    const cwd = join(root, 'work');
    const agent = join(root, 'home/.openclaw/agents/main/agent');
    mkdirSync(agent, { recursive: true });
    const { db } = database(join(agent, 'openclaw-agent.sqlite'));
    const kept = (id: string, data: string): object => ({
      ...{ type: 'custom', customType: 'openclaw:scratchpad', id, parentId: null, data },
      timestamp: '2026-09-01T00:00:00.000Z',
    });
    node(db, 'agent:main:main', 's1', 1_770_000_000_000);
    events(db, 's1', [{ ...header, cwd }, kept('a', 'first'), kept('b', 'last')]);
    // The same agent spoke in another workspace since.
    node(db, 'agent:main:other', 's2', 1_780_000_000_000);
    events(db, 's2', [{ ...header, id: 's2', cwd: join(root, 'other') }, kept('c', 'of the other')]);
    db.close();
    const env = { HOME: join(root, 'home') };
    const first = await runWarm(['notes'], { cwd, env });
    expect([first.stdout, first.stderr]).toEqual([
      'last\n',
      expect.stringMatching(/^loaded notes from the openclaw session .*; scratchpad undo takes it back\n$/),
    ]);
    await runWarm(['undo', '--others'], { cwd, env });
    expect(await runWarm(['notes'], { cwd, env })).toMatchObject({ stdout: '' });
  });

  test('says what is wrong with other databases', async () => {
    const { path, db } = database();
    db.exec('DROP TABLE session_nodes');
    db.close();
    await expect(readTranscriptFile(path)).rejects.toMatchObject({
      kind: 'environment',
      detail: { found: 'no such table: session_nodes' },
    });
    const damaged = join(folder, 'damaged.sqlite');
    writeFileSync(damaged, `SQLite format 3\0${'x'.repeat(5000)}`);
    await expect(readTranscriptFile(damaged)).rejects.toMatchObject({ kind: 'environment' });
  });

  test('says when it is locked', async () => {
    const { path, db } = database();
    node(db, 'agent:main:main', 's1', 5);
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM session_nodes');
    const error: unknown = await readTranscriptFile(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ScratchpadError);
    expect(error).toMatchObject({ kind: 'environment', detail: { found: 'database is locked' } });
    db.exec('ROLLBACK');
    db.close();
  });
});

test.skipIf(sqlite !== undefined)('a Node without SQLite says so', async () => {
  const path = join(folder, 'any.sqlite');
  writeFileSync(path, `SQLite format 3\0${'\0'.repeat(100)}`);
  await expect(readTranscriptFile(path)).rejects.toMatchObject({
    kind: 'environment',
    detail: { next: expect.stringContaining('newer Node') },
  });
});
