import { DAY_MS } from '../base/text/durations.ts';
import type { SessionFacts } from '../transcript/read.ts';
import type { Message } from '../transcript/types.ts';

export interface LocalTime {
  /** ISO 8601 with offset, whole seconds. */
  iso: string;
  /** Minutes east of UTC at that time. */
  offsetMinutes: number;
  hour: number;
  minute: number;
  weekday: (typeof WEEKDAYS)[number];
  /** `AEDT` if the zone is named and has a common abbreviation, else `UTC+11`. */
  readonly zoneName: string;
  /** `2026-02-06` */
  date: string;
}

export type Clock = (at: number) => LocalTime;

/** The zone in use: the system's, a named zone, or a fixed offset from the caller. */
export type Zone = { kind: 'system' } | { kind: 'named'; name: string } | { kind: 'offset'; minutes: number };

export const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** A clock for a zone. @throws RangeError if there is no zone of that name */
export function openClock(zone: Zone): Clock {
  if (zone.kind === 'offset') return (at) => readLocalTime(at, zone.minutes);

  // A process takes 25 ms to load Intl, so the system's zone is named by its offset.
  if (zone.kind === 'system') return (at) => readLocalTime(at, -new Date(at).getTimezoneOffset());

  const readOffset = makeOffsetReader(zone.name);

  return (at) => {
    const offset = readOffset(at);
    return readLocalTime(at, offset, () => findAbbreviation(at, zone.name) ?? formatZone(offset));
  };
}

/** The zone that the person has set, which knows daylight saving time, else the offset that the host reports, else the system's. */
export function chooseZone(
  { timezone }: { readonly timezone?: string | undefined },
  facts?: SessionFacts,
): Zone {
  if (timezone !== undefined) return { kind: 'named', name: timezone };
  const hours = facts?.utcOffsetHours;
  return hours === undefined ? { kind: 'system' } : { kind: 'offset', minutes: Math.round(hours * 60) };
}

/** `09:30` */
export const formatHour = ({ hour, minute }: Pick<LocalTime, 'hour' | 'minute'>): string =>
  `${padTwo(hour)}:${padTwo(minute)}`;

function readLocalTime(at: number, offset: number, nameZone = () => formatZone(offset)): LocalTime {
  const shifted = new Date(at + offset * 60_000);
  const iso = `${shifted.toISOString().slice(0, 19)}${formatOffset(offset)}`;
  return {
    iso,
    offsetMinutes: offset,
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    weekday: WEEKDAYS[shifted.getUTCDay()] ?? 'Sun',
    // Only a line for a reader asks for it.
    get zoneName() {
      return nameZone();
    },
    date: iso.slice(0, 10),
  };
}

/** `UTC+5:30`, `UTC-3`, `UTC` */
function formatZone(offset: number): string {
  if (offset === 0) return 'UTC';
  return `UTC${formatOffset(offset)
    .replace(/^([+-])0?/, '$1')
    .replace(':00', '')}`;
}

/** `+11:00` */
function formatOffset(offset: number): string {
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${padTwo(Math.floor(size / 60))}:${padTwo(size % 60)}`;
}

const padTwo = (value: number): string => String(value).padStart(2, '0');

function makeOffsetReader(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(at)) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  };
}

/** Only locales that use an abbreviation know it; the first one with a name is used. */
const ABBREVIATION_LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-NZ', 'en-ZA'];

const findAbbreviation = (at: number, timeZone: string): string | undefined =>
  ABBREVIATION_LOCALES.map((locale) =>
    new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
      .formatToParts(at)
      .find(({ type, value }) => type === 'timeZoneName' && /^[A-Z]{2,5}$/.test(value)),
  ).find((part) => part !== undefined)?.value;

/** When a clock shows a local time, given as if it were UTC. Times skipped in spring move forward. */
export function toMoment(wall: number, clock: Clock): number {
  // The offset at that time is not known yet; that of a day before is right, or off by the change in between.
  const before = wall - clock(wall - DAY_MS).offsetMinutes * 60_000;
  const at = wall - clock(before).offsetMinutes * 60_000;
  return clock(at).offsetMinutes === clock(before).offsetMinutes ? at : before;
}

/** Clocks of two machines differ; a message slightly in the future counts as now. */
const SKEW_MS = 5 * 60_000;

/** Id of the message that is being answered. */
export const PROMPT_IN_HAND = 'prompt-in-hand';
/** A last message without an answer is in hand for this long; afterwards nobody is at work on it. */
const IN_HAND_MS = 10 * 60_000;

/** The time of the message in hand, and of the one before. A time to come does not count: the clock was set back. */
function readMessageTimes(messages: readonly Message[], now: number): { before?: number; inHand?: number } {
  const parseMessageTime = (message: Message | undefined): number | undefined => {
    const at = Date.parse(message?.timestamp ?? '');
    return Number.isNaN(at) || at - now > SKEW_MS ? undefined : at;
  };
  const prompts = messages.filter(({ role }) => role === 'user');
  const last = prompts.at(-1);
  const at = parseMessageTime(last);
  const waits = last === messages.at(-1) && at !== undefined && now - at < IN_HAND_MS;

  if (last?.id !== PROMPT_IN_HAND && !waits) return { before: at };

  return { before: parseMessageTime(prompts.at(-2)), inHand: at };
}

/** When the person spoke before the message in hand, epoch milliseconds; undefined if they did not. */
export const findPreviousMessageTime = (messages: readonly Message[], now: number): number | undefined =>
  readMessageTimes(messages, now).before;

/** The silence before the message in hand, or until now, in milliseconds. */
export function measureSilence(messages: readonly Message[], now: number): number | undefined {
  const { before, inHand = now } = readMessageTimes(messages, now);
  return before === undefined ? undefined : inHand - before;
}
