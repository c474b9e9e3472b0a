import { getNumber, getObject, getString, type JsonObject, parseObject } from '../../base/text/json.ts';
import { extractCommandWords, joinOwnWords, parseIsoTime } from '../content.ts';
import { RowPlace, type SessionEvent } from '../event.ts';
import { Fold } from '../fold.ts';
import { DEFAULT_LIMIT, type Reading, type SessionOptions } from '../reading.ts';
import { createRecord } from '../record.ts';
import { MAX_LINE } from '../source.ts';
import { type Database, withDatabase } from '../sqlite.ts';
import type { SessionRef } from '../types.ts';

const OPENCODE_FORMAT = 'opencode-sqlite';
/** Most messages to read of a session: the newest. */
const MOST_MESSAGES = 4000;
const BATCH = 64;

/**
 * Reads one session of a database of OpenCode or Kilo: `options.session`, else the one that was active last. The
 * position is the time of the last change, with the newest message and how many there were, because messages change
 * after they were written, and a message that was taken back is deleted.
 */
export const readOpenCodeSession = async (path: string, options: SessionOptions): Promise<Reading> =>
  withDatabase(path, async (database) => {
    const { after, root, limit = DEFAULT_LIMIT } = options;
    const session = pickSession(database, options.session);
    const fresh = createRecord(OPENCODE_FORMAT);
    const id = getString(session, 'id');

    if (id === undefined) return { record: fresh, position: { offset: 0, mark: '' }, continues: false };

    const [knownId, last = ''] = (after?.position.mark ?? '').split('\n');
    const continues = after !== undefined && knownId === id && after.record.format === OPENCODE_FORMAT;
    const record = continues ? after.record : fresh;
    const fold = new Fold(record, root, limit);
    const since = continues ? after.position.offset : 0;
    const cwd = getString(session, 'directory');

    fold.addEvents([{ type: 'facts', session: id, cwd }], 0);
    if (continues && last !== '' && !database.row('SELECT 1 AS found FROM message WHERE id = ?', last))
      fold.addEvents([{ type: 'back', to: findNewestBefore(database, id, last) }], since);
    let offset = since;
    let count = 0;

    for (const row of readChangedMessages(database, id, since)) {
      if (++count % BATCH === 0) await new Promise((resume) => setImmediate(resume));
      const at = getNumber(row, 'time_created') ?? 0;
      offset = Math.max(offset, getNumber(row, 'changed') ?? at);
      fold.addEvents(readMessage(database, row, at), at);
    }

    fold.slim();
    const newest = findNewestBefore(database, id, '~') ?? '';

    return { record, position: { offset, mark: `${id}\n${newest}` }, continues };
  });

/** The sessions of a database that a person began and did not archive. */
export const listOpenCodeSessions = async (path: string, host: string): Promise<SessionRef[]> =>
  withDatabase(path, async (database) =>
    [...database.rows(`SELECT * FROM session WHERE ${ATTENDED}`)].flatMap((row) => {
      const [id, cwd] = [getString(row, 'id'), getString(row, 'directory')];
      const lastActive = parseIsoTime(getNumber(row, 'time_updated'));
      return id === undefined || lastActive === undefined ? [] : [{ host, id, path, lastActive, cwd }];
    }),
  );

export const isOpenCode = (database: Database): boolean => database.hasColumn('part', 'message_id');

const ATTENDED = 'parent_id IS NULL AND time_archived IS NULL';

function pickSession(database: Database, wanted: string | undefined): JsonObject | undefined {
  if (wanted !== undefined) return database.row('SELECT * FROM session WHERE id = ?', wanted);
  return database.row(`SELECT * FROM session WHERE ${ATTENDED} ORDER BY time_updated DESC LIMIT 1`);
}

/** The ids of messages grow with time. */
const findNewestBefore = (database: Database, session: string, id: string): string | null =>
  getString(
    database.row('SELECT max(id) AS id FROM message WHERE session_id = ? AND id < ?', session, id),
    'id',
  ) ?? null;

