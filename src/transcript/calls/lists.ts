import { isObject, type JsonObject, listAt, textAt } from '../../base/text/json.ts';
import { wordList } from '../../base/text/word-list.ts';

/** A task in a host's own list. */
export interface TaskItem {
  id?: string;
  text: string;
  status: 'open' | 'active' | 'done' | 'dropped';
}

/** A question put before the person, with the labels of its options. */
export interface QuestionAsked {
  question: string;
  options: string[];
}

export interface ListFacts {
  /** A whole list that the call sets. */
  tasks?: TaskItem[];
  /** One task that the call adds or changes. */
  task?: Partial<TaskItem>;
  /** A list that the host printed, with tasks ticked off by others. */
  listedTasks?: TaskItem[];
  plan?: string;
  planFile?: string;
  questions?: QuestionAsked[];
}

const MOST_TASKS = 60;
const MOST_QUESTIONS = 8;
/** The hosts' names for states of a task. */
const STATES: readonly (readonly [TaskItem['status'], readonly string[]])[] = [
  ['open', wordList('pending todo not_started open blocked')],
  ['active', wordList('in_progress inprogress active')],
  ['done', wordList('completed complete done')],
  ['dropped', wordList('cancelled canceled deleted skipped')],
];
/** `#6 [completed] Update the display` */
const LISTED = /^#(\w+) \[(\w+)\] (.+)$/gm;
const SAVED = /^Your plan has been saved to: (.{1,300})$/m;
const APPROVED = /^## Approved Plan[^\n]*:\s*\n([\s\S]*)/m;

/** Tasks, plans and questions of a call; the tasks only where the call worked. */
export function listFacts(tool: string, input: JsonObject, output: string, worked: boolean): ListFacts {
  const name = tool.toLowerCase().replace(/[_-]/g, '');
  if (name === 'exitplanmode') {
    const file = textAt(input, 'planFilePath') ?? SAVED.exec(output)?.[1];
    const plan = textAt(input, 'plan') ?? APPROVED.exec(output)?.[1]?.trim() ?? '';
    return { plan, ...(file !== undefined && { planFile: file }) };
  }
  if (['askuserquestion', 'askuser', 'requestuserinput'].includes(name))
    return { questions: questionsIn(input) };
  if (!worked) return {};
  if (['todowrite', 'writetodos', 'updateplan', 'progresscard'].includes(name))
    return { tasks: tasksIn(input) };
  if (name === 'tasklist') return { listedTasks: tasksPrinted(output) };
  const text = textAt(input, 'subject');
  // The host's answer has the number of a new task: "Task #3 created successfully: …".
  const id = name === 'taskcreate' ? /#(\w+)/.exec(output.slice(0, 200))?.[1] : textAt(input, 'taskId');
  const status = name === 'taskcreate' ? 'open' : stateOf(textAt(input, 'status'));
  if (!(name === 'taskcreate' && text !== undefined) && !(name === 'taskupdate' && id !== undefined))
    return {};
  const task: Partial<TaskItem> = {};
  if (id !== undefined) task.id = id;
  if (text !== undefined) task.text = text;
  if (status !== undefined) task.status = status;
  return { task };
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

function questionsIn(input: JsonObject): QuestionAsked[] {
  const labelOf = (option: unknown): string | undefined =>
    typeof option === 'string'
      ? option
      : isObject(option)
        ? (textAt(option, 'label') ?? textAt(option, 'value'))
        : undefined;
  return listAt(input, 'questions')
    .filter(isObject)
    .slice(0, MOST_QUESTIONS)
    .flatMap((one) => {
      const question = textAt(one, 'question');
      const options = listAt(one, 'options').flatMap((option) => labelOf(option) ?? []);
      return question === undefined ? [] : [{ question, options }];
    });
}
