import { spellGap } from '../../base/text/counts.ts';
import type { Appointment } from '../calendar/agenda.ts';
import { hourOf } from '../clock.ts';
import { quoted } from '../quote.ts';
import type { StageContext } from '../stage.ts';
import type { Alert } from './alert.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Events that begin within this time are shown. */
export const SOON_MS = 2 * HOUR_MS;
/** Until then the person may be late; afterwards they are there, or will not come. */
const LATE_MS = 0.5 * HOUR_MS;
/** Repeated when it is this near. */
const NEAR_MS = 20 * MINUTE_MS;
const NAME_CHARACTERS = 80;
const PLACE_CHARACTERS = 40;

/** Events that begin within two hours or have just begun, and tasks due today, from the calendars. */
export function eventAlerts(context: StageContext, appointments: readonly Appointment[]): Alert[] {
  return appointments.flatMap((appointment) => alertOf(context, appointment) ?? []);
}

/** A name as part of a line. */
export function nameOf({ summary }: Appointment, maxCharacters = NAME_CHARACTERS): string {
  return quoted(summary, maxCharacters);
}

function alertOf({ now, clock, local }: StageContext, appointment: Appointment): Alert | undefined {
  const { start, end, allDay, kind, calendar } = appointment;
  const due = kind === 'task';
  const left = start - now;
  const today = clock(start).date === local.date;
  const when = wording();
  if (when === undefined) return undefined;
  const place =
    appointment.location === undefined ? '' : ` (${quoted(appointment.location, PLACE_CHARACTERS)})`;
  return {
    subject: appointment.summary,
    text: `- Calendar: "${nameOf(appointment)}" ${when}${place}`,
    inHours: allDay ? 3 : Math.max(0, left / HOUR_MS),
    why: `${quoted(calendar, 80)}, ${clock(start).iso}`,
    due: `event:${start}:${nameOf(appointment)}${left <= NEAR_MS ? ':near' : ''}`,
  };

  function wording(): string | undefined {
    if (allDay) return due && today ? 'is due today' : undefined;
    const hour = hourOf(clock(start));
    if (left > SOON_MS) return undefined;
    const soon = left < MINUTE_MS ? 'now' : `in ${spellGap(left)}`;
    if (left >= 0) return `${due ? 'is due ' : ''}${soon}, at ${hour}`;
    if (due) return today ? `was due at ${hour}` : undefined;
    if (-left > LATE_MS || (end !== undefined && end <= now)) return undefined;
    return `began at ${hour}, ${spellGap(-left)} ago`;
  }
}
