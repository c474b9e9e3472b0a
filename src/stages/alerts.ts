import { usageOf } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { dailyNotes, noteLines } from './daily-notes.ts';
import { quoted, type SectionLine, type Stage, type StageContext } from './stage.ts';

const DAY_MS = 86_400_000;
const NOTES_READ = 14;
const AT_MOST = 3;
const NEARLY_FULL = 0.9;
/** A task this long overdue was dropped, not forgotten. */
const OVERDUE_DAYS = 7;
const QUIET_DAYS = 3;
const TASK = /^\s*[-*+]\s+\[ \]\s+(.*)$/;
const DUE = /\b(?:due|by|until|before)\s*:?\s*(\d{4}-\d{2}-\d{2})\b/i;

interface Alert extends SectionLine {
  /** Days until it matters; less is more urgent. */
  inDays: number;
}

/** Proactive Alerts: what is due, full or neglected, as far as the workspace's own files tell. */
export const alertsStage: Stage = {
  id: 'alerts',
  title: 'Proactive Alerts',
  priority: 55,
  timeoutMs: 1000,
  run(context) {
    const alerts = [...dueTasks(context), ...fullSpaces(context), ...quietMemory(context)];
    alerts.sort((a, b) => a.inDays - b.inDays);
    return alerts.length === 0 ? null : { lines: alerts.slice(0, AT_MOST) };
  },
};

/** Open tasks of the newest daily notes with a date within a day. One that a later note repeats counts once. */
function dueTasks({ workspace, local }: StageContext): Alert[] {
  const found = new Map<string, Alert>();
  for (const note of dailyNotes(workspace, local.date).slice(0, NOTES_READ)) {
    noteLines(workspace, note).forEach((line, index) => {
      const task = TASK.exec(line)?.[1];
      const due = task === undefined ? undefined : DUE.exec(task)?.[1];
      if (task === undefined || due === undefined) return;
      const inDays = Math.round((Date.parse(due) - Date.parse(local.date)) / DAY_MS);
      const what = quoted(
        task.replace(/\s*\(?\b(?:due|by|until|before)\s*:?\s*\d{4}-\d{2}-\d{2}\)?,?/i, ''),
        100,
      );
      if (Number.isNaN(inDays) || inDays > 1 || inDays < -OVERDUE_DAYS || found.has(what)) return;
      const when = inDays < 0 ? `overdue since ${due}` : inDays === 0 ? 'due today' : 'due tomorrow';
      found.set(what, {
        text: `- Task ${when}: ${what} (${note.path}:${index + 1})`,
        inDays,
        why: `open task with the date ${due}`,
      });
    });
  }
  return [...found.values()];
}

function fullSpaces({ spaces, config }: StageContext): Alert[] {
  return SPACE_NAMES.flatMap((space) => {
    const { used, limit, unit } = usageOf(space, spaces[space], config.limits);
    if (used < limit * NEARLY_FULL) return [];
    return [
      {
        text: `- Scratchpad: ${space} holds ${used} of ${limit} ${unit}`,
        inDays: 0.5,
        why: 'at 90 % or more',
      },
    ];
  });
}

function quietMemory({ workspace, local }: StageContext): Alert[] {
  const newest = dailyNotes(workspace, local.date)[0];
  if (newest === undefined) return [];
  const days = Math.round((Date.parse(local.date) - Date.parse(newest.date)) / DAY_MS);
  if (days < QUIET_DAYS) return [];
  return [
    {
      text: `- Memory: no daily note for ${days} days (the last is ${newest.path})`,
      inDays: 1,
      why: 'dates of the note files',
    },
  ];
}
