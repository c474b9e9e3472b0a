import { isAbsolute, join, resolve } from 'node:path';
import { isInside, list, realPathOf, tryStat } from '../base/fs/index.ts';
import { cachePath, readCache, writeCache } from '../base/fs/own.ts';
import { membersOf } from '../base/text/json.ts';
import { spellGap } from '../base/text/strings.ts';
import { SETTINGS } from '../config/settings.ts';
import { readMemoryFile } from '../memory/read.ts';
import { type Clock, hourOf, lastSpoken, momentOf, PROMPT_IN_HAND } from './clock.ts';
import { quoted } from './quote.ts';
import type { StageContext } from './stage.ts';
import type { Alert, DatedTask } from './tasks.ts';

const DAY_MS = 86_400_000;
const MOST_FILES = 50;
/** After this time the remaining calendars are not read. */
const LONGEST_MS = 800;

/** Something on a calendar, on the reader's clock. */
export interface Appointment {
  summary: string;
  location?: string | undefined;
  /** Epoch milliseconds. */
  start: number;
  end?: number | undefined;
  allDay: boolean;
  /** Name of the calendar file. */
  calendar: string;
}

export interface Agenda {
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
  const { files, problems } = calendarFiles(workspace, calendars, home);
  if (files.length === 0) return { appointments: [], problems };
  // Loaded only where there is a calendar: it is larger than all the rest of an assembly.
  const { readIcs } = await import('./ics.ts');
  const appointments: Appointment[] = [];
  const begun = Date.now();
  for (const { name, path } of files) {
    if (Date.now() - begun > LONGEST_MS) {
      problems.push(`${name}: not read, the calendars before it took too long`);
      continue;
    }
    const found = readMemoryFile(path);
    const reading =
      'reason' in found
        ? { entries: [], problems: [found.reason] }
        : readIcs(found.text, { from: now - DAY_MS, until: now + 2 * DAY_MS });
    problems.push(...reading.problems.map((problem) => `${name}: ${problem}`));
    for (const { start, end, ...entry } of reading.entries)
      appointments.push({
        ...entry,
        start: momentOf(start, clock),
        end: end === undefined ? undefined : momentOf(end, clock),
        calendar: name,
      });
  }
  return { appointments: inOrder(appointments), problems };
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

interface CalendarFile {
  /** As in the config, or its folder and name. */
  name: string;
  /** Links resolved. */
  path: string;
}

/** Need not exist. */
const STANDARD = SETTINGS.find(({ key }) => key === 'alerts.calendars')?.default as readonly string[];

/**
 * The calendar files named in a config, including those in named folders.
 *
 * @param named relative to the workspace, absolute, or `~/…`; a relative one may not lead out of the workspace
 */
function calendarFiles(
  workspace: string,
  named: readonly string[],
  home: string | undefined,
): { files: CalendarFile[]; problems: string[] } {
  const files: CalendarFile[] = [];
  const problems: string[] = [];
  for (const name of named) {
    const given = home !== undefined && name.startsWith('~/') ? join(home, name.slice(2)) : name;
    const path = realPathOf(resolve(workspace, given));
    if (path === undefined) {
      if (!STANDARD.includes(name)) problems.push(`${name}: no such file`);
    } else if (!isAbsolute(given) && !isInside(realPathOf(workspace) ?? workspace, path)) {
      problems.push(`${name}: leads out of the workspace`);
    } else if (tryStat(path)?.isDirectory()) {
      files.push(...inFolder(name, path, problems));
    } else files.push({ name, path });
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
  return (
    names
      .sort()
      .map((file) => ({ name: join(name, file), path: join(folder, file) }))
      // A link could lead anywhere.
      .filter(({ path }) => realPathOf(path) === path && tryStat(path)?.isFile())
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Events that begin within this time are shown. */
export const SOON_MS = 2 * HOUR_MS;
const LATE_MS = 0.5 * HOUR_MS;
/** Repeated when it is this near. */
const NEAR_MS = 20 * MINUTE_MS;
const NAME_CHARACTERS = 80;
const PLACE_CHARACTERS = 40;

/** Events that begin within two hours or have just begun. */
export function eventAlerts(context: StageContext, appointments: readonly Appointment[]): Alert[] {
  return appointments.flatMap((appointment) => eventAlert(context, appointment) ?? []);
}

export function nameOf({ summary }: Appointment, maxCharacters = NAME_CHARACTERS): string {
  return quoted(summary, maxCharacters);
}

function eventAlert({ now, clock }: StageContext, appointment: Appointment): Alert | undefined {
  const { start, end, allDay, calendar } = appointment;
  const left = start - now;
  // Late, the person is there by now, or will not come.
  if (allDay || left > SOON_MS || -left > LATE_MS || (end !== undefined && end <= now)) return undefined;
  const hour = hourOf(clock(start));
  const soon = left < MINUTE_MS ? 'now' : `in ${spellGap(left)}`;
  const when = left >= 0 ? `${soon}, at ${hour}` : `began at ${hour}, ${spellGap(-left)} ago`;
  const place =
    appointment.location === undefined ? '' : ` (${quoted(appointment.location, PLACE_CHARACTERS)})`;
  return {
    subject: appointment.summary,
    text: `- Calendar: "${nameOf(appointment)}" ${when}${place}`,
    inHours: Math.max(0, left / HOUR_MS),
    why: `${quoted(calendar, 80)}, ${clock(start).iso}`,
    key: `event:${start}:${nameOf(appointment)}${left <= NEAR_MS ? ':near' : ''}`,
  };
}

const FROM_HOUR = 6;
const UNTIL_HOUR = 12;
const MOST_ITEMS = 4;
const BRIEF_NAME_CHARACTERS = 50;
const TASK_CHARACTERS = 60;
const FILE = 'brief.json';

/** The brief of the day in one line, and the alerts that it replaces. */
export interface Brief {
  alert: Alert;
  appointments: readonly Appointment[];
  tasks: readonly DatedTask[];
}

/** Whether this is the first session of the morning: nobody has spoken since six, here or in another session. */
export function isFirstOfMorning({
  workspace,
  config,
  now,
  local,
  clock,
  messages,
  from,
}: StageContext): boolean {
  if (!config.alerts.brief || local.hour < FROM_HOUR || local.hour >= UNTIL_HOUR) return false;
  const at = lastSpoken(messages, now);
  const then = at === undefined ? undefined : clock(at);
  if (then?.date === local.date && then.hour >= FROM_HOUR) return false;
  const shown = membersOf(readCache(cachePath(workspace, FILE)));
  return shown.date !== local.date || shown.session === from;
}

/** For the first session of the morning; undefined if nothing is known about the day. */
export function morningBrief(
  context: StageContext,
  agenda: readonly Appointment[],
  dated: readonly DatedTask[],
): Brief | undefined {
  if (!isFirstOfMorning(context)) return undefined;
  const { now, clock, local } = context;
  const appointments = agenda
    .filter(({ start, end, allDay }) =>
      allDay ? start <= now && (end ?? start) > now : start >= now && clock(start).date === local.date,
    )
    .slice(0, MOST_ITEMS);
  const tasks = dated.filter(({ inDays }) => inDays <= 0).slice(0, MOST_ITEMS);
  if (appointments.length + tasks.length === 0) return undefined;
  const events = appointments.map((appointment) => {
    const { start, allDay } = appointment;
    const name = nameOf(appointment, BRIEF_NAME_CHARACTERS);
    if (allDay) return name;
    const soon = start - now <= SOON_MS ? ` (in ${spellGap(start - now)})` : '';
    return `${hourOf(clock(start))} ${name}${soon}`;
  });
  const due = tasks.map(({ what, inDays }) => `${inShort(what)}${inDays < 0 ? ' (overdue)' : ''}`);
  const parts = [events.join(', '), due.length === 0 ? '' : `due: ${due.join('; ')}`].filter(
    (part) => part !== '',
  );
  const day = events.length === 0 ? `Due today: ${due.join('; ')}` : `Today: ${parts.join('; ')}`;
  remember(context);
  return {
    alert: {
      subject: 'what the day holds',
      text: `- ${day}`,
      inHours: 0,
      why: 'nobody has spoken yet this morning',
      key: `brief:${local.date}`,
      covers: tasks.flatMap(({ alert }) => alert.key ?? []),
    },
    appointments,
    tasks,
  };
}

function inShort(what: string): string {
  return quoted(/^.{12,}?(?=[,;:(]\s|\s[–—(-])/u.exec(what)?.[0] ?? what, TASK_CHARACTERS);
}

/** If there is a prompt somebody has read the brief, so later sessions of the morning do not need it. */
function remember({ workspace, local, messages, from }: StageContext): void {
  if (from === undefined || !messages.some(({ id }) => id === PROMPT_IN_HAND)) return;
  writeCache(cachePath(workspace, FILE), { date: local.date, session: from });
}
