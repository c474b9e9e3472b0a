import { Connection } from './connection.ts';
import { lookAt, PostgresRemote, type RowPlace, workspaceOf } from './postgres-remote.ts';
import type { Remote } from './remote.ts';
import type { StoreSettings } from './settings.ts';

/** The only module to import for the driver: it is a bundle of its own. */
export { Connection } from './connection.ts';
export { grant, migrate } from './migrations.ts';
export { PostgresRemote } from './postgres-remote.ts';
export { SQL } from './sql.ts';

export interface OpenedPostgres {
  remote: Remote;
  connection: Connection;
  place: RowPlace;
}

/**
 * Connects, examines the server, and finds or creates the workspace there.
 * @throws ScratchpadError like `Remote`
 */
export async function openPostgres(options: {
  settings: StoreSettings;
  timeoutMs: number;
  identity: string;
  /** The server's IP address from last time. */
  ip?: string;
}): Promise<OpenedPostgres> {
  const { settings, timeoutMs, identity, ip } = options;
  const connection = new Connection({ ...settings, timeoutMs, ip });
  try {
    const tenant = await lookAt(connection, settings.tenant);
    const place = { tenant, workspace: await workspaceOf(connection, tenant, identity) };
    return { remote: new PostgresRemote(connection, place), connection, place };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
