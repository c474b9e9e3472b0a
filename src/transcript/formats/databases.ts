import type { Reading, SessionOptions } from '../reading.ts';
import { withDatabase } from '../sqlite.ts';
import { readOpenClawSession } from './openclaw-sqlite.ts';
import { isOpenCode, readOpenCodeSession } from './opencode-sqlite.ts';

export { listOpenClawSessions } from './openclaw-sqlite.ts';
export { listOpenCodeSessions } from './opencode-sqlite.ts';

/** Reads one session of a database, whose tables tell whose it is. */
export async function readDatabaseSession(path: string, options: SessionOptions): Promise<Reading> {
  const read = (await withDatabase(path, async (database) => isOpenCode(database)))
    ? readOpenCodeSession
    : readOpenClawSession;
  return read(path, options);
}
