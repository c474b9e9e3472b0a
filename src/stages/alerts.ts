import { join } from 'node:path';
import { exists } from '../base/fs/index.ts';
import { DAY_MS, formatGap, HOUR_MS } from '../base/text/durations.ts';
import { findPreviousMessageTime, formatHour } from './clock.ts';
import { listDiskAlerts } from './disk.ts';
import { daysBetween } from './due.ts';
import { quoteForeignText } from './quote.ts';
import {
  type Alert,
  type Appointment,
  type BuiltInStage,
  type DatedTask,
  PRIORITY,
  type SectionLine,
  type StageContext,
} from './stage.ts';
import { shortenTask, sortByUrgency } from './tasks.ts';
import { hasPromptOfTime } from './time.ts';

const WITHHELD = 'tasks, calendars and settings of this folder: not approved, `scratchpad trust`';
const AT_MOST = 3;
const SOON_HOURS = 2;
const ALL_DAY_HOURS = 12;
const LEAST_NAME = 12;
const TODAY_CHARACTERS = 600;

export const alertsStage: BuiltInStage = {
  priority: PRIORITY.alertLater,
  tells: 'part',
  async run(context) {
    const findDisks = async (): Promise<Alert[]> => (context.forModel ? [] : listDiskAlerts(context));
    const [agenda, disks] = await Promise.all([context.agenda(), findDisks()]);
    const { workspace, isForeign, forModel } = context;
    const isWithheld = isForeign === true && exists(join(workspace, '.scratchpad/config.yaml'));
    const { dated: tasks, problems: unread } = await context.tasks();
    const problems = [...agenda.problems, ...unread, ...(isWithheld ? [WITHHELD] : [])];
    const brief = makeMorningBrief(context, agenda.appointments, tasks);
    const appointments = agenda.appointments.filter((each) => !brief?.appointments.includes(each));
    const open = tasks.filter((each) => !brief?.tasks.includes(each));
    const alerts = sortByUrgency([
      ...(brief ? [brief.alert] : []),
      ...appointments.flatMap((appointment) => makeEventAlert(context, appointment) ?? []),
      ...open.map(({ alert }) => alert),
      ...disks,
    ]);

    if (alerts.length + problems.length === 0) return null;

    const rest = alerts.slice(AT_MOST);
    const today = rest.flatMap((alert) => alert.today ?? []);
    const more = rest.filter((alert) => alert.today === undefined);
    // Of today nothing is left out.
    const characters = Math.min(BRIEF_NAME_CHARACTERS, Math.max(LEAST_NAME, TODAY_CHARACTERS / today.length));
    const ofToday = today.map((name) => quoteForeignText(name, characters));
    const named = more.slice(0, MOST_ITEMS).map(({ subject }) => quoteForeignText(subject, NAME_CHARACTERS));
    const others = more.length > MOST_ITEMS ? [...named, '…'] : named;
    const [first] = listNames('alerts:today', 'Also today', ofToday, rest);
    const shown = [
      ...alerts.slice(0, AT_MOST),
      ...(first ? [{ ...first, today: '' }] : []),
      ...listNames('alerts:more', `And ${more.length} more`, others, more),
    ];

    const withheld =
      isWithheld && !forModel ? [{ text: `- Not read: ${WITHHELD}`, priority: PRIORITY.alertToday }] : [];
    return { lines: [...shown.map(renderAlert), ...withheld], problems };
  },
};

function listNames(key: string, intro: string, names: readonly string[], alerts: readonly Alert[]): Alert[] {
  if (names.length === 0) return [];
  return [
    {
      subject: key,
      text: `- ${intro}: ${names.join('; ')}`,
      inHours: Number.POSITIVE_INFINITY,
      why: `at most ${AT_MOST} have a line of their own`,
      ...(alerts.some((alert) => alert.key !== undefined) && { key }),
      everyMs: DAY_MS,
      ofSpaces: alerts.some(({ ofSpaces }) => ofSpaces),
    },
  ];
}

function renderAlert({ text, inHours, today, why, key, everyMs, covers, ofSpaces }: Alert): SectionLine {
  const isOfDay = today !== undefined || inHours <= ALL_DAY_HOURS;
  const later = isOfDay ? PRIORITY.alertToday : PRIORITY.alertLater;
  const priority = inHours <= SOON_HOURS ? PRIORITY.alertWithinHours : later;

  return {
    text,
    priority,
    why,
    ofSpaces,
    inject: key === undefined ? undefined : { key, text: text.slice(2), everyMs, covers },
  };
}

const MINUTE_MS = 60_000;
const SOON_MS = 2 * HOUR_MS;
const LATE_MS = 0.5 * HOUR_MS;
const NEAR_MS = 20 * MINUTE_MS;
const NAME_CHARACTERS = 80;
const PLACE_CHARACTERS = 40;

/**
 * For an event that begins within two hours, goes on since another day, or has just begun, and from the morning on for any
 * of the day, which a model is told if its prompt speaks of time.
 */
