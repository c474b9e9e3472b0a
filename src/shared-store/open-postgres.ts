import { Connection } from './connection.ts';
import { lookAt, type Place, PostgresRemote, workspaceOf } from './postgres-remote.ts';
import type { Remote } from './remote.ts';
import type { StoreSettings } from './settings.ts';

/** The one module that is imported where the driver is wanted: a bundle of its own. */
export { Connection } from './connection.ts';
export { grant, migrate } from './migrations.ts';
export { PostgresRemote } from './postgres-remote.ts';
export { SQL } from './sql.ts';

export interface OpenedPostgres {
  remote: Remote;
  connection: Connection;
  place: Place;
}

/** Connects, looks at the server, and finds the workspace there or makes it. @throws ScratchpadError as `Remote` does */
export async function openPostgres(options: {
  settings: StoreSettings;
  timeoutMs: number;
  identity: string;
  /** The address that the server's name led to before. */
  ip?: string;
}): Promise<OpenedPostgres> {
  const { settings, timeoutMs, identity, ip } = options;
  let tenant = '';
  const connection = connectTo({ ...settings, ...(ip && { ip }) }, timeoutMs, async (connected) => {
    tenant = await lookAt(connected, settings.tenant);
  });
  try {
    await connection.connect();
    const place = { tenant, workspace: await workspaceOf(connection, tenant, identity) };
    return { remote: new PostgresRemote(connection, place), connection, place };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** A connection to the server of these settings, made when it is first used. */
export function connectTo(
  { address, password, certificates, ip }: StoreSettings & { ip?: string },
  timeoutMs: number,
  onConnect?: (connection: Connection) => Promise<void>,
): Connection {
  return new Connection(
    { address, password, timeoutMs, ...(certificates && { certificates }), ...(ip && { ip }) },
    onConnect,
  );
}
