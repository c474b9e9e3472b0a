import { messageOf } from '../base/errors.ts';
import { usageOf } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { type Alert, byUrgency } from './alerts/alert.ts';
import { diskAlerts } from './alerts/disk.ts';
import { eventAlerts, morningBrief } from './alerts/events.ts';
import { PRIORITY } from './priorities.ts';
import type { BuiltInStage, SectionLine, StageContext, StageLimit } from './stage.ts';
import { readSectionOutput } from './user.ts';

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
    ofSpaces,
    inject: due === undefined ? undefined : { key: due, text: text.slice(2), everyMs, covers },
  };
}

const MOST_LINES = 3;
const DEFAULT_TIMEOUT_MS = 1500;
const MOST_OUTPUT = 16 * 1024;
/** Time reserved for the other alerts if a user's command takes as long as allowed. */
const RESERVE_MS = 150;
/** Somebody configured it on purpose, so it is as urgent as one that is due today. */
const IN_HOURS = 3;

/** The output of `alerts.commands`, one alert per line. A failing command loses only its own lines. */
async function commandAlerts(
  { workspace, local, config, runCommand }: StageContext,
  limit: StageLimit,
  problems: string[],
): Promise<Alert[]> {
  const atMost = Math.max(1, limit.ms - RESERVE_MS);
  const input = JSON.stringify({ scratchpad: 1, workspace, now: local.iso });
  const said = await Promise.all(
    config.alerts.commands.map(async (spec) => {
      try {
        const timeoutMs = Math.min(spec.timeoutMs ?? DEFAULT_TIMEOUT_MS, atMost);
        const output = await runCommand(spec, input, {
          timeoutMs,
          signal: limit.signal,
          maxOutput: MOST_OUTPUT,
        });
        return readSectionOutput(output)
          .lines.slice(0, MOST_LINES)
          .map(
            (text): Alert => ({
              subject: text,
              text,
              inHours: IN_HOURS,
              why: `said by the command of ${spec.key}`,
              due: `alert:${spec.key}:${text}`,
            }),
          );
      } catch (error) {
        problems.push(`${spec.key}: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return said.flat();
}

const NEARLY_FULL = 0.9;

/** Spaces that will soon refuse additions. */
function fullSpaces({ spaces, config }: StageContext): Alert[] {
  return SPACE_NAMES.flatMap((space) => {
    const { used, limit, unit } = usageOf(space, spaces[space], config.limits);
    if (used < limit * NEARLY_FULL) return [];
    return {
      subject: `scratchpad ${space}`,
      text: `- Scratchpad: ${space} holds ${used} of ${limit} ${unit}`,
      inHours: 12,
      why: `at ${NEARLY_FULL * 100} % or more`,
      ofSpaces: true,
    };
  });
}
