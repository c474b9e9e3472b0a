import { isObject, type JsonObject, listAt, textAt } from '../../base/text/json.ts';
import { wordList } from '../../base/text/word-list.ts';

/** A task in a host's own list. */
export interface TaskItem {
  id?: string;
  text: string;
  status: 'open' | 'active' | 'done' | 'dropped';
}

export interface ListFacts {
  /** A whole list that the call sets. */
  tasks?: TaskItem[];
  /** Tasks that the call adds, changes or prints: another agent may have ticked them off. */
  changed?: Partial<TaskItem>[];
  /** Puts a plan before the person. */
  plan?: true;
}

const MOST_TASKS = 60;
/** The hosts' names for states of a task. */
const STATES: readonly (readonly [TaskItem['status'], readonly string[]])[] = [
  ['open', wordList('pending todo not_started open blocked')],
  ['active', wordList('in_progress inprogress active')],
  ['done', wordList('completed complete done')],
  ['dropped', wordList('cancelled canceled deleted skipped')],
];
/** `#6 [completed] Update the display` */
const LISTED = /^#(\w+) \[(\w+)\] (.+)$/gm;

/** Tasks and plans of a call; the tasks only where the call worked. */
export function listFacts(tool: string, input: JsonObject, output: string, worked: boolean): ListFacts {
  const name = tool.toLowerCase().replace(/[_-]/g, '');
  if (name === 'exitplanmode') return { plan: true };
  if (!worked) return {};
  if (['todowrite', 'writetodos', 'updateplan', 'progresscard'].includes(name))
    return { tasks: tasksIn(input) };
  if (name === 'tasklist') return { changed: tasksPrinted(output) };
  const text = textAt(input, 'subject');
  // The host's answer has the number of a new task: "Task #3 created successfully: …".
  if (name === 'taskcreate' && text !== undefined)
    return { changed: [{ id: /#(\w+)/.exec(output.slice(0, 200))?.[1], text, status: 'open' }] };
  const id = textAt(input, 'taskId');
  if (name !== 'taskupdate' || id === undefined) return {};
  const task: Partial<TaskItem> = { id };
  const status = stateOf(textAt(input, 'status'));
  if (text !== undefined) task.text = text;
  if (status !== undefined) task.status = status;
  return { changed: [task] };
}

const stateOf = (name: string | undefined): TaskItem['status'] | undefined =>
  STATES.find(([, names]) => names.includes(name ?? ''))?.[0];

function tasksIn(input: JsonObject): TaskItem[] {
  const items = ['todos', 'plan', 'steps'].flatMap((key) => listAt(input, key)).filter(isObject);
  return items.slice(0, MOST_TASKS).flatMap((item) => {
    const text = ['content', 'step', 'description', 'title'].map((key) => textAt(item, key)).find(Boolean);
    return text === undefined ? [] : [{ text, status: stateOf(textAt(item, 'status')) ?? 'open' }];
  });
}

function tasksPrinted(output: string): TaskItem[] {
  return [...output.matchAll(LISTED)].slice(0, MOST_TASKS).flatMap(([, id = '', state, text = '']) => {
    const status = stateOf(state);
    return status === undefined ? [] : [{ id, text, status }];
  });
}
