import { isAbsolute, join, resolve } from 'node:path';
import { cachePath, readCache, writeCache } from '../../base/fs/cache.ts';
import { isInside, list, realPathOf, type Stats, tryStat } from '../../base/fs/index.ts';
import { membersOf } from '../../base/text/json.ts';
import { SETTINGS } from '../../config/settings.ts';
import { readMemoryFile } from '../../memory/read.ts';
import type { Clock } from '../clock.ts';
import { type CalendarEntry, type CalendarReading, momentOf, type Span } from './event.ts';

const DAY_MS = 86_400_000;
/** Calendars are read for several days ahead, and again only when they change or these days are over. */
const READ_BACK = 3 * DAY_MS;
const READ_AHEAD = 8 * DAY_MS;
/** The margin that a reading must cover on either side. */
const NEEDED = 2 * DAY_MS;
/** A calendar that took too long is tried again after this time: the machine may have been busy. */
const AGAIN_MS = 30 * 60_000;
/** After this time the remaining calendars wait for the next assembly. */
const LONGEST_MS = 800;

/** Something on a calendar, on the reader's clock. */
export interface Appointment {
  summary: string;
  location?: string;
  /** Epoch milliseconds. */
  start: number;
  end?: number;
  allDay: boolean;
  kind: CalendarEntry['kind'];
  /** Name of the calendar file. */
  calendar: string;
}

export interface Agenda {
  /** In the order of their start. */
  appointments: Appointment[];
  problems: string[];
}

interface AgendaRequest {
  workspace: string;
  /** Files and folders, as the config names them. */
  calendars: readonly string[];
  home: string | undefined;
  /** Epoch milliseconds. */
  now: number;
  clock: Clock;
}

/** The events from yesterday until the day after tomorrow. */
export async function readAgenda({ workspace, calendars, home, now, clock }: AgendaRequest): Promise<Agenda> {
  const { files, problems } = calendarFiles(workspace, calendars, STANDARD, home);
  if (files.length === 0) return { appointments: [], problems };
  const cache = cachePath(workspace, 'calendars.json');
  const before = readKept(cache);
  const after: { name: string; kept: KeptReading }[] = [];
  const begun = Date.now();
  for (const file of files) {
    const { name } = file;
    const known = before.find(({ path, stamp }) => path === file.path && stamp === file.stamp);
    const covers = known && known.span.from <= now - NEEDED && known.span.until >= now + NEEDED;
    if (covers) after.push({ name, kept: known });
    else if (Date.now() - begun < LONGEST_MS) after.push({ name, kept: await read(file, now) });
    else problems.push(`${name}: not read yet, the calendars before it took too long`);
  }
  const readings = after.map(({ kept }) => kept);
  if (readings.some((kept) => !before.includes(kept))) writeKept(cache, readings);

  const appointments = after.flatMap(({ name, kept }) =>
    kept.entries.map(
      ({ start, end, ...entry }): Appointment => ({
        ...entry,
        start: momentOf(start, clock),
        end: end === undefined ? undefined : momentOf(end, clock),
        calendar: name,
      }),
    ),
  );
  for (const { name, kept } of after) problems.push(...kept.problems.map((problem) => `${name}: ${problem}`));
  return { appointments: inOrder(appointments), problems };
}

const STANDARD = SETTINGS.find(({ key }) => key === 'alerts.calendars')?.default as readonly string[];

async function read({ path, stamp }: CalendarFile, now: number): Promise<KeptReading> {
  const span = { from: now - READ_BACK, until: now + READ_AHEAD };
  const found = readMemoryFile(path);
  if ('reason' in found) return { path, stamp, span, entries: [], problems: [found.reason] };
  // Loaded only for a changed calendar: it is larger than all the rest of an assembly.
  const { readIcs } = await import('./ics.ts');
  const { late, ...reading } = readIcs(found.text, span);
  return { path, stamp, span: late ? { ...span, until: now + NEEDED + AGAIN_MS } : span, ...reading };
}

