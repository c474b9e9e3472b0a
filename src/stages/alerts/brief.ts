import { cachePath, readCache, writeCache } from '../../base/fs/cache.ts';
import { spellGap } from '../../base/text/counts.ts';
import { membersOf } from '../../base/text/json.ts';
import type { Appointment } from '../calendar/agenda.ts';
import { hourOf } from '../clock.ts';
import { lastSpoken, PROMPT_IN_HAND } from '../gap.ts';
import { quoted } from '../quote.ts';
import type { StageContext } from '../stage.ts';
import type { Alert, DatedTask } from './alert.ts';
import { nameOf, SOON_MS } from './events.ts';

const FROM_HOUR = 6;
const UNTIL_HOUR = 12;
const MOST_ITEMS = 4;
const NAME_CHARACTERS = 50;
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
    const name = nameOf(appointment, NAME_CHARACTERS);
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

/** A task without its details. */
function inShort(what: string): string {
  return quoted(/^.{12,}?(?=[,;:(]\s|\s[–—(-])/u.exec(what)?.[0] ?? what, TASK_CHARACTERS);
}

/** If there is a prompt somebody has read the brief, so later sessions of the morning do not need it. */
function remember({ workspace, local, messages, session }: StageContext): void {
  if (session === undefined || !messages.some(({ id }) => id === PROMPT_IN_HAND)) return;
  writeCache(cachePath(workspace, FILE), { date: local.date, session });
}
