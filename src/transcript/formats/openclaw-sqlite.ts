import { refusal } from '../../base/errors.ts';
import { getNumber, getString, type JsonObject, parseObject } from '../../base/text/json.ts';
import { isUnattended, parseIsoTime } from '../content.ts';
import { Fold } from '../fold.ts';
import { DEFAULT_LIMIT, type Reading, type SessionOptions } from '../reading.ts';
import { assignDefined, createRecord } from '../record.ts';
import { MAX_LINE, parseRows } from '../source.ts';
import { type Database, nodeTooOld, withDatabase } from '../sqlite.ts';
import type { SessionRef } from '../types.ts';
import { readPiRow } from './pi.ts';

const FORMAT = 'openclaw-sqlite';
const BATCH = 64;
/** Most events to read of a session: the newest. */
const MOST_EVENTS = 20_000;
/** Sequence numbers begin at 0. */
const BEFORE_ALL = -1;

/**
 * Reads one session of an OpenClaw database: `options.session` by key or id, else the last one in which a
 * person spoke. Its events are the entries of a tree, as in pi's files; the position is a sequence number.
 * @throws {ScratchpadError} `refused` if there is no such session, `environment` like `withDatabase`
 */
export const readOpenClawSession = async (path: string, options: SessionOptions): Promise<Reading> =>
  withDatabase(path, async (database) => {
    const { after, root, limit = DEFAULT_LIMIT, mostBytes } = options;
    const mostEvents = mostBytes === Number.POSITIVE_INFINITY ? mostBytes : MOST_EVENTS;
    const session = pickSession(database, options.session);
    const fresh = createRecord(FORMAT);

    if (session === undefined)
      return { record: fresh, position: { offset: BEFORE_ALL, mark: '' }, continues: false };

    const { id, entry } = session;
    const last = getNumber(
      database.row('SELECT max(seq) AS seq FROM transcript_events WHERE session_id = ?', id),
      'seq',
    );
    const offset = last ?? BEFORE_ALL;
    const continues = after?.position.mark === id && after.position.offset <= offset;
    const record = continues ? after.record : fresh;
    const fold = new Fold(record, root, limit);

    if (!continues) {
      record.facts.session = id;
      const header = await readHeader(database, id);
      if (header?.type === 'session') fold.addEvents(readPiRow(header, 0), 0);
    }

    const start = Math.max(continues ? after.position.offset : BEFORE_ALL, offset - mostEvents);
    await foldEventsAfter(database, id, start, fold);

    const entryFacts = {
      model: getString(entry, 'model'),
      cwd: getDirectory(entry),
      tokensUsed: getNumber(entry, 'totalTokens'),
      contextWindow: getNumber(entry, 'contextTokens'),
    };

    assignDefined(record.facts, { ...entryFacts, ...record.facts });
    fold.slim();

    return { record, position: { offset, mark: id }, continues };
  });

/** @param start the sequence number after which to begin */
async function foldEventsAfter(database: Database, id: string, start: number, fold: Fold): Promise<void> {
  const query = `SELECT ${selectPayload(database)} FROM transcript_events e WHERE e.session_id = ? AND e.seq > ? ORDER BY e.seq`;
  let count = 0;

  for (const row of database.rows(query, id, start)) {
    if (++count % BATCH === 0) await new Promise((resume) => setImmediate(resume));
    const event = await decodeEvent(row);
    const seq = getNumber(row, 'seq') ?? 0;
    fold.addEvents(
      event ? readPiRow(event, seq) : [{ type: 'skip', reason: 'event that cannot be read' }],
      seq,
    );
  }
}

