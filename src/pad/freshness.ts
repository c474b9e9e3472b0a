import { misuse } from '../base/errors.ts';
import { spellDays } from '../base/text/counts.ts';
import type { PadDocument } from './document.ts';

const UNITS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The age of the state block at a given time. */
export interface Freshness {
  status: 'fresh' | 'stale' | 'missing';
  /** ISO 8601 with offset, as in the file. */
  updated?: string;
  /** Milliseconds since the update; negative if the clock was set back. */
  ageMs?: number;
  ttlMs?: number;
}

/**
 * `90s`, `30m`, `2h`, `1d` in milliseconds.
 * @param where the option or setting in question, for the error
 * @throws ScratchpadError `usage` for anything else.
 */
export function parseDuration(text: string, where?: string): number {
  const trimmed = text.trim();
  const unit = UNITS.get(trimmed.slice(-1));
  const count = trimmed.slice(0, -1).trimEnd();
  if (unit === undefined || !isCount(count) || Number(count) === 0) {
    throw misuse('not a duration', {
      where,
      expected: 'a positive number with s, m, h or d: 90s, 30m, 2h',
      found: text,
    });
  }
  return Number(count) * unit;
}

/** One to six digits, checked without a pattern, which every command would have to compile. */
function isCount(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charAt(at);
    if (digit < '0' || digit > '9') return false;
  }
  return text.length >= 1 && text.length <= 6;
}

/** `1800000` -> `30 minutes`, in the largest unit that divides it evenly. */
export function spellDuration(ms: number): string {
  const names: [number, string][] = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1000, 'second'],
  ];
  for (const [size, name] of names) {
    if (ms % size === 0) return `${ms / size} ${name}${ms === size ? '' : 's'}`;
  }
  return `${ms} ms`;
}

/** `1800000` -> `30m`, the form that `parseDuration` reads. */
export function shortDuration(ms: number): string {
  const [count = '', unit = ''] = spellDuration(ms).split(' ');
  return `${count}${unit[0] ?? ''}`;
}

/** A rough age for people: `45 s`, `12 min`, `3 h 5 min`, `9 days`. */
export function spellAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return spellDays(ms);
}

function textIn({ fields }: PadDocument, key: string): string | undefined {
  const value = fields?.[key];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Reads the age of the state block from its own comments, which are copied with it, or else from the front matter. A
 * block without a readable time is stale.
 * @param now epoch milliseconds
 */
export function freshnessOf(document: PadDocument, now: number): Freshness {
  const region = document.regions.get('state');
  if (!region || document.text.slice(region.innerStart, region.innerEnd).trim() === '')
    return { status: 'missing' };
  const block = document.text.slice(region.innerStart, region.innerEnd);
  const updated = /<!-- Updated: ([^>]{0,80}?) *-->/.exec(block)?.[1] ?? textIn(document, 'updated');
  const ttl = /<!-- TTL: (\d+) ?(second|minute|hour|day)s?\b/.exec(block);
  const ttlText = ttl ? `${ttl[1]}${ttl[2]?.[0]}` : textIn(document, 'ttl');
  const at = updated === undefined ? Number.NaN : Date.parse(updated);
  if (updated === undefined || Number.isNaN(at)) return { status: 'stale' };
  let ttlMs: number;
  try {
    ttlMs = parseDuration(ttlText ?? '');
  } catch {
    return { status: 'stale', updated, ageMs: now - at };
  }
  const ageMs = now - at;
  // A block from the future means that the clock was set back. It counts as stale, with a minute's grace.
  const status = ageMs < ttlMs && ageMs > -60_000 ? 'fresh' : 'stale';
  return { status, updated, ageMs, ttlMs };
}