function readChangedMessages(database: Database, session: string, since: number): Iterable<JsonObject> {
  const changed =
    'max(m.time_updated, coalesce((SELECT max(p.time_updated) FROM part p WHERE p.message_id = m.id), 0))';
  return database.rows(
    `SELECT * FROM (SELECT m.id, m.time_created, m.data, ${changed} AS changed FROM message m
       WHERE m.session_id = ? ORDER BY m.id DESC LIMIT ${MOST_MESSAGES}) WHERE changed >= ? ORDER BY id`,
    session,
    since,
  );
}

function readMessage(database: Database, row: JsonObject, at: number): SessionEvent[] {
  const id = getString(row, 'id') ?? `@${at}`;
  const data = parseObject(getString(row, 'data'));
  if (data === undefined) return [{ type: 'skip', reason: 'message that cannot be read' }];

  const place = new RowPlace(at, { id, timestamp: at });
  const query = `SELECT CASE WHEN octet_length(data) <= ${MAX_LINE} THEN data END AS data FROM part WHERE message_id = ? ORDER BY id`;
  const parts = [...database.rows(query, id)]
    .map((part) => parseObject(getString(part, 'data')))
    .filter((part) => part !== undefined);
  const start: SessionEvent = { type: 'row', id, replaces: true };

  if (data.role === 'user') return [start, ...readPrompt(parts, place)];
  if (data.summary === true)
    return [start, { type: 'compacted', ...place, summary: listTexts(parts).join('\n') || undefined }];

  const tokensUsed = getNumber(getObject(data, 'tokens'), 'total');
  const model = getString(data, 'modelID');
  const facts: SessionEvent = { type: 'facts', model, ...(tokensUsed ? { tokensUsed } : {}) };
  const isStopped = getString(getObject(data, 'error'), 'name') === 'MessageAbortedError';
  const stop: SessionEvent[] = isStopped ? [{ type: 'interrupted', ...place }] : [];

  return [start, facts, ...readAnswer(parts, place), ...stop];
}

const listTexts = (parts: readonly JsonObject[]): string[] =>
  parts
    // The model does not get parts that a plugin marks as ignored.
    .filter((part) => part.type === 'text' && part.synthetic !== true && part.ignored !== true)
    .flatMap((part) => {
      const typed = getTyped(part);
      return (typed === undefined ? getString(part, 'text') : extractCommandWords(typed)) ?? [];
    });

/** The call of the command whose text a part is, as our plugin or Kilo recorded it. */
function getTyped(part: JsonObject): string | undefined {
  const metadata = getObject(part, 'metadata');
  const kilo = getObject(getObject(metadata, 'kilo'), 'injected');
  return getString(getObject(metadata, 'scratchpad'), 'typed') ?? getString(kilo, 'title');
}

function readPrompt(parts: readonly JsonObject[], place: RowPlace): SessionEvent[] {
  const own = listTexts(parts).filter((part) => !part.startsWith('[Session Scratchpad'));
  const text = joinOwnWords(own)
    // `opencode run` quotes its words.
    .replace(/^"([\s\S]*)"$/, '$1');

  return place.prompt(
    text,
    true,
    parts.some((part) => getTyped(part) !== undefined),
  );
}

function readAnswer(parts: readonly JsonObject[], place: RowPlace): SessionEvent[] {
  const calls = parts.flatMap((part): SessionEvent[] => {
    const state = part.type === 'tool' ? getObject(part, 'state') : undefined;
    if (state === undefined) return [];

    const [call, tool] = [getString(part, 'callID'), getString(part, 'tool')];
    const callEvent = place.call({ name: tool, input: state.input }, call);
    const status = getString(state, 'status');
    if (status !== 'completed' && status !== 'error') return [callEvent];

    const hasFailed = status === 'error' || (getNumber(getObject(state, 'metadata'), 'exit') ?? 0) !== 0;
    const output = getString(state, status === 'error' ? 'error' : 'output') ?? '';

    return [callEvent, place.result(call, { text: output, outcome: hasFailed ? 'failed' : 'ok', tool })];
  });

  return [...calls, ...place.agent(listTexts(parts).join('\n').trim())];
}
