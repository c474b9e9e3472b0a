import { readFileSync } from 'node:fs';
import { loadConfig } from '../../src/config/load.ts';
import { Exchange, follow, storeSettings } from '../../src/shared-store/index.ts';

/** A process with many listeners. Each tells its parent when its working copy first has a line. Started by `index.ts`. */
interface Task {
  store: string;
  /** Folders of working copies. */
  roots: string[];
}
const task = JSON.parse(process.argv[2] ?? '{}') as Task;
const env = { ...process.env };

/** Reports the lines of a text that were not seen before. */
function teller(): (text: string) => void {
  let seen = 0;
  return (text) => {
    const newest = Math.max(0, ...[...text.matchAll(/^line (\d+)$/gm)].map(([, n]) => Number(n)));
    for (; seen < newest; seen += 1) process.send?.({ line: seen + 1, at: Date.now() });
  };
}

for (const root of task.roots) {
  const { config } = await loadConfig(root, env);
  const settings = storeSettings(root, config, env, task.store);
  if (settings === undefined) throw new Error('expected a store');
  const tell = teller();
  void follow({
    exchange: new Exchange({ root, config, env, settings, asked: true }),
    listens: true,
    onExchange: () => tell(readFileSync(`${root}/SCRATCHPAD.md`, 'utf8')),
    onProblem: (error) => console.error(error),
    signal: new AbortController().signal,
  });
}
process.send?.({ ready: true });
process.on('disconnect', () => process.exit(0));
