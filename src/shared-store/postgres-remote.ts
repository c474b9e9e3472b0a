import { createHash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import { refused, type ScratchpadError } from '../base/errors.ts';
import { withTexts } from '../base/safety/index.ts';
import { parsed } from '../base/text/json.ts';
import { MOST_BYTES } from '../entries/contents.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { readActor } from '../session/actor.ts';
import { Connection, sqlState } from './connection.ts';
import { aboveSecurity, checkSchema, SCHEMA } from './migrations.ts';
import { type Batch, DamagedRow, type Pulled, type RemoteEntry, type RemoteTrail } from './remote.ts';
import type { StoreSettings } from './settings.ts';
import { SQL } from './sql.ts';

/** This module is imported dynamically: with the driver it is a bundle of its own. */
export { Connection } from './connection.ts';
export { grant, migrate } from './migrations.ts';

const CHUNK = 256 * 1024;
const UNIQUE_VIOLATION = '23505';

export interface RowPlace {
  tenant: string;
  workspace: string;
}

/**
 * Examines a server before anything is sent.
 * @param tenant one of the role's tenants; needed only if it has several
 * @returns the tenant
 * @throws ScratchpadError `refused` for a schema of another version, a role that bypasses row-level security,
 * or one without a tenant
 */
export async function lookAt(connection: Connection, tenant: string | undefined): Promise<string> {
  const [row] = await connection.query<{
    version: number;
    oldest_client: number;
    above: boolean;
    tenants: string | null;
  }>(SQL.look);
  if (row === undefined) throw noTenant(connection, 'none');
  checkSchema(row);
  if (row.above) throw aboveSecurity(connection.server.address.user);
  const tenants = row.tenants?.split('\n') ?? [];
  const [only] = tenants;
  const chosen = tenant ?? (tenants.length === 1 ? only : undefined);
  if (chosen === undefined || !tenants.includes(chosen))
    throw noTenant(connection, tenants.join(', ') || 'none');
  return chosen;
}

/** The workspace of this identity, created if necessary. */
export async function workspaceOf(connection: Connection, tenant: string, identity: string): Promise<string> {
  for (;;) {
    const [row] = await connection.query<{ id: string }>(SQL.findWorkspace, [tenant, identity]);
    if (row !== undefined) return row.id;
    await connection.query(SQL.makeWorkspace, [tenant, identity]);
  }
}

/** Connects, examines the server, and finds or creates the workspace there. @throws like `lookAt` */
export async function openPostgres(options: {
  settings: StoreSettings;
  timeoutMs: number;
  identity: string;
}): Promise<{ remote: PostgresRemote; connection: Connection; place: RowPlace }> {
  const { settings, timeoutMs, identity } = options;
  const connection = new Connection({ ...settings, timeoutMs });
  try {
    const tenant = await lookAt(connection, settings.tenant);
    const place = { tenant, workspace: await workspaceOf(connection, tenant, identity) };
    return { remote: new PostgresRemote(connection, place), connection, place };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The memory of one workspace in PostgreSQL or a compatible database. All methods throw like `Connection.query`. */
export class PostgresRemote {
  readonly #db: Connection;
  readonly #place: readonly [tenant: string, workspace: string];

  constructor(db: Connection, { tenant, workspace }: RowPlace) {
    this.#db = db;
    this.#place = [tenant, workspace];
  }

  #ask<Row extends QueryResultRow>(statement: string, ...values: readonly unknown[]): Promise<Row[]> {
    return this.#db.query<Row>(statement, [...this.#place, ...withTexts(values, clean)]);
  }

  /**
   * @param since the newest revision known here
   * @param operations operations that were sent without an answer
   */
  async pull(session: string, since: number, operations: readonly string[]): Promise<Pulled> {
    const [row] = await this.#ask<PulledRow>(SQL.pull, session, since, operations);
    if (row === undefined) throw refused('the shared store has no version');
    checkSchema(row);
    return {
      revision: countOf(row.revision ?? 0),
      spaces: { plan: row.plan ?? '', notes: row.notes ?? '', refs: row.refs ?? '' },
      mark: row.mark,
      sinceMark: row.since_mark,
      landed: row.landed ?? [],
      actors: actorsOf(row.actors ?? {}),
      conflicts: row.conflicts ?? [],
    };
  }

  /** @returns the newest revision afterwards, or `behind` if somebody else was faster: nothing is stored then */
  async push(session: string, { since, revisions, spaces }: Batch): Promise<number | 'behind'> {
    const rows = revisions.map(({ by, actor, made, conflict, ...row }, k) => ({
      n: k + 1,
      ...row,
      author: by,
      actor: actor === undefined ? null : JSON.stringify(actor),
      made: timeOf(made),
      replaced: conflict ?? null,
      last: k === revisions.length - 1,
    }));
    const { plan, notes, refs } = spaces;
    const written = JSON.stringify(withTexts(rows, clean));
    try {
      const sent = [session, since, rows.length, plan, notes, refs, written, SCHEMA];
      const [row] = await this.#ask<{ revision: string }>(SQL.push, ...sent);
      return row === undefined ? 'behind' : Number(row.revision);
    } catch (error) {
      // One of these operations has arrived before: pull first.
      if (sqlState(error) === UNIQUE_VIOLATION) return 'behind';
      throw error;
    }
  }

  async pads(): Promise<Map<string, number>> {
    const rows = await this.#ask<{ session: string; revision: string }>(SQL.pads);
    return new Map(rows.map(({ session, revision }) => [session, Number(revision)]));
  }

  async entries(session: string): Promise<RemoteEntry[]> {
    const rows = await this.#ask<EntryRow>(SQL.entries, session);
    return rows.map(({ version, bytes, updated, ...row }) => ({
      ...row,
      version: Number(version),
      bytes: Number(bytes),
      updated: isoOf(updated),
    }));
  }

  /**
   * Points a name to a stored content, or deletes it (`hash: null`).
   * @param expected the version known here, 0 for a new name
   * @returns false if somebody else was faster
   */
  async putEntry(session: string, entry: Omit<RemoteEntry, 'version'>, expected: number): Promise<boolean> {
    const { name, hash, bytes, origin, updated, stored } = entry;
    const values = [session, name, expected, hash, bytes, origin, updated, stored, SCHEMA];
    return (await this.#ask(SQL.putEntry, ...values)).length > 0;
  }

  async hasContent(hash: string): Promise<boolean> {
    return (await this.#ask(SQL.hasContent, hash)).length > 0;
  }

  /** Stores a content in chunks; nobody sees it before it is complete. */
  async putContent(hash: string, bytes: Buffer): Promise<void> {
    const chunks = Math.ceil(bytes.length / CHUNK);
    for (let n = 0; n < chunks; n += 1)
      await this.#db.query(SQL.putChunk, [
        ...this.#place,
        hash,
        n,
        bytes.subarray(n * CHUNK, (n + 1) * CHUNK),
        SCHEMA,
      ]);
    // Without this row nobody sees the other rows.
    await this.#ask(SQL.putContent, hash, bytes.length, chunks, SCHEMA);
  }

  /** @throws DamagedRow if it is not what its row says, or larger than an entry may be */
  async content(hash: string): Promise<Buffer> {
    const [row] = await this.#ask<{ bytes: string; chunks: number }>(SQL.hasContent, hash);
    const { bytes = 0, chunks = 0 } = row ?? {};
    if (Number(bytes) > MOST_BYTES) throw new DamagedRow('it is too large');
    const found: Buffer[] = [];
    for (let [n, left] = [0, Number(bytes)]; n < chunks && left >= 0; n += 1) {
      const [chunk] = await this.#ask<{ data: Buffer }>(SQL.chunk, hash, n);
      if (chunk === undefined) break;
      left -= chunk.data.length;
      found.push(chunk.data);
    }
    const content = Buffer.concat(found);
    if (createHash('sha256').update(content).digest('hex') === hash) return content;
    throw new DamagedRow('its content is not complete');
  }

  /** The newest records of host sessions, at most 40. */
  async trails(): Promise<RemoteTrail[]> {
    const rows = await this.#ask<{ session: string; updated: string }>(SQL.trails);
    return rows.map(({ session, updated }) => ({ session, updated: Number(updated) }));
  }

  async trail(session: string): Promise<string | undefined> {
    const [row] = await this.#ask<{ body: string }>(SQL.trail, session);
    return row?.body;
  }

  async putTrail({ session, updated }: RemoteTrail, body: string): Promise<void> {
    await this.#ask(SQL.putTrail, session, Math.round(updated), body, SCHEMA);
  }

  /** Deletes a session's pad, history, entries and record from the store. */
  async forget(session: string): Promise<void> {
    await this.#ask(SQL.forget, session);
    await this.#ask(SQL.forgetContents);
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}

interface PulledRow {
  version: number;
  oldest_client: number;
  revision: string | null;
  plan: string | null;
  notes: string | null;
  refs: string | null;
  mark: string | null;
  since_mark: string | null;
  landed: { operation: string; revision: number; last: boolean }[] | null;
  actors: Partial<Record<SpaceName, string | null>> | null;
  conflicts: { operation: string; space: SpaceName; replaced: string; content: string }[] | null;
}

function actorsOf(found: Partial<Record<SpaceName, string | null>>): Pulled['actors'] {
  const actors: Pulled['actors'] = {};
  for (const space of SPACE_NAMES) {
    const actor = readActor(parsed(found[space] ?? undefined));
    if (actor) actors[space] = actor;
  }
  return actors;
}

interface EntryRow {
  name: string;
  version: string;
  hash: string | null;
  bytes: string;
  origin: string;
  updated: Date;
  stored: boolean;
}

function clean(text: string): string {
  return text.replaceAll('\0', '\u2400').toWellFormed();
}

/** A count that this program can pass on. @throws DamagedRow for any other number */
function countOf(value: string | number): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new DamagedRow('its revision is not a number that can be counted');
}

/** A time of the server, which also has times without an end. */
function isoOf(time: unknown): string {
  return (time instanceof Date && !Number.isNaN(time.getTime()) ? time : new Date(0)).toISOString();
}

function timeOf(text: string): string {
  const at = Date.parse(text);
  return new Date(Number.isNaN(at) ? 0 : at).toISOString();
}

function noTenant({ server }: Connection, found: string): ScratchpadError {
  return refused('the role has no tenant, or several', {
    where: server.address.user,
    expected: 'one tenant, or shared.tenant in your own settings',
    found,
    next: { to: 'grant access', command: 'scratchpad store migrate --grant ROLE --tenant NAME' },
  });
}