function makeEventAlert(context: StageContext, appointment: Appointment): Alert | undefined {
  const { now, clock, local } = context;
  const { start, end, allDay, calendar, summary, location } = appointment;
  const left = start - now;
  const hour = formatHour(clock(start));
  const place = location === undefined ? '' : ` (${quoteForeignText(location, PLACE_CHARACTERS)})`;
  const name = quoteForeignText(summary, NAME_CHARACTERS);
  const begins = daysBetween(local.date, clock(start).date);
  const isOfDay = allDay ? left <= 0 : left > SOON_MS && begins === 0;
  const isToday = isOfDay && local.hour >= FROM_HOUR;
  // Late, the person is there by now, or will not come.
  const isNear = !allDay && left <= SOON_MS && -left <= LATE_MS;
  const isGoingOn = !allDay && begins < 0 && end !== undefined;
  if ((end !== undefined && end <= now) || !(isToday || isNear || isGoingOn)) return undefined;

  const soon = left < MINUTE_MS ? 'now' : `in ${formatGap(left)}`;
  const near = left >= 0 ? `${soon}, at ${hour}` : `began at ${hour}, ${formatGap(-left)} ago`;
  const since = `began ${nameDay(context, start)} at ${hour}`;
  const today = allDay ? 'today' : `today at ${hour}`;
  const notNear = isGoingOn ? since : today;
  const until = renderEnd(context, appointment);

  return {
    subject: summary,
    text: `- Calendar: “${name}” ${isNear ? near : notNear}${until && `, ${until}`}${place}`,
    inHours: allDay || isGoingOn ? ALL_DAY_HOURS : Math.max(0, left / HOUR_MS),
    why: `${quoteForeignText(calendar, 80)}, ${clock(start).iso}`,
    ...((allDay || begins <= 0) && {
      today: allDay || isGoingOn ? `${summary}${until && `, ${until}`}` : `${hour} ${summary}`,
    }),
    ...(isNear && { key: `event:${start}:${name}${left <= NEAR_MS ? ':near' : ''}` }),
    ...(!isNear && hasPromptOfTime(context) && { key: makeDayKey(appointment), everyMs: DAY_MS }),
  };
}

const makeDayKey = ({ start, summary }: Appointment): string => `today:${start}:${summary}`;

/** When an event ends that does not on the day of its start: `until 06:10 tomorrow`; nothing for another. */
function renderEnd(context: StageContext, { start, end, allDay }: Appointment): string {
  const { clock, now } = context;
  // Midnight belongs to the day before.
  if (end === undefined || clock(end - 1).date === clock(start).date) return '';
  const day = nameDay(context, allDay ? end - 1 : end);
  if (allDay) return day === 'today' ? 'the last day' : `until ${day}`;
  const isToday = day === 'today' && start <= now;
  return `until ${formatHour(clock(end))}${isToday ? '' : ` ${day}`}`;
}

/** `yesterday`, `Wed 2026-02-11` */
function nameDay({ clock, local }: StageContext, at: number): string {
  const { date, weekday } = clock(at);
  return ['yesterday', 'today', 'tomorrow'][daysBetween(local.date, date) + 1] ?? `${weekday} ${date}`;
}

const FROM_HOUR = 6;
const UNTIL_HOUR = 12;
const MOST_ITEMS = 4;
const BRIEF_NAME_CHARACTERS = 50;

function isFirstOfMorning({ config, now, local, clock, messages }: StageContext): boolean {
  if (!config.alerts.brief || local.hour < FROM_HOUR || local.hour >= UNTIL_HOUR) return false;
  const at = findPreviousMessageTime(messages, now);
  const then = at === undefined ? undefined : clock(at);
  return then?.date !== local.date || then.hour < FROM_HOUR;
}

function makeMorningBrief(
  context: StageContext,
  agenda: readonly Appointment[],
  dated: readonly DatedTask[],
) {
  if (!isFirstOfMorning(context)) return undefined;

  const { now, clock, local } = context;
  const appointments = agenda
    .filter(({ start, end = start, allDay }) =>
      allDay ? start <= now && end > now : start >= now && clock(start).date === local.date,
    )
    .slice(0, MOST_ITEMS);

  const tasks = dated.filter(({ inDays }) => inDays <= 0).slice(0, MOST_ITEMS);

  if (appointments.length + tasks.length === 0) return undefined;

  const events = appointments.map((appointment) => {
    const { start, allDay, summary } = appointment;
    const until = renderEnd(context, appointment);
    const name = `${quoteForeignText(summary, BRIEF_NAME_CHARACTERS)}${until && ` (${until})`}`;
    const soon = start - now <= SOON_MS ? ` (in ${formatGap(start - now)})` : '';
    return allDay ? name : `${formatHour(clock(start))} ${name}${soon}`;
  });

  const listTasks = (isListed: (days: number) => boolean): string =>
    tasks.flatMap(({ what, inDays }) => (isListed(inDays) ? shortenTask(what) : [])).join('; ');
  const [late, due] = [listTasks((days) => days < 0), listTasks((days) => days === 0)];
  const day = events.length > 0 && `Today: ${events.join(', ')}`;
  const parts = [day, late && `Overdue: ${late}`, due && `Due today: ${due}`];

  return {
    alert: {
      subject: 'what the day holds',
      text: `- ${parts.filter(Boolean).join('. ')}`,
      inHours: 0,
      why: 'nobody has spoken yet this morning',
      key: `brief:${local.date}`,
      covers: [...appointments.map(makeDayKey), ...tasks.flatMap(({ alert }) => alert.key ?? [])],
    },
    appointments,
    tasks,
  };
}
