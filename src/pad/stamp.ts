import { attempt } from '../base/errors.ts';
import { parseDuration } from '../base/text/durations.ts';

/** When a state block was made, and how long it counts, as its file says. */
export interface FileStamp {
  updated: string;
  ttlMs?: number | undefined;
  /** From `expires`: epoch milliseconds. */
  expiresAt?: number | undefined;
  problem?: string;
}

/**
 * Reads the stamp of a state block: the fields of the front matter, else the two comments at the block's beginning.
 * @param prefix of our fields in somebody else's front matter
 * @returns undefined if nothing says when the block was made
 */
export function parseStamp(
  fields: Readonly<Record<string, unknown>>,
  prefix: string,
  block: string,
): FileStamp | undefined {
  const [, updatedComment] = /^<!-- Updated: (\S+) -->/m.exec(block) ?? [];
  const [, count, unit] = /^<!-- TTL: (\d+) ([a-z])/m.exec(block) ?? [];
  const updated = readScalar(fields[`${prefix}updated`]) ?? updatedComment;

  if (updated === undefined || Number.isNaN(Date.parse(updated))) return undefined;

  const [ttl, expires] = [readScalar(fields[`${prefix}ttl`]), readScalar(fields[`${prefix}expires`])];
  const ttlMs = attempt(() => parseDuration(ttl ?? `${count}${unit}`));
  const expiresAt = expires === undefined ? undefined : Date.parse(expires);
  const stamp = { updated, ttlMs, expiresAt: Number.isNaN(expiresAt) ? undefined : expiresAt };

  if (ttl !== undefined && ttlMs === undefined)
    return { ...stamp, problem: `ttl is "${ttl}": expected a duration such as 30m` };
  if (expires !== undefined && stamp.expiresAt === undefined)
    return { ...stamp, problem: `expires is "${expires}": expected a time such as ${updated}` };

  return stamp;
}

const readScalar = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'object' ? undefined : String(value);

/** How long the block counts, by `ttl` or `expires`, whichever ends first; 0 without both. */
export function parseLifetime({ updated, ttlMs, expiresAt }: FileStamp): number {
  const untilExpiry = expiresAt === undefined ? undefined : expiresAt - Date.parse(updated);
  return Math.min(ttlMs ?? untilExpiry ?? 0, untilExpiry ?? Number.POSITIVE_INFINITY);
}

/** The lifetime after a person's edit of `ttl` or `expires` in the file of the block that was assembled here. */
export function readEditedLifetime(
  assembled: { updated: string; ttlMs: number; expires: string },
  stamp: FileStamp | undefined,
): number {
  if (stamp === undefined || stamp.updated !== assembled.updated) return assembled.ttlMs;
  const { ttlMs = assembled.ttlMs, expiresAt } = stamp;
  if (ttlMs !== assembled.ttlMs) return ttlMs;
  const isEdited = expiresAt !== undefined && expiresAt !== Date.parse(assembled.expires);
  return isEdited ? expiresAt - Date.parse(assembled.updated) : assembled.ttlMs;
}
