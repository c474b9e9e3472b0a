import { readFileSync } from 'node:fs';
import { loadConfig } from '../../src/config/load.ts';
import { readAddress } from '../../src/shared-store/address.ts';
import { Connection } from '../../src/shared-store/connection.ts';
import { Exchange, listenToStore, storeSettings } from '../../src/shared-store/index.ts';
import { lookAt, PostgresRemote, workspaceOf } from '../../src/shared-store/postgres-remote.ts';

/**
 * A process with many listeners. `light` ones are notified of a change and read the pad; `full` ones have a working
 * copy into which they merge it. Each tells its parent when it first has a line. Started by `index.ts`.
 */
interface Task {
  store: string;
  identity: string;
  light: number;
  /** Folders of working copies. */
  full: string[];
}
const task = JSON.parse(process.argv[2] ?? '{}') as Task;
const env = { ...process.env };

/** Reports the lines of a text that were not seen before. */
function teller(kind: string): (text: string) => void {
  let seen = 0;
  return (text) => {
    const newest = Math.max(0, ...[...text.matchAll(/^line (\d+)$/gm)].map(([, n]) => Number(n)));
    for (; seen < newest; seen += 1) process.send?.({ kind, line: seen + 1, at: Date.now() });
  };
}

for (let k = 0; k < task.light; k += 1) {
  const address = readAddress(task.store, {}, { kept: false });
  const connection = new Connection({ address, password: async () => undefined, timeoutMs: 10_000 });
  const tenant = await lookAt(connection, undefined);
  const workspace = await workspaceOf(connection, tenant, task.identity);
  const remote = new PostgresRemote(connection, { tenant, workspace });
  const tell = teller('light');
  let since = 0;
  let reading = Promise.resolve();
  const read = async (): Promise<void> => {
    const { revision, spaces } = await remote.pull('main', since, []);
    since = revision;
    tell(spaces.notes);
  };
  await connection.listen(
    `scratchpad_${workspace.replaceAll('-', '')}`,
    () => {
      reading = reading.then(read);
    },
    () => undefined,
  );
}
for (const root of task.full) {
  const { config } = await loadConfig(root, env);
  const settings = storeSettings(root, config, env, task.store);
  if (settings === undefined) throw new Error('expected a store');
  const tell = teller('full');
  void listenToStore({
    exchange: new Exchange({ root, config, env, settings, now: Date.now, asked: true }),
    onExchange: () => tell(readFileSync(`${root}/SCRATCHPAD.md`, 'utf8')),
    onProblem: (error) => console.error(error),
    signal: new AbortController().signal,
  });
}
process.send?.({ kind: 'ready' });
process.on('disconnect', () => process.exit(0));
