import { readAddress } from '../../src/shared-store/address.ts';
import { Connection } from '../../src/shared-store/connection.ts';
import { lookAt, PostgresRemote, workspaceOf } from '../../src/shared-store/postgres-remote.ts';

/** A process with many clients of the store, each appending to a pad of its own for some seconds. Started by `index.ts`. */
const [url = '', name = '', clients = '16', seconds = '10'] = process.argv.slice(2);
const NOTES = 'Root cause: timezone mismatch in token expiry; see src/auth/login.ts and its test.\n'.repeat(
  6,
);

const connections = await Promise.all(
  Array.from({ length: Number(clients) }, async (_, k) => {
    const address = readAddress(url, {}, { kept: false });
    const connection = new Connection({ address, password: async () => undefined, timeoutMs: 30_000 });
    const tenant = await lookAt(connection, undefined);
    const workspace = await workspaceOf(connection, tenant, 'name:appends');
    return {
      connection,
      remote: new PostgresRemote(connection, { tenant, workspace }),
      session: `${name}-${k}`,
    };
  }),
);
// All begin when all are connected.
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const took: number[] = [];
const from = performance.now();
const end = from + Number(seconds) * 1000;
await Promise.all(
  connections.map(async ({ remote, session }) => {
    for (let since = 0; performance.now() < end; since += 1) {
      const started = performance.now();
      const notes = `${NOTES}${since}`;
      const revision = { space: 'notes', content: notes, op: 'append', by: 'cli' } as const;
      const stored = await remote.push(session, {
        since,
        revisions: [{ ...revision, operation: `${since}-${session}`, made: new Date().toISOString() }],
        spaces: { plan: '', notes, refs: '' },
      });
      if (stored !== since + 1) throw new Error(`expected revision ${since + 1}, found ${stored}`);
      took.push(performance.now() - started);
    }
  }),
);
const ran = (performance.now() - from) / 1000;
await Promise.all(connections.map(({ connection }) => connection.close()));
process.stdout.write(JSON.stringify({ took, seconds: ran }), () => process.disconnect());
