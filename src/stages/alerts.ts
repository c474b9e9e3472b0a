import { usageOf } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { dailyNotes, noteLines } from './daily-notes.ts';
import { quotedFrom } from './quote.ts';
import type { SectionLine, Stage, StageContext } from './stage.ts';

const DAY_MS = 86_400_000;
const NOTES_READ = 14;
const AT_MOST = 3;
const NEARLY_FULL = 0.9;
/** A task this long overdue was dropped, not forgotten. */
const OVERDUE_DAYS = 7;
const QUIET_DAYS = 3;
const TASK = /^\s*[-*+]\s+\[([ xX])\]\s+(.*)$/;
const DUE_PHRASE = /\s*\(?\b(?:due|by|until|before)\s*:?\s*\d{4}-\d{2}-\d{2}\)?,?/i;
const FILLERS = new Set([
  'and',
  'the',
  'for',
  'with',
  'from',
  'how',
  'not',
  'that',
  'this',
  'are',
  'was',
  'has',
  'have',
]);
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

/**
 * Open tasks of the newest daily notes with a date within a day. Agents copy their lists from
 * note to note and reword them, so what a later note says of the same task counts, done or not.
 */
function dueTasks({ workspace, local }: StageContext): Alert[] {
  const alerts: Alert[] = [];
  const known: Set<string>[] = [];
  for (const note of dailyNotes(workspace, local.date).slice(0, NOTES_READ)) {
    const here: Set<string>[] = [];
    const lines = noteLines(workspace, note);
    lines.forEach((line, index) => {
      const [, mark, task = ''] = TASK.exec(line) ?? [];
      if (mark === undefined) return;
      const words = wordsOf(task);
      here.push(words);
      const due = DUE.exec(task)?.[1];
      if (mark !== ' ' || due === undefined || known.some((other) => sameTask(other, words))) return;
      const inDays = Math.round((Date.parse(due) - Date.parse(local.date)) / DAY_MS);
      if (Number.isNaN(inDays) || inDays > 1 || inDays < -OVERDUE_DAYS) return;
      const when = inDays < 0 ? `overdue since ${due}` : inDays === 0 ? 'due today' : 'due tomorrow';
      const what = quotedFrom(lines, index + 1, index + 1, task.replace(DUE_PHRASE, ''), 100);
      alerts.push({
        text: `- Task ${when}: ${what} (${note.path}:${index + 1})`,
        inDays,
        why: `open task with the date ${due}`,
      });
    });
    known.push(...here);
  }
  return alerts;
}

/** Half the words of the shorter wording, and two at least. */
function sameTask(a: Set<string>, b: Set<string>): boolean {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared >= 2 && shared * 2 >= Math.min(a.size, b.size);
}

function wordsOf(task: string): Set<string> {
  const words =
    task
      .replace(DUE_PHRASE, '')
      .toLowerCase()
      .match(/[\p{L}\d]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !FILLERS.has(word)));
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
