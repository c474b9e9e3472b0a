import { createHash } from 'node:crypto';
import { refused, type ScratchpadError } from '../base/errors.ts';
import { parsed } from '../base/text/json.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { readActor } from '../session/actor.ts';
import { type Connection, sqlState } from './connection.ts';
import { aboveSecurity, checkSchema, SCHEMA } from './migrations.ts';
import {
  type Batch,
  DamagedRow,
  type Pulled,
  type Remote,
  type RemoteEntry,
  type RemotePad,
  type RemoteTrail,
} from './remote.ts';
import { SQL } from './sql.ts';

const CHUNK = 256 * 1024;
const UNIQUE_VIOLATION = '23505';

/** The tenant and the workspace of a connection. */
export interface RowPlace {
  tenant: string;
  /** UUID of the workspace's row. */
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

/** The memory of one workspace in PostgreSQL or a compatible database. */
export class PostgresRemote implements Remote {
  readonly #db: Connection;
  readonly #place: readonly [tenant: string, workspace: string];

  constructor(db: Connection, { tenant, workspace }: RowPlace) {
    this.#db = db;
    this.#place = [tenant, workspace];
  }

  async pull(session: string, since: number, operations: readonly string[]): Promise<Pulled> {
    const [row] = await this.#db.query<PulledRow>(SQL.pull, [
      ...this.#place,
      clean(session),
      since,
      operations,
    ]);
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

  async push(session: string, { since, revisions, spaces }: Batch): Promise<number | 'behind'> {
    const rows = revisions.map((row, k) => ({
      n: k + 1,
      operation: clean(row.operation),
      space: row.space,
      content: clean(row.content),
      op: clean(row.op),
      author: clean(row.by),
      actor: row.actor === undefined ? null : clean(JSON.stringify(row.actor)),
      made: timeOf(row.made),
      replaced: row.conflict === undefined ? null : clean(row.conflict),
      last: spaces !== undefined && k === revisions.length - 1,
    }));
    const { plan = null, notes = null, refs = null } = spaces ?? {};
    const values = [since, rows.length, plan, notes, refs, JSON.stringify(rows), SCHEMA];
    try {
      const [row] = await this.#db.query<{ revision: string }>(SQL.push, [
        ...this.#place,
        clean(session),
        ...values,
      ]);
      return row === undefined ? 'behind' : Number(row.revision);
    } catch (error) {
      // One of these operations has arrived before: pull first.
      if (sqlState(error) === UNIQUE_VIOLATION) return 'behind';
      throw error;
    }
  }

  async pads(): Promise<RemotePad[]> {
    const rows = await this.#db.query<{ session: string; revision: string; updated: Date }>(
      SQL.pads,
      this.#place,
    );
    return rows.map(({ session, revision, updated }) => ({
      session,
      revision: Number(revision),
      updated: isoOf(updated),
    }));
  }

  async entries(session: string): Promise<RemoteEntry[]> {
    const rows = await this.#db.query<EntryRow>(SQL.entries, [...this.#place, clean(session)]);
    return rows.map(({ version, bytes, updated, ...row }) => ({
      ...row,
      version: Number(version),
      bytes: Number(bytes),
      updated: isoOf(updated),
    }));
  }

  async putEntry(session: string, entry: Omit<RemoteEntry, 'version'>, expected: number): Promise<boolean> {
    const { name, hash, bytes, origin, updated, stored } = entry;
    const values = [
      clean(session),
      clean(name),
      expected,
      hash,
      bytes,
      clean(origin),
      updated,
      stored,
      SCHEMA,
    ];
    const rows = await this.#db.query(SQL.putEntry, [...this.#place, ...values]);
    return rows.length > 0;
  }

  async hasContent(hash: string): Promise<boolean> {
    return (await this.#db.query(SQL.hasContent, [...this.#place, hash])).length > 0;
  }

  async putContent(
    hash: string,
    bytes: number,
    pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  ): Promise<void> {
    let n = 0;
    for await (const chunk of chunksOf(pieces)) {
      await this.#db.query(SQL.putChunk, [...this.#place, hash, n, chunk, SCHEMA]);
      n += 1;
    }
    // Without this row nobody sees the other rows.
    await this.#db.query(SQL.putContent, [...this.#place, hash, bytes, n, SCHEMA]);
  }

  async *content(hash: string): AsyncGenerator<Buffer> {
    const values = [...this.#place, hash];
    const [row] = await this.#db.query<{ bytes: string; chunks: number }>(SQL.hasContent, values);
    const { bytes = 0, chunks = 0 } = row ?? {};
    const digest = createHash('sha256');
    for (let [n, left] = [0, Number(bytes)]; n < chunks && left >= 0; n += 1) {
      const [chunk] = await this.#db.query<{ data: Buffer }>(SQL.chunk, [...values, n]);
      if (chunk === undefined) break;
      left -= chunk.data.length;
      digest.update(chunk.data);
      yield chunk.data;
    }
    if (digest.digest('hex') !== hash) throw new DamagedRow('its content is not complete');
  }

  async trails(): Promise<RemoteTrail[]> {
    const rows = await this.#db.query<{ session: string; updated: string }>(SQL.trails, this.#place);
    return rows.map(({ session, updated }) => ({ session, updated: Number(updated) }));
  }

  async trail(session: string): Promise<string | undefined> {
    const [row] = await this.#db.query<{ body: string }>(SQL.trail, [...this.#place, clean(session)]);
    return row?.body;
  }

  async putTrail({ session, updated }: RemoteTrail, body: string): Promise<void> {
    const values = [clean(session), Math.round(updated), clean(body), SCHEMA];
    await this.#db.query(SQL.putTrail, [...this.#place, ...values]);
  }

  async forget(session: string): Promise<void> {
    await this.#db.query(SQL.forget, [...this.#place, clean(session)]);
    await this.#db.query(SQL.forgetContents, this.#place);
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

/** Actors by space, each as its JSON. */
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

/** Splits pieces of any size into chunks of one size. */
async function* chunksOf(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    for (; held.length >= CHUNK; held = held.subarray(CHUNK)) yield held.subarray(0, CHUNK);
  }
  if (held.length > 0) yield held;
}

/** Removes what a text column cannot hold. */
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
