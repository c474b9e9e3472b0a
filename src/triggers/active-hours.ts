import { ScratchpadError } from '../errors.ts';
import type { Clock } from '../stages/clock.ts';

/** A part of each day, in minutes since midnight; it goes over midnight when `from` is the later one. */
export interface ActiveHours {
  from: number;
  /** Not in it any more. */
  until: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/**
 * `07:00-23:00`, `22:00-06:00`, `7-23`
 * @throws ScratchpadError `usage` for anything else, and for `9-5`, which somebody means for the day and a clock of 24
 * hours takes for the night
 */
export function parseActiveHours(text: string): ActiveHours {
  const match = /^(\d{1,2})(?::(\d\d))?\s*-\s*(\d{1,2})(?::(\d\d))?$/.exec(text.trim());
  const [from, until] = [minutes(match?.[1], match?.[2]), minutes(match?.[3], match?.[4])];
  if (match && !match[2] && !match[4] && from !== undefined && until !== undefined && until < from) {
    const [opens, closes] = [Number(match[1]), Number(match[3])].map((hour) => `${hour}`.padStart(2, '0'));
    throw new ScratchpadError('usage', '--active-hours is ambiguous: day or night', {
      where: '--active-hours',
      expected:
        Number(closes) <= 12
          ? `${opens}:00-${Number(closes) + 12}:00 for the day, ${opens}:00-${closes}:00 for the night`
          : `${opens}:00-${closes}:00 for hours that span midnight`,
      found: text,
    });
  }
  if (from === undefined || until === undefined || from === until || from === DAY_MINUTES) {
    throw new ScratchpadError('usage', '--active-hours is not valid', {
      where: '--active-hours',
      expected: 'two times of the day such as 07:00-23:00',
      found: text,
    });
  }
  return { from, until };
}

export function isActive({ from, until }: ActiveHours, clock: Clock, at: number): boolean {
  const { hour, minute } = clock(at);
  const now = hour * 60 + minute;
  return from < until ? now >= from && now < until : now >= from || now < until;
}

/**
 * The first moment from `at` on that is in the hours: `at` itself when it is. Epoch milliseconds. Minute by minute,
 * since a clock that is set back may show an hour that was over once more.
 */
export function opensAt(hours: ActiveHours, clock: Clock, at: number): number {
  if (isActive(hours, clock, at)) return at;
  let opens = (Math.floor(at / MINUTE_MS) + 1) * MINUTE_MS;
  while (!isActive(hours, clock, opens)) opens += MINUTE_MS;
  return opens;
}

function minutes(hour: string | undefined, minute = '00'): number | undefined {
  const total = Number(hour) * 60 + Number(minute);
  return hour !== undefined && Number(minute) < 60 && total <= DAY_MINUTES ? total : undefined;
}
