import { type Alert, byUrgency } from './alerts/alert.ts';
import { morningBrief } from './alerts/brief.ts';
import { commandAlerts } from './alerts/commands.ts';
import { diskAlerts } from './alerts/disk.ts';
import { eventAlerts } from './alerts/events.ts';
import { fullSpaces, quietMemory } from './alerts/pad.ts';
import { PRIORITY } from './priorities.ts';
import type { BuiltInStage, SectionLine } from './stage.ts';

const AT_MOST = 3;
const SOON_HOURS = 2;
const TODAY_HOURS = 12;

/** Proactive Alerts: things that are due, full or neglected, most urgent first. */
export const alertsStage: BuiltInStage = {
  priority: PRIORITY.alertLater,
  async run(context, limit) {
    const problems: string[] = [];
    const [agenda, disks, said] = await Promise.all([
      context.agenda(),
      diskAlerts(context, problems),
      commandAlerts(context, limit, problems),
    ]);
    problems.unshift(...agenda.problems);
    const { dated: tasks } = context.tasks();
    const brief = morningBrief(context, agenda.appointments, tasks);
    const appointments = agenda.appointments.filter((each) => !brief?.appointments.includes(each));
    const open = tasks.filter((each) => !brief?.tasks.includes(each));
    const alerts = byUrgency([
      ...(brief ? [brief.alert] : []),
      ...eventAlerts(context, appointments),
      ...open.map(({ alert }) => alert),
      ...said,
      ...disks,
      ...fullSpaces(context),
      ...quietMemory(context),
    ]);
    if (alerts.length + problems.length === 0) return null;
    return { lines: alerts.slice(0, AT_MOST).map(lineOf), problems };
  },
};

function lineOf({ text, inHours, why, due, everyMs, covers, ofSpaces }: Alert): SectionLine {
  const priority =
    inHours <= SOON_HOURS
      ? PRIORITY.alertWithinHours
      : inHours <= TODAY_HOURS
        ? PRIORITY.alertToday
        : PRIORITY.alertLater;
  return {
    text,
    priority,
    why,
    ...(ofSpaces === true && { spaces: 1 }),
    ...(due === undefined
      ? {}
      : {
          inject: { key: due, text: text.slice(2), ...(everyMs && { everyMs }), ...(covers && { covers }) },
        }),
  };
}
