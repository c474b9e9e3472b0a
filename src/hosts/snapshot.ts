import { mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { draftFile } from '../session/files.ts';
import { fileNameFor } from '../session/names.ts';

const KEPT = 20;

/** Keeps a copy of a pad as it was before a compaction, the last twenty of them. */
export function keepSnapshot(data: string, session: string, pad: string, text: string): void {
  const dir = join(data, 'snapshots');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stamp = new Date().toISOString().slice(0, 23).replace(/[:.]/g, '-');
  draftFile(join(dir, `${stamp}-${fileNameFor(session)}-${fileNameFor(pad)}.md`), text).commit();
  for (const name of readdirSync(dir).sort().slice(0, -KEPT)) {
    try {
      unlinkSync(join(dir, name));
    } catch {
      // Another hook was quicker.
    }
  }
}
