import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection } from '../../src/shared-store/connection.ts';
import { grant, migrate } from '../../src/shared-store/migrations.ts';
import { openRemote, type Remote } from '../../src/shared-store/remote.ts';
import { readAddress } from '../../src/shared-store/settings.ts';
import { findPostgres, noPostgres, startPostgres, type TestServer } from '../helpers/postgres.ts';
import { batch, describeRemote } from './remote-contract.ts';

const there = findPostgres() !== undefined;
if (!there) console.error(noPostgres());

let server: TestServer;
const open: { close(): void }[] = [];

const serverFor = (role: string) => ({
  address: readAddress(server.url(role), {}, { isStored: false }),
  password: async () => 'not-asked-for',
});

const connect = (role: string): Connection => {
  const connection = new Connection({ ...serverFor(role), timeoutMs: 5000 });
  open.push(connection);
  return connection;
};

const remoteOf = async (role: string, identity: string = randomUUID(), tenant?: string): Promise<Remote> => {
  const settings = { ...serverFor(role), tenant, certificates: undefined };
  const remote = await openRemote(settings, identity, 5000);
  open.push(remote);
  return remote;
};

describe.runIf(there)('PostgreSQL', () => {
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: 'off' } });
    server.sql(
      'CREATE ROLE owner LOGIN',
      'GRANT CREATE ON DATABASE scratchpad TO owner',
      ...['ann', 'bob', 'eve', 'stranger'].map((role) => `CREATE ROLE ${role} LOGIN`),
    );
    const owner = connect('owner');
    expect(await migrate(owner)).toEqual({ from: 0, to: 1 });
    for (const [role, tenant] of [
      ['ann', 'red'],
      ['bob', 'red'],
      ['eve', 'blue'],
    ] as const)
      await grant(owner, role, tenant);
  });
  afterAll(async () => {
    for (const connection of open) connection.close();
    await server?.stop();
  });

  describe('as a shared store', () => {
    let shared: Remote;
    beforeAll(async () => {
      shared = await remoteOf('ann');
    });
    describeRemote(() => shared);

    test('what is forgotten is gone', async () => {
      await shared.push('gone', batch(0, 'private'));
      expect((await shared.listPads()).get('gone')).toBe(1);
      await shared.forget('gone');
      expect(await shared.pull('gone', 0, undefined)).toMatchObject({ revision: 0, spaces: { notes: '' } });
      expect(await shared.push('gone', batch(1, 'again'))).toBe('behind');
      expect((await shared.listPads()).has('gone')).toBe(false);
    });
  });

  test('migrating again changes nothing, and two at once do it once', async () => {
    await Promise.all([migrate(connect('owner')), migrate(connect('owner'))]);
    expect(await migrate(connect('owner'))).toEqual({ from: 1, to: 1 });
  });

  describe('another tenant', () => {
    test('reads, changes and deletes no row, not even as the owner of the tables', async () => {
      const ann = await remoteOf('ann', 'shared-name');
      await ann.push('main', batch(0, 'red secret'));
      for (const role of ['eve', 'owner', 'stranger']) {
        const connection = connect(role);
        for (const table of ['workspace', 'pad', 'journal']) {
          const rows = await connection
            .query(`SELECT * FROM scratchpad.${table} WHERE tenant = 'red'`)
            .catch((error: Error) => error.message);
          expect(rows, `${role} ${table}`).toEqual(
            role === 'stranger' ? 'the shared store does not allow this user to do that' : [],
          );
        }
      }
      const eve = connect('eve');
      await expect(
        eve.query("INSERT INTO scratchpad.workspace (tenant, identity) VALUES ('red', 'mine')"),
      ).rejects.toThrow('does not allow this user');
      await expect(
        eve.query("INSERT INTO scratchpad.member (role, tenant) VALUES ('eve', 'red')"),
      ).rejects.toThrow('does not allow this user');
      await eve.query("UPDATE scratchpad.pad SET notes = ''");
      await eve.query('DELETE FROM scratchpad.journal');
      expect((await ann.pull('main', 0, undefined)).spaces.notes).toBe('red secret');
    });

    test('has a workspace of its own under the same name; a colleague has the same', async () => {
      const [ann, bob, eve] = await Promise.all(['ann', 'bob', 'eve'].map((role) => remoteOf(role, 'same')));
      await ann?.push('main', batch(0, 'hello'));
      expect((await bob?.pull('main', 0, undefined))?.spaces.notes).toBe('hello');
      expect((await eve?.pull('main', 0, undefined))?.revision).toBe(0);
    });

    test('a role above row-level security is refused', async () => {
      await expect(remoteOf('postgres')).rejects.toThrow('bypasses row-level security');
      await expect(grant(connect('postgres'), 'postgres', 'red')).rejects.toThrow(
        'bypasses row-level security',
      );
    });

    test('a role without a tenant is told what to do', async () => {
      server.sql(
        'GRANT USAGE ON SCHEMA scratchpad TO stranger',
        'GRANT SELECT ON scratchpad.schema_version, scratchpad.member TO stranger',
      );
      await expect(remoteOf('stranger')).rejects.toThrow('has no tenant');
      await expect(remoteOf('ann', 'x', 'blue')).rejects.toThrow('has no tenant');
    });
  });

  describe('versions', () => {
    const version = (now: number, oldest: number) =>
      server.sql(`UPDATE scratchpad.schema_version SET version = ${now}, oldest_client = ${oldest}`);
    afterAll(() => version(1, 1));

    test.each([
      ['newer schema', 9, 9, 'newer than this program'],
      ['older schema', 0, 0, 'older than this program'],
    ])('a %s: a clear error, and nothing is written', async (_, now, oldest, said) => {
      version(1, 1);
      const connected = await remoteOf('ann');
      version(now, oldest);
      // A client that was connected before is held to it as well.
      expect(await connected.push('main', batch(0, 'x'))).toBe('behind');
      await expect(connected.listPads()).rejects.toThrow(said);
      // By its address an exchange knows that the server failed, and leaves it alone for a while.
      const where = expect.stringMatching(/^postgres:/);
      await expect(remoteOf('ann')).rejects.toMatchObject({
        message: expect.stringContaining(said),
        detail: { where },
      });
      if (now > 1) await expect(migrate(connect('owner'))).rejects.toThrow(said);
      version(1, 1);
      expect(await connected.pull('main', 0, undefined)).toMatchObject({ revision: 0 });
    });

    test('a newer schema that still serves this program', async () => {
      version(2, 1);
      const remote = await remoteOf('ann');
      expect(await remote.pull('main', 0, undefined)).toMatchObject({ revision: 0 });
    });
  });

  describe('many writers and a reader', () => {
    test('every committed revision is read once, in order, none missed', async () => {
      const identity = randomUUID();
      const writers = await Promise.all(Array.from({ length: 8 }, () => remoteOf('ann', identity)));
      const reader = connect('bob');
      const seen: number[] = [];
      let done = false;
      const reading = (async () => {
        for (let last = false; ; last = done) {
          const rows = await reader.query<{ revision: string }>(
            `SELECT j.revision FROM scratchpad.journal j JOIN scratchpad.workspace w ON w.id = j.workspace
             WHERE w.identity = $1 AND session = 'main' AND revision > $2 ORDER BY revision`,
            [identity, seen.at(-1) ?? 0],
          );
          seen.push(...rows.map((row) => Number(row.revision)));
          if (last) return;
        }
      })();
      await Promise.all(
        writers.map(async (writer, w) => {
          for (let k = 0; k < 20; ) {
            const { revision: since, spaces } = await writer.pull('main', 0, undefined);
            const notes = `${spaces.notes}${w}:${k}\n`;
            const sent = await writer.push('main', batch(since, notes));
            if (sent !== 'behind') k += 1;
          }
        }),
      );
      done = true;
      await reading;
      expect(seen).toEqual(Array.from({ length: 160 }, (_, k) => k + 1));
      const lines = (await writers[0]?.pull('main', 0, undefined))?.spaces.notes.trim().split('\n') ?? [];
      expect(new Set(lines).size).toBe(160);
    });
  });
});
