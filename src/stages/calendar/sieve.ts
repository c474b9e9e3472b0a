import type { Span } from './event.ts';

const DAY_MS = 86_400_000;
/** More than any zone's offset from UTC, twice, to cover events that began before the span. */
const MARGIN_MS = 2 * DAY_MS;
const COMPONENT = /^BEGIN:(VEVENT|VTODO)[ \t]*\r?\n[\s\S]*?^END:\1[ \t]*\r?$/gim;
const ZONE = /^BEGIN:(VTIMEZONE)[ \t]*\r?\n[\s\S]*?^END:\1[ \t]*\r?$/gim;

/**
 * A calendar's text without irrelevant events: only a few days out of years are needed, and parsing costs a hundred
 * times as much as this. Recurring events, their exceptions, and entries without a plain date stay.
 */
export function sieve(text: string, { from, until }: Span): string {
  return text.replace(COMPONENT, (component) =>
    mayMatter(component, from - MARGIN_MS, until + MARGIN_MS) ? component : '',
  );
}

function mayMatter(component: string, from: number, until: number): boolean {
  const last = /^RRULE:[^\r\n]*UNTIL=(\d{8})/im.exec(component)?.[1];
  if (last !== undefined && !/^RDATE/im.test(component)) return !(dayOf(last) < from);
  if (/^(?:RRULE|RDATE|RECURRENCE-ID)/im.test(component)) return true;
  const days = [...component.matchAll(/^(?:DTSTART|DTEND|DUE)[^:\r\n]*:(\d{8})/gim)].map((match) =>
    dayOf(match[1] ?? ''),
  );
  if (days.length === 0 || days.some(Number.isNaN) || /^DURATION/im.test(component)) return true;
  return Math.max(...days) >= from && Math.min(...days) < until;
}

/** `20260206` -> epoch milliseconds of its start in UTC. */
function dayOf(digits: string): number {
  return Date.parse(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6, 8)}`);
}

/** The zones, events and tasks of a partly broken calendar, each as a separate text. */
export function piecesOf(text: string): { zones: string[]; components: string[] } {
  return { zones: text.match(ZONE) ?? [], components: text.match(COMPONENT) ?? [] };
}