/** The sessions of a database in which a person takes part and which are not archived. */
export const listOpenClawSessions = async (path: string): Promise<SessionRef[]> =>
  withDatabase(path, async (database) => {
    const refs: SessionRef[] = [];
    for (const node of listAttended(database)) {
      const lastActive = parseIsoTime(getSpokenTime(node));
      const key = getString(node, 'session_key');
      const id = getString(node, 'current_session_id');

      if (key === undefined || id === undefined || lastActive === undefined) continue;

      const cwd = getString(await readHeader(database, id), 'cwd') ?? getDirectory(parseEntry(node));
      refs.push({ host: 'openclaw', id: key, path, lastActive, cwd });
    }

    return refs;
  });

/** The time at which a person last spoke, from the most exact column. */
const getSpokenTime = (node: JsonObject): number | undefined =>
  ['last_interaction_at', 'last_activity_at', 'updated_at']
    .map((name) => getNumber(node, name))
    .find((at) => at !== undefined);

function listAttended(database: Database): JsonObject[] {
  const hasNoPerson = (node: JsonObject): boolean =>
    isUnattended(getString(node, 'session_key') ?? '') ||
    getString(node, 'spawned_by') !== undefined ||
    ['cron', 'spawn'].includes(getString(node, 'created_via') ?? '');
  return [...database.rows('SELECT * FROM session_nodes ORDER BY session_key')]
    .filter((node) => !hasNoPerson(node) && getNumber(node, 'archived_at') === undefined)
    .sort((a, b) => (getSpokenTime(b) ?? 0) - (getSpokenTime(a) ?? 0));
}

function pickSession(
  database: Database,
  wanted: string | undefined,
): { id: string; entry: JsonObject } | undefined {
  const query = 'SELECT * FROM session_nodes WHERE session_key = ?1 OR current_session_id = ?1';
  const nodes = wanted === undefined ? listAttended(database) : [...database.rows(query, wanted)];
  const node = nodes.find((one) => getString(one, 'current_session_id') !== undefined);

  if (node !== undefined) return { id: getString(node, 'current_session_id') ?? '', entry: parseEntry(node) };
  if (wanted === undefined) return undefined;
  // An earlier session of a key, which the list no longer has.
  if (database.row('SELECT 1 AS found FROM transcript_events WHERE session_id = ? LIMIT 1', wanted))
    return { id: wanted, entry: {} };

  throw refusal('no such session in the OpenClaw database', {
    where: database.path,
    found: wanted,
    next: { to: 'see the existing sessions', command: 'scratchpad transcript list' },
  });
}

const parseEntry = (node: JsonObject): JsonObject => parseObject(getString(node, 'entry_json')) ?? {};

const getDirectory = (entry: JsonObject): string | undefined =>
  getString(entry, 'spawnedCwd') ?? getString(entry, 'execCwd');

const readHeader = (database: Database, id: string): Promise<JsonObject | undefined> =>
  decodeEvent(
    database.row(
      `SELECT ${selectPayload(database)} FROM transcript_events e WHERE e.session_id = ? ORDER BY e.seq LIMIT 1`,
      id,
    ),
  );

/** An event is in one of two columns; databases before schema 23 have only the first. */
const selectPayload = (database: Database): string =>
  `e.seq, CASE WHEN octet_length(e.event_json) <= ${MAX_LINE} THEN e.event_json END AS event_json${database.hasColumn('transcript_events', 'event_zstd') ? ', e.event_zstd' : ''}`;

async function decodeEvent(row: JsonObject | undefined): Promise<JsonObject | undefined> {
  const packed = row?.event_zstd;
  if (!(packed instanceof Uint8Array))
    return parseRows(Buffer.from(getString(row, 'event_json') ?? '')).rows[0];

  const { zstdDecompressSync } = (await import('node:zlib')) as object as ZstdZlib;
  if (zstdDecompressSync === undefined) throw nodeTooOld('zstandard');

  try {
    return parseRows(zstdDecompressSync(packed, { maxOutputLength: MAX_LINE })).rows[0];
  } catch {
    return undefined;
  }
}

interface ZstdZlib {
  zstdDecompressSync?: (data: Uint8Array, options: { maxOutputLength: number }) => Buffer;
}
