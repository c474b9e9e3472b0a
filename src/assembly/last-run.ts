import { join } from 'node:path';
import { writeCache } from '../base/fs/cache.ts';
import { list, number, oneOf, orNull, readOwn, record, text } from '../base/fs/own.ts';
import type { Assembly, StageStatus } from './assemble.ts';
import type { Source } from './source.ts';

/** What `status` reports about the last assembly beyond the content of the file. No mood, nobody's words. */
export interface LastRun {
  updated: string;
  source: string | null;
  messages: number;
  skipped: { reason: string; count: number }[];
  stages: { id: string; status: StageStatus; reason?: string; dropped: number }[];
}

const FILE = 'last-assembly.json';

/**
 * Writes the report beside the session's journal. Losing it costs a line in `status`, so errors are ignored
 * and nothing is flushed.
 */
export function writeLastRun(dir: string, assembly: Assembly, source: Source | undefined): void {
  const report: LastRun = {
    updated: assembly.updated,
    source: source?.name ?? null,
    messages: source?.transcript.messages.length ?? 0,
    skipped: source?.transcript.skipped ?? [],
    stages: assembly.stages.map(({ id, status, reason, dropped }) => ({
      ...{ id, status, reason },
      dropped: dropped.length,
    })),
  };
  writeCache(join(dir, FILE), report);
}

const SHAPE = record(
  {
    updated: text,
    source: orNull(text),
    messages: number,
    stages: list(
      record(
        { id: text, status: oneOf('ok', 'stale', 'skipped', 'failed'), dropped: number },
        { reason: text },
      ),
    ),
  },
  { skipped: list(record({ reason: text, count: number })) },
);

export function readLastRun(dir: string): LastRun | undefined {
  const found = readOwn(join(dir, FILE), 'cache', SHAPE);
  return found && { skipped: [], ...found };
}
