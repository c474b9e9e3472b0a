import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileNameFor } from '../session/names.ts';

/**
 * What hooks remember of one host session between two of its moments. It begins anew when the
 * host starts or resumes the session; losing it costs a hint too many, nothing else.
 */
export interface Remembered {
  /** Prompts since the session's start or resume. */
  turns: number;
  /** The turn at which the spaces had changed last. */
  usedAt: number;
  /** The turn of the last hint about disuse. */
  hintedAt: number;
  /** Digest of the spaces as they were last seen. */
  seen: string;
  /** Digest of the agent's words in which a plan was found and hinted at. */
  plan: string;
  /** A plan was found in words that the host handed over, and not hinted at yet. */
  planWaiting: boolean;
  /** The warning was given in this cycle, which ends with a compaction. */
  warned: boolean;
  /** A compaction was held in this cycle. */
  held: boolean;
  /** A compaction has happened that no prompt has followed yet. */
  compacted: boolean;
  /** ISO 8601 of the last compaction seen. */
  compactedAt: string;
}

const FRESH: Remembered = {
  turns: 0,
  usedAt: 0,
  hintedAt: 0,
  seen: '',
  plan: '',
  planWaiting: false,
  warned: false,
  held: false,
  compacted: false,
  compactedAt: '',
};
const KEPT_MS = 30 * 86_400_000;

export const forgotten = (): Remembered => ({ ...FRESH });

/** @param data the workspace's `.scratchpad` */
export function recall(data: string, session: string): Remembered {
  try {
    const kept = JSON.parse(readFileSync(fileOf(data, session), 'utf8')) as Partial<Remembered>;
    const merged: Record<string, unknown> = { ...FRESH };
    for (const [key, value] of Object.entries(FRESH)) {
      const found = kept[key as keyof Remembered];
      if (typeof found === typeof value) merged[key] = found;
    }
    return merged as unknown as Remembered;
  } catch {
    return forgotten();
  }
}

/** @throws a system error when it cannot be written */
export function remember(data: string, session: string, memory: Remembered): void {
  const file = fileOf(data, session);
  mkdirSync(join(data, 'hosts'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, JSON.stringify(memory), { mode: 0o600 });
  renameSync(draft, file);
}

export function forget(data: string, session: string): void {
  remove(fileOf(data, session));
}

/** Removes what sessions left that nobody has resumed for a month. */
export function sweepRemembered(data: string, now: number): void {
  const dir = join(data, 'hosts');
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return;
  }
  for (const name of names) {
    const stats = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stats && now - stats.mtimeMs > KEPT_MS) remove(join(dir, name));
  }
}

function fileOf(data: string, session: string): string {
  return join(data, 'hosts', `${fileNameFor(session)}.json`);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already.
  }
}
