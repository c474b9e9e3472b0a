import { TASK_STATES, type TaskItem } from '../calls.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Tasks {
  list: (TaskItem & Mark)[];
  /** The tool that wrote the list. */
  tool?: string;
  /** When the list was last written, in turns of the person and in calls. */
  turn: number;
  calls: number;
}

const MOST_TASKS = 60;
/** A list untouched for this long is considered abandoned. */
const TURNS = 8;
const CALLS = 50;

/** The open tasks of the host's own list, in its order. */
export const openTasks: Extractor<Tasks> = {
  kind: 'task',
  initial: () => ({ list: [], turn: 0, calls: 0 }),
  observe(step, state, course) {
    if (step.type === 'agent') tickOff(state, step.text);
    if (step.type !== 'done' || step.outcome === 'failed' || step.outcome === 'rejected') return;
    const { tasks, task, tool } = step.call;
    if (/^task_?list$/i.test(tool)) listed(state, step.output, placeOf(step));
    if (tasks === undefined && task === undefined) return;
    state.turn = course.turn;
    state.calls = course.calls;
    if (tasks !== undefined) {
      state.list = tasks.map((item) => ({ ...item, text: keep(item.text), ...placeOf(step) }));
      state.tool = tool;
    } else if (task !== undefined) {
      state.tool = tool;
      change(state, task, step.output, placeOf(step));
    }
    state.list = state.list.slice(-MOST_TASKS);
  },
  facts: ({ list, tool, turn, calls }, course) =>
    list
      .filter(({ status }) => status === 'open' || status === 'active')
      .map((task) => ({
        key: task.id ?? task.text,
        text: `${task.status === 'active' ? 'in progress: ' : ''}${task.text}`,
        why: `last state of the list kept with ${tool ?? 'a tool'}`,
        open: course.turn - turn <= TURNS && course.calls - calls <= CALLS,
        ...markOf(task),
      })),
};

/** `#6 [completed] Update the display`: the list as printed by the host, including tasks ticked off by others. */
const LISTED = /^#(\w+) \[(\w+)\] (.+)$/gm;

function listed(state: Tasks, output: string, mark: Mark): void {
  for (const [, id = '', status = '', text = ''] of output.matchAll(LISTED)) {
    const known = state.list.find((task) => task.id === id);
    const now = TASK_STATES[status];
    if (known !== undefined && now !== undefined) known.status = now;
    else if (known === undefined && now !== undefined)
      state.list.push({ id, text: keep(text), status: now, ...mark });
  }
  state.list = state.list.slice(-MOST_TASKS);
}

/** Tasks that the agent reports as done without ticking them off: "Task 1 is complete". */
const SAID_DONE = /(?:^|[.!*—–-]\s*)task #?(\d+)(?: is)?(?: now)? (?:complete|completed|done|finished)\b/gim;

function tickOff(state: Tasks, text: string): void {
  for (const [, number = ''] of text.matchAll(SAID_DONE)) {
    const named = state.list.filter((task) => new RegExp(`^task #?${number}\\b`, 'i').test(task.text));
    for (const task of named.length > 0 ? named : state.list.filter(({ id }) => id === number))
      task.status = 'done';
  }
}

function change(state: Tasks, task: Partial<TaskItem>, output: string, mark: Mark): void {
  if (task.id === undefined) {
    if (task.text === undefined) return;
    // The host's answer contains the number of a new task: "Task #3 created successfully: …".
    const id = /#(\w+)/.exec(output.slice(0, 200))?.[1];
    // When all tasks of a list are done it is closed, and numbering restarts.
    if (state.list.every(({ status }) => status === 'done' || status === 'dropped')) state.list = [];
    state.list = state.list.filter((known) => id === undefined || known.id !== id);
    state.list.push({ text: keep(task.text), status: 'open', ...mark, ...(id !== undefined && { id }) });
    return;
  }
  const known = state.list.find(({ id }) => id === task.id);
  if (known === undefined) return;
  if (task.text !== undefined) known.text = keep(task.text);
  if (task.status !== undefined) known.status = task.status;
  Object.assign(known, mark);
}
