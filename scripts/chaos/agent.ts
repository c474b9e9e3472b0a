import { setTimeout as sleep } from 'node:timers/promises';
import { FileStore } from '../../src/session/file-store.ts';

/**
 * A separate process that appends to the notes of a workspace until its parent ends it, and prints each
 * acknowledged line. Started by `editor.ts`.
 */
const [root = '', pauseMs = '0'] = process.argv.slice(2);
const store = new FileStore(root, 'main');
let stopped = false;
process.on('message', () => {
  stopped = true;
});
for (let k = 0; !stopped; k += 1) {
  const line = `agent line ${k};`;
  await store.change(({ spaces }) => [
    {
      kind: 'space',
      space: 'notes',
      content: spaces.notes === '' ? line : `${spaces.notes}\n${line}`,
      op: 'append',
    },
  ]);
  process.send?.(line);
  await sleep(Number(pauseMs));
}
process.disconnect();
