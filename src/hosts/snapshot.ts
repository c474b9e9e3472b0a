import { join } from 'node:path';
import { ensureFolder, list, tryReadText, tryRemove, writeAtomically } from '../base/fs/index.ts';
import { snapshotSuffix } from '../session/copies.ts';
import { fileNameFor } from '../session/workspace.ts';

const KEPT = 20;

/**
 * Keeps copies of a pad before compactions, the last twenty. Some hosts announce compactions that do not happen: a
 * pad unchanged since the last copy needs no new one.
 */
export function keepSnapshot(data: string, session: string, pad: string, text: string): void {
  const dir = join(data, 'snapshots');
  ensureFolder(dir);
  const suffix = `-${fileNameFor(session)}${snapshotSuffix(pad)}`;
  const last = list(dir)
    .filter((name) => name.endsWith(suffix))
    .sort()
    .at(-1);
  if (last !== undefined && tryReadText(join(dir, last), 'pad') === text) return;
  const stamp = new Date().toISOString().slice(0, 23).replace(/[:.]/g, '-');
  writeAtomically(join(dir, `${stamp}${suffix}`), text);
  for (const name of list(dir).sort().slice(0, -KEPT)) tryRemove(join(dir, name));
}
