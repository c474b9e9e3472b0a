import { cachePath, readCache, writeCache } from '../../base/fs/own.ts';
import { membersOf } from '../../base/text/json.ts';
import { spellGap } from '../../base/text/strings.ts';
import type { Appointment } from '../calendar/agenda.ts';
import { hourOf, lastSpoken, PROMPT_IN_HAND } from '../clock.ts';
import { quoted } from '../quote.ts';
import type { StageContext } from '../stage.ts';
import type { Alert, DatedTask } from './alert.ts';

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
  return appointments.flatMap((appointment) => alertOf(context, appointment) ?? []);
}

export function nameOf({ summary }: Appointment, maxCharacters = NAME_CHARACTERS): string {
  return quoted(summary, maxCharacters);
}

function alertOf({ now, clock }: StageContext, appointment: Appointment): Alert | undefined {
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
    due: `event:${start}:${nameOf(appointment)}${left <= NEAR_MS ? ':near' : ''}`,
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
  session,
}: StageContext): boolean {
  if (!config.alerts.brief || local.hour < FROM_HOUR || local.hour >= UNTIL_HOUR) return false;
  const at = lastSpoken(messages, now);
  const then = at === undefined ? undefined : clock(at);
  if (then?.date === local.date && then.hour >= FROM_HOUR) return false;
  const shown = membersOf(readCache(cachePath(workspace, FILE)));
  return shown.date !== local.date || shown.session === session;
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
      due: `brief:${local.date}`,
      covers: tasks.flatMap(({ alert }) => alert.due ?? []),
    },
    appointments,
    tasks,
  };
}

function inShort(what: string): string {
  return quoted(/^.{12,}?(?=[,;:(]\s|\s[–—(-])/u.exec(what)?.[0] ?? what, TASK_CHARACTERS);
}

/** If there is a prompt somebody has read the brief, so later sessions of the morning do not need it. */
function remember({ workspace, local, messages, session }: StageContext): void {
  if (session === undefined || !messages.some(({ id }) => id === PROMPT_IN_HAND)) return;
  writeCache(cachePath(workspace, FILE), { date: local.date, session });
}
