import ICAL from 'ical.js';
import type { Span } from './event.ts';

const DAY_MS = 86_400_000;
/** Of one rule. */
const MOST_TIMES = 4000;
/** A rule without a count may start nearer to the present, at a whole number of its steps. */
const STEP_DAYS = new Map([
  ['DAILY', 1],
  ['WEEKLY', 7],
]);

/**
 * The occurrences of an entry in its own zone: one, or those of its rules from before the span to its end.
 * @param onEndless called when a rule repeats so often that it is not read to its end
 */
export function timesOf(
  component: ICAL.Component,
  first: ICAL.Time,
  span: Span,
  onEndless: () => void,
): ICAL.Time[] {
  const times = new Map([[keyOf(first), first]]);
  const lastDay = span.until + 2 * DAY_MS;
  if (!component.hasProperty('recurrence-id')) {
    for (const rule of valuesOf(component, 'rrule')) {
      if (!(rule instanceof ICAL.Recur)) continue;
      const iterator = rule.iterator(nearer(rule, first, span.from - 2 * DAY_MS));
      let count = 0;
      for (let time = iterator.next(); time && civil(time) < lastDay; time = iterator.next()) {
        times.set(keyOf(time), time.clone());
        count += 1;
        if (count < MOST_TIMES) continue;
        onEndless();
        break;
      }
    }
    for (const value of valuesOf(component, 'rdate'))
      if (value instanceof ICAL.Time) times.set(keyOf(value), value);
  }
  for (const value of valuesOf(component, 'exdate'))
    if (value instanceof ICAL.Time) times.delete(keyOf(value));
  return [...times.values()];
}

function valuesOf(component: ICAL.Component, name: string): unknown[] {
  return component.getAllProperties(name).flatMap((property) => property.getValues() as unknown[]);
}

function nearer(rule: ICAL.Recur, first: ICAL.Time, day: number): ICAL.Time {
  const step = STEP_DAYS.get(rule.freq);
  if (step === undefined || rule.count !== null || !(rule.interval > 0)) return first;
  const stride = step * rule.interval;
  const strides = Math.floor((day - civil(first)) / DAY_MS / stride) - 1;
  if (strides < 1) return first;
  const time = first.clone();
  time.adjust(strides * stride, 0, 0, 0);
  return time;
}

/** A local time as if it were UTC: for comparison, accurate to about a day. */
function civil(time: ICAL.Time): number {
  return Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
}

/** The same time has the same key in every zone. */
export function keyOf(time: ICAL.Time): string {
  return time.isDate ? time.toString().slice(0, 10) : String(time.toUnixTime());
}
