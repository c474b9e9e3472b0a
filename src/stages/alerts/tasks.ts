import { tryList } from '../../base/fs/index.ts';
import { momentOf } from '../clock.ts';
import { quotedFrom } from '../quote.ts';
import type { StageContext } from '../stage.ts';
import { type Alert, type DatedTask, sameSubject, subjectWords, type TaskBook } from './alert.ts';
import { daysBetween, dueOf } from './due.ts';

const NOTES_READ = 14;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A task this long overdue was dropped, not forgotten. */
const OVERDUE_DAYS = 7;
const TASK = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(.*)$/;
const LISTS = new Set(['todo.md', 'task.md', 'tasks.md', 'memory.md']);
const TASK_CHARACTERS = 100;
/** Limits for a list and its lines, because each task is compared with those of newer lists. */
const MOST_TASKS = 1000;
const LONGEST_TASK = 500;

interface List {
  /** Its place for the reader. */
  name: string;
  /** Date of a daily note. */
  written?: string;
  lines: readonly string[];
}

/**
 * The tasks of the plan, the notes, lists such as TODO.md, and the newest daily notes. Agents copy their lists from
 * note to note and reword them, so the newest version of a task counts, done or not.
 */
export function readTasks(context: StageContext): TaskBook {
  const dated: DatedTask[] = [];
  const superseded = new Set<string>();
  const known: Set<string>[] = [];
  for (const list of lists(context)) {
    const here: Set<string>[] = [];
    list.lines.forEach((line, index) => {
      const [, mark, whole = ''] = (line.includes('[') && TASK.exec(line)) || [];
      if (mark === undefined || here.length >= MOST_TASKS) return;
      const text = whole.slice(0, LONGEST_TASK);
      const due = dueOf(text, list.written, context.local.date);
      const words = subjectWords(due?.task ?? text);
      here.push(words);
      const place = `${list.name}:${index + 1}`;
      const again = known.some((other) => sameSubject(other, words));
      if (again) superseded.add(place);
      if (mark !== ' ' || due === undefined || again) return;
      const inDays = daysBetween(context.local.date, due.date);
      if (inDays > 1 || inDays < -OVERDUE_DAYS) return;
      const what = quotedFrom(list.lines, index + 1, index + 1, due.task, TASK_CHARACTERS);
      dated.push({ what, place, inDays, alert: alertOf(context, what, due, inDays, place) });
    });
    known.push(...here);
  }
  dated.sort((a, b) => a.alert.inHours - b.alert.inHours);
  return { dated, superseded };
}

function alertOf(
  { now, clock }: StageContext,
  what: string,
  { date, time }: { date: string; time?: string },
  inDays: number,
  place: string,
): Alert {
  const at = time === undefined ? undefined : momentOf(`${date}T${time}:00`, clock);
  const past = inDays < 0 || (at !== undefined && at < now);
  const day = inDays === 0 ? 'today' : inDays === 1 ? 'tomorrow' : date;
  const when = `${past ? 'overdue since' : 'due'} ${day}${time === undefined ? '' : ` ${time}`}`;
  // A date without a time is less urgent than one with a time; an overdue task is slightly more urgent.
  const soon = at === undefined ? (inDays === 1 ? 24 : 3) : Math.max(0, (at - now) / HOUR_MS);
  return {
    subject: what,
    text: `- Task ${when}: ${what} (${place})`,
    inHours: past ? 2.5 : soon,
    why: `open task with the date ${date}${time === undefined ? '' : ` ${time}`}`,
    due: `task:${place}:${when}`,
    everyMs: DAY_MS,
    ofSpaces: /^(?:plan|notes):/.test(place),
  };
}

/** The newest first. */
function lists({ workspace, spaces, notes, linesOf }: StageContext): List[] {
  const names = tryList(workspace).filter((name) => LISTS.has(name.toLowerCase()));
  return [
    { name: 'plan', lines: spaces.plan.split('\n') },
    { name: 'notes', lines: spaces.notes.split('\n') },
    ...names.sort().map((name) => ({ name, lines: linesOf(name) })),
    ...notes
      .slice(0, NOTES_READ)
      .map(({ path, date }) => ({ name: path, written: date, lines: linesOf(path) })),
  ];
}
