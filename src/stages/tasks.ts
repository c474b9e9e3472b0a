import { join } from 'node:path';
import { keepForProcess, tryList, tryStat } from '../base/fs/index.ts';
import { DAY_MS, HOUR_MS } from '../base/text/durations.ts';
import { foldProse } from '../base/text/prose.ts';
import { dateOfHit } from '../memory/dates.ts';
import { findRows } from '../pad/plan-table.ts';
import { parseStepParts, type StepParts } from '../pad/step-parts.ts';
import { parseLine, parseSteps } from '../pad/steps.ts';
import type { Revision } from '../session/journal.ts';
import { toMoment } from './clock.ts';
import { type Due, daysBetween, mayBeRelative, parseDue } from './due.ts';
import { quoteForeignText, quotePassage } from './quote.ts';
import type { Alert, DatedTask, StageContext, TaskBook } from './stage.ts';

const MARKS = /[\s*_`~"'“”.,;:!?()[\]–—]+/g;
/** The same words in the same order are the same task: a number or a name makes another one. */
const foldSubject = (text: string): string => foldProse(text).normalize().replace(MARKS, ' ').trim();

/** Most urgent first, each subject once; among equals the first one. */
export function sortByUrgency(alerts: readonly Alert[]): Alert[] {
  const shown = new Set<string>();
  return alerts
    .toSorted((a, b) => a.inHours - b.inHours)
    .filter(({ subject }) => {
      const count = shown.size;
      // What was cut off may differ.
      return subject.endsWith('…') || shown.add(foldSubject(subject)).size > count;
    });
}

const OVERDUE_DAYS = 7;
export const TASK_FILE = /^(?:todo|tasks?)\.md$/i;
const LATE_HOURS = 23.9;
const TASK_CHARACTERS = 100;
const MOST_TASKS = 1000;
const LONGEST_TASK = 500;
const STRUCK = /~~[^~]+~~|<(del|s|strike)>.*?<\/\1>/gi;

interface List {
  name: string;
  lines: readonly string[];
  isTasks?: boolean;
}

/** Agents copy their lists from note to note: the newest copy of a task counts, done or not. */
export async function readTasks(context: StageContext): Promise<TaskBook> {
  const { date } = context.local;
  const { plan, notes } = context.spaces;
  const history = mayBeRelative(`${plan}\n${notes}`) ? await context.openHistory?.() : undefined;
  const dated: DatedTask[] = [];
  const superseded = new Set<string>();
  const newer = new Set<string>();
  const lists = readTaskLists(context);
  // An empty file has one empty line.
  const unreadable = context.isForeign ? [] : lists.filter(({ lines }) => lines.length === 0);

  for (const list of lists) {
    const here: string[] = [];
    list.lines.forEach((line, index) => {
      const parts = here.length < MOST_TASKS ? parseTask(line, list) : undefined;
      if (parts === undefined) return;

      const text = parts.text.slice(0, LONGEST_TASK);
      const open = text.replace(STRUCK, '');
      const writtenOn = (): string => findWritingDay(context, list, index, text, history);
      const due =
        parseDue(open, date, writtenOn) ?? parseDueBelow(open, list.lines[index + 1], date, writtenOn);
      const subject = foldSubject(due?.task || text);

      here.push(subject);
      const place = `${list.name}:${index + 1}`;
      const again = newer.has(subject);

      if (again) superseded.add(place);
      // `- [ ] Deadline: Friday` has no other words.
      const task = due?.task || (parts.box === '' ? '' : open.trim());
      if (parts.done || !due || task === '' || again) return;

      const inDays = daysBetween(date, due.date);
      if (inDays > 1 || inDays < -OVERDUE_DAYS) return;

      const what = quotePassage(list.lines, index + 1, index + 1, task, TASK_CHARACTERS);
      dated.push({ what, place, inDays, alert: makeTaskAlert(context, what, due, inDays, place) });
    });
    for (const subject of here) newer.add(subject);
  }

  // What is of today cannot wait; of the tasks that are late already, the first stands for all.
  for (const { alert } of dated.filter(({ inDays }) => inDays < 0).slice(1)) alert.inHours = LATE_HOURS;
  dated.sort((a, b) => a.alert.inHours - b.alert.inHours);

  return { dated, superseded, problems: unreadable.map(({ name }) => `${name}: not a readable text file`) };
}

/** The date of a task on a line of its own: `DEADLINE: <2026-02-09>`, `- due: 9 February`. */
function parseDueBelow(task: string, below = '', ...days: [string, () => string]): Due | undefined {
  const due = /^\s+\S/.test(below) ? parseDue(`- ${parseLine(below).text}`, ...days) : undefined;
  return due?.task === '' ? { ...due, task } : undefined;
}

/** A list item with a checkbox, or any in a list of tasks; a box with another sign is of neither kind. */
function parseTask(line: string, { isTasks = false }: List): StepParts | undefined {
  const { marker, text } = parseLine(line);
  if (marker === '' || marker.startsWith('#')) return undefined;

  const parts = parseStepParts(text.replace(/^\**TODO\b[\s*:]*/, ''));
  if (parts.box === '' && parts.tail !== text) return parts;
  if (parts.box === '') return isTasks && !text.startsWith('[') ? parts : undefined;
  return parts.done || /^\W\s*\W\s*$/.test(parts.box) ? parts : undefined;
}

/** The day on which a task was written: of the note, of the pad's oldest revision that has it, or of the file. */
function findWritingDay(
  { workspace, local, clock }: StageContext,
  list: List,
  index: number,
  text: string,
  history: readonly Revision[] = [],
): string {
  const { name, lines } = list;
  const headings = lines.slice(0, index).filter((line) => line.startsWith('#'));
  const named = dateOfHit({ path: name, headings });
  if (named !== undefined) return named;

  const later = history.filter(({ space }) => space === name);
  const hasTask = ({ content }: Revision): boolean =>
    content.includes(text) &&
    (name === 'plan' ? stepLines(content) : content.split('\n')).some(
      (line) => parseTask(line, list)?.text.slice(0, LONGEST_TASK) === text,
    );
  const first = later[later.findLastIndex((revision) => !hasTask(revision)) + 1]?.timestamp;
  const saved = tryStat(join(workspace, name))?.mtimeMs;
  const at = first === undefined ? saved : Date.parse(first);

  return at === undefined ? local.date : clock(at).date;
}

function makeTaskAlert(
  { now, clock }: StageContext,
  what: string,
  { date, time }: { date: string; time?: string },
  inDays: number,
  place: string,
): Alert {
  const at = time === undefined ? undefined : toMoment(Date.parse(`${date}T${time}Z`), clock);
  const past = inDays < 0 || (at !== undefined && at < now);
  const day = ['today', 'tomorrow'][inDays] ?? date;
  const when = `${past ? 'overdue since' : 'due'} ${day}${time === undefined ? '' : ` ${time}`}`;
  // A date without a time is less urgent than one with a time; an overdue task is slightly more urgent.
  const untimed = inDays === 1 ? 24 : 3;
  const soon = at === undefined ? untimed : Math.max(0, (at - now) / HOUR_MS);

  return {
    subject: what,
    text: `- Task ${when}: ${shortenTask(what)} (${place})`,
    inHours: past ? 2.5 : soon,
    why: `open task with the date ${date}${time === undefined ? '' : ` ${time}`}`,
    key: `task:${place}:${when}`,
    ...(inDays === 0 && { today: `${time === undefined ? '' : `${time} `}${what}` }),
    everyMs: DAY_MS,
    ofSpaces: /^(?:plan|notes):/.test(place),
  };
}

const SHORT_CHARACTERS = 40;

/** A long task up to its first comma or bracket: its place says where the rest is. */
export function shortenTask(what: string): string {
  if (what.length <= SHORT_CHARACTERS) return what;
  return quoteForeignText(/^.{12,}?(?=[,;:(]\s|\s[–—(-])/u.exec(what)?.[0] ?? what, SHORT_CHARACTERS);
}

/** The plan with each step as a task, whatever marks it: with a number alone it is one, too. */
function stepLines(plan: string): string[] {
  const lines = plan.split('\n');
  for (const { line, text, done } of parseSteps(plan)) lines[line] = `- [${done ? 'x' : ' '}] ${text}`;
  return lines;
}

/** A list of tasks with the rows of its tables as tasks, each with its date: `2026-02-09` below `Due`. */
function rowLines(lines: readonly string[], today: string): string[] {
  const all = [...lines];
  for (const [at, { cells, heads, column, done }] of findRows(lines)) {
    const dates = cells.map((cell, k) => `- ${heads[k]?.trim()}: ${cell.trim()}`);
    const due = dates.find((each) => parseDue(each, today)?.task === '');
    if (cells.length > 0) all[at] = `- [${done ? 'x' : ' '}] ${cells[column]?.trim()} ${due?.slice(2) ?? ''}`;
  }

  return all;
}

function readTaskLists({ workspace, spaces, local, linesOf }: StageContext): List[] {
  const names = tryList(workspace).filter((name) => TASK_FILE.test(name) || /^memory\.md$/i.test(name));
  return [
    { name: 'plan', lines: stepLines(spaces.plan) },
    { name: 'notes', lines: spaces.notes.split('\n') },
    ...names
      .sort()
      .map((name) => ({ name, lines: linesOf(name), isTasks: TASK_FILE.test(name) }))
      .map((list) => (list.isTasks ? { ...list, lines: rowLines(list.lines, local.date) } : list)),
    ...listDailyNotes(workspace, local.date).map((name) => ({ name, lines: linesOf(name) })),
  ];
}

const DAYS = 100;
const NOTES_READ = 14;

const listed = keepForProcess(new Map<string, { mark: string; names: string[] }>());
/** A folder that has just changed may change again within one tick of its clock. */
const SETTLED_MS = 1000;

/** The newest notes `memory/YYYY-MM-DD.md` of the days up to and including a date, newest first. */
export function listDailyNotes(workspace: string, until: string): string[] {
  const { mtimeMs = 0, ino } = tryStat(join(workspace, 'memory')) ?? {};
  const mark = `${until} ${ino} ${mtimeMs}`;
  const before = listed.get(workspace);
  if (before?.mark === mark) return before.names;

  const last = Date.parse(until);
  // Looked up by name: a folder may hold a hundred thousand files.
  const names = Array.from({ length: DAYS }, (_, ago) =>
    new Date(last - ago * DAY_MS).toISOString().slice(0, 10),
  )
    .map((date) => `memory/${date}.md`)
    .filter((path) => tryStat(join(workspace, path)) !== undefined)
    .slice(0, NOTES_READ);
  if (Date.now() - mtimeMs > SETTLED_MS) listed.set(workspace, { mark, names });
  return names;
}
