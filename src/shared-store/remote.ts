import type { QueryResultRow } from 'pg';
import { refusal } from '../base/errors.ts';
import { withTexts } from '../base/safety/index.ts';
import { NO_SPACES } from '../session/journal.ts';
import { Connection, getSqlState } from './connection.ts';
import { checkSchema, readTenant, SCHEMA, type Versions } from './migrations.ts';
import type { StoreSettings } from './settings.ts';
import type { Batch, PullResult } from './types.ts';

/** Imported dynamically: with the driver it is a bundle of its own. */
export { Connection } from './connection.ts';
export { grant, migrate } from './migrations.ts';

const NO_PAD: PullResult = {
  revision: 0,
  spaces: NO_SPACES,
  mark: null,
  sinceMark: null,
  landed: null,
  rows: [],
};
const HERE = 'tenant = $1 AND workspace = $2';
/** The journal of the session in `$3`. */
const JOURNAL = `scratchpad.journal WHERE ${HERE} AND session = $3`;
/** A database that is migrated while a client runs accepts nothing more from it. */
const SCHEMA_FITS = `EXISTS (SELECT 1 FROM scratchpad.schema_version
  WHERE version >= ${SCHEMA} AND oldest_client <= ${SCHEMA})`;
const UNIQUE_VIOLATION = '23505';

/**
 * Connects, examines the server, and finds or creates the workspace there.
 * @param identity the name of the workspace
 * @throws ScratchpadError like `readTenant`
 */
