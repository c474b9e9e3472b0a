import type { Clock } from '../clock.ts';
import type { Moment } from './event.ts';

/**
 * A time as epoch milliseconds, for a reader with this clock, or with this offset from UTC in minutes. Times skipped
 * in spring move forward by the skipped amount.
 */
export function momentOf(moment: Moment, where: Clock | number): number {
  if (typeof moment === 'number') return moment;
  const wall = Date.parse(`${moment}Z`);
  if (typeof where === 'number') return wall - where * 60_000;
  // The offset at that time is not known yet; that of a day before is right, or off by the change in between.
  const before = wall - where(wall - 86_400_000).offsetMinutes * 60_000;
  const at = wall - where(before).offsetMinutes * 60_000;
  return where(at).offsetMinutes === where(before).offsetMinutes ? at : before;
}
