import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '../../src/session/file-store.ts';
import { testDir } from '../helpers/test-dir.ts';
import { describeStore, NOW } from './store-contract.ts';

/** Long enough ago that nobody waits for the end of a save. */
const SETTLED = new Date(Date.now() - 60_000);

describeStore('a store of files', () => {
  const root = testDir();
  const store = new FileStore(root, 'main', { now: () => NOW });
  const { pad, journal } = store.paths;
  const contents = (dir: string): string[] =>
    existsSync(dir) ? readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8')) : [];
  return {
    store,
    read: () => (existsSync(pad) ? readFileSync(pad, 'utf8') : undefined),
    write: (text) => {
      if (text === undefined) rmSync(pad);
      else writeFileSync(pad, text);
      for (const file of [pad, journal]) if (existsSync(file)) utimesSync(file, SETTLED, SETTLED);
    },
    recovered: () => contents(store.paths.recovered),
    conflicts: () => contents(store.paths.conflicts),
  };
});