/** The same appointment may be in several calendars. */
function inOrder(appointments: Appointment[]): Appointment[] {
  const seen = new Set<string>();
  return appointments
    .sort((a, b) => a.start - b.start || (a.summary < b.summary ? -1 : 1))
    .filter(({ start, summary }) => {
      const key = `${start} ${summary}`;
      return !seen.has(key) && seen.add(key);
    });
}

/** The parsed content of a calendar file, cached until the file changes. */
interface KeptReading extends CalendarReading {
  path: string;
  /** The file's stamp, see `stampOf`. */
  stamp: string;
  span: Span;
}

const VERSION = 1;

function writeKept(file: string, calendars: readonly KeptReading[]): void {
  writeCache(file, { version: VERSION, calendars });
}

/** The cached content; anything in another format is ignored. */
function readKept(file: string): KeptReading[] {
  const { version, calendars } = membersOf(readCache(file));
  return version === VERSION && Array.isArray(calendars) ? calendars.filter(isKept) : [];
}

function isKept(value: unknown): value is KeptReading {
  const { path, stamp, span, entries, problems } = membersOf(value);
  const { from, until } = membersOf(span);
  return (
    typeof path === 'string' &&
    typeof stamp === 'string' &&
    Number.isFinite(from) &&
    Number.isFinite(until) &&
    Array.isArray(problems) &&
    problems.every((problem) => typeof problem === 'string') &&
    Array.isArray(entries) &&
    entries.every(isEntry)
  );
}

function isEntry(value: unknown): value is CalendarEntry {
  const { summary, start, end, location, allDay, kind } = membersOf(value);
  return (
    typeof summary === 'string' &&
    isMoment(start) &&
    (end === undefined || isMoment(end)) &&
    (location === undefined || typeof location === 'string') &&
    typeof allDay === 'boolean' &&
    (kind === 'event' || kind === 'task')
  );
}

function isMoment(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' && !Number.isNaN(Date.parse(`${value}Z`));
}

const MOST_FILES = 50;

interface CalendarFile {
  /** As in the config, or its folder and name. */
  name: string;
  /** Links resolved. */
  path: string;
  /** Changes when the file does. */
  stamp: string;
}

/**
 * The calendar files named in a config, including those in named folders.
 *
 * @param named relative to the workspace, absolute, or `~/…`; a relative one may not lead out of the workspace
 * @param standard files that need not exist
 */
function calendarFiles(
  workspace: string,
  named: readonly string[],
  standard: readonly string[],
  home: string | undefined,
): { files: CalendarFile[]; problems: string[] } {
  const files: CalendarFile[] = [];
  const problems: string[] = [];
  for (const name of named) {
    const given = home !== undefined && name.startsWith('~/') ? join(home, name.slice(2)) : name;
    const path = realPathOf(resolve(workspace, given));
    if (path === undefined) {
      if (!standard.includes(name)) problems.push(`${name}: no such file`);
    } else if (!isAbsolute(given) && !isInside(realPathOf(workspace) ?? workspace, path)) {
      problems.push(`${name}: leads out of the workspace`);
    } else {
      const stat = tryStat(path);
      if (stat?.isDirectory()) files.push(...inFolder(name, path, problems));
      else if (stat) files.push({ name, path, stamp: stampOf(stat) });
    }
  }
  if (files.length > MOST_FILES) problems.push(`more than ${MOST_FILES} calendars: the rest was not read`);
  return { files: files.slice(0, MOST_FILES), problems };
}

function inFolder(name: string, folder: string, problems: string[]): CalendarFile[] {
  let names: string[] = [];
  try {
    names = list(folder).filter((file) => /\.ics$/i.test(file));
  } catch {
    problems.push(`${name}: cannot be listed`);
  }
  return names
    .sort()
    .slice(0, MOST_FILES + 1)
    .flatMap((file) => {
      const path = join(folder, file);
      // A link could lead anywhere.
      const stat = realPathOf(path) === path ? tryStat(path) : undefined;
      return stat?.isFile() ? [{ name: join(name, file), path, stamp: stampOf(stat) }] : [];
    });
}

function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return [size, mtimeMs, ctimeMs, ino].join(' ');
}