export async function openRemote(
  settings: Pick<StoreSettings, 'address' | 'password' | 'certificates' | 'tenant'>,
  identity: string,
  timeoutMs: number,
): Promise<Remote> {
  const connection = new Connection({ ...settings, timeoutMs });
  try {
    const tenant = await readTenant(connection, settings.tenant);
    const find = (): Promise<{ id: string }[]> =>
      connection.query('SELECT id FROM scratchpad.workspace WHERE tenant = $1 AND identity = $2', [
        tenant,
        identity,
      ]);

    for (;;) {
      const [found] = await find();
      if (found !== undefined) return new Remote(connection, tenant, found.id);
      await connection.query(
        'INSERT INTO scratchpad.workspace (tenant, identity) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [tenant, identity],
      );
    }
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * The memory of one workspace in PostgreSQL, which several machines can reach. Each statement is a transaction of its
 * own; one that failed may still have taken effect, and can be repeated. All methods throw like `Connection.query`.
 */
export class Remote {
  readonly workspace: string;
  readonly #connection: Connection;
  readonly #tenant: string;

  constructor(connection: Connection, tenant: string, workspace: string) {
    this.workspace = workspace;
    this.#connection = connection;
    this.#tenant = tenant;
  }

  /** The first two parameters are tenant and workspace. No text has what a text column cannot hold. */
  #runStatement<Row extends QueryResultRow>(
    statement: string,
    ...values: readonly unknown[]
  ): Promise<Row[]> {
    const clean = values.map((value) => (typeof value === 'string' ? cleanText(value) : value));
    return this.#connection.query<Row>(statement, [this.#tenant, this.workspace, ...clean]);
  }

  /** The newest revision of each session's pad. @throws ScratchpadError `refused` for a schema of another version */
  async listPads(): Promise<Map<string, number>> {
    const rows = await this.#runStatement<Versions & { session: string | null; revision: number }>(
      `SELECT v.version, v.oldest_client, session, revision::float8
       FROM scratchpad.schema_version v
       LEFT JOIN (SELECT session, revision FROM scratchpad.pad WHERE ${HERE}) p ON true ORDER BY session`,
    );

    for (const row of rows) checkSchema(row, this.#connection);
    return new Map(rows.flatMap(({ session, revision }) => (session === null ? [] : [[session, revision]])));
  }

  /** @param since the newest revision known here @param sent an operation that was sent without an answer */
  async pull(session: string, since: number, sent: string | undefined): Promise<PullResult> {
    const [pad = NO_PAD] = await this.#runStatement<PullResult>(
      `SELECT revision::float8, json_build_object('plan', plan, 'notes', notes, 'refs', refs) AS spaces,
         (SELECT operation FROM ${JOURNAL} AND revision = p.revision) AS mark,
         (SELECT operation FROM ${JOURNAL} AND revision = $4) AS "sinceMark",
         (SELECT revision::float8 FROM ${JOURNAL} AND operation = $5) AS landed,
         (SELECT coalesce(json_agg(json_build_object('space', space, 'actor', actor) ORDER BY revision), '[]')
          FROM ${JOURNAL} AND revision > $4) AS rows
       FROM scratchpad.pad p WHERE ${HERE} AND session = $3`,
      session,
      since,
      sent,
    );

    if (!Number.isSafeInteger(pad.revision) || pad.revision < 0)
      throw refusal('its revision is not a number that can be counted');
    return pad;
  }

  /** @returns the newest revision afterwards, or `behind` if somebody else was faster: nothing is stored then */
  async push(session: string, { since, changes, spaces }: Batch): Promise<number | 'behind'> {
    const { plan, notes, refs } = spaces;
    const rows = changes.map(({ actor, ...row }, k) => ({
      n: k + 1,
      ...row,
      content: spaces[row.space],
      actor: actor && JSON.stringify(actor),
      last: k === changes.length - 1,
    }));
    const values = [session, since, rows.length, plan, notes, refs];

    try {
      const [row] = await this.#runStatement<{ revision: number }>(
        `WITH head AS (
           INSERT INTO scratchpad.pad AS p (tenant, workspace, session, revision, plan, notes, refs)
           SELECT $1, $2::uuid, $3, $4::bigint + $5::bigint, $6::text, $7::text, $8::text
           WHERE ${SCHEMA_FITS} AND ($4::bigint = 0 OR EXISTS (
             SELECT 1 FROM scratchpad.pad WHERE tenant = $1 AND workspace = $2::uuid AND session = $3))
           ON CONFLICT (tenant, workspace, session) DO UPDATE SET revision = p.revision + $5::bigint,
             plan = $6::text, notes = $7::text, refs = $8::text, updated = now()
           WHERE p.revision = $4::bigint
           RETURNING p.revision
         ), written AS (
           INSERT INTO scratchpad.journal (tenant, workspace, session, revision, operation, space, content, op, author,
             actor, made, last)
           SELECT $1, $2::uuid, $3, $4::bigint + r.n, r.operation, r.space, r.content, 'share', 'merge', r.actor,
             now(), r.last
           FROM head, jsonb_to_recordset($9::jsonb) AS r (n bigint, operation text, space text, content text,
             actor text, last boolean)
         )
         SELECT revision::float8 FROM head`,
        ...values,
        JSON.stringify(withTexts(rows, cleanText)),
      );

      return row?.revision ?? 'behind';
    } catch (error) {
      // One of these operations has arrived before: pull first.
      if (getSqlState(error) === UNIQUE_VIOLATION) return 'behind';
      throw error;
    }
  }

  async forget(session: string): Promise<void> {
    await this.#runStatement(
      `WITH p AS (DELETE FROM scratchpad.pad WHERE ${HERE} AND session = $3) DELETE FROM ${JOURNAL}`,
      session,
    );
  }

  /**
   * Tells the others that something changed. Once after all commits: a notification within a transaction makes
   * commits wait for each other. A lost one is harmless, since listeners also look from time to time.
   */
  async announce(): Promise<void> {
    await this.#connection.query("SELECT pg_notify($1, '')", [this.#channel]);
  }

  /** Calls `onNews` when a working copy, this one too, announces something, and `onEnd` when it can no longer be heard. */
  listen(onNews: () => void, onEnd: () => void): Promise<void> {
    return this.#connection.listen(this.#channel, onNews, onEnd);
  }

  close(): void {
    this.#connection.close();
  }

  get #channel(): string {
    return `scratchpad_${this.workspace.replaceAll('-', '')}`;
  }
}

const cleanText = (text: string): string => text.replaceAll('\0', '\u2400').toWellFormed();
