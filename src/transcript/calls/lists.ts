import { isObject, type JsonObject, listAt, textAt } from '../../text/json.ts';

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
  tasks?: TaskItem[];
  task?: Partial<TaskItem>;
  listedTasks?: TaskItem[];
  plan?: string;
  planFile?: string;
  questions?: QuestionAsked[];
}

const MOST_TASKS = 60;
const MOST_QUESTIONS = 8;
/** The hosts' names for states of a task. */
const STATES: Readonly<Record<string, TaskItem['status']>> = {
  pending: 'open',
  todo: 'open',
  not_started: 'open',
  open: 'open',
  blocked: 'open',
  in_progress: 'active',
  inprogress: 'active',
  active: 'active',
  completed: 'done',
  complete: 'done',
  done: 'done',
  cancelled: 'dropped',
  canceled: 'dropped',
  deleted: 'dropped',
  skipped: 'dropped',
};
const TEXT_KEYS = ['content', 'step', 'description', 'title'] as const;
/** `#6 [completed] Update the display`: the list as a host prints it, with tasks ticked off by others. */
const LISTED = /^#(\w+) \[(\w+)\] (.+)$/gm;
const SAVED = /^Your plan has been saved to: (.{1,300})$/m;
const APPROVED = /^## Approved Plan[^\n]*:\s*\n([\s\S]*)/m;

/** Tasks, plans and questions of a call; the lists only where the call worked. */
export function listFacts(tool: string, input: JsonObject, output: string, worked: boolean): ListFacts {
  switch (tool.toLowerCase().replace(/[_-]/g, '')) {
    case 'todowrite':
    case 'writetodos':
    case 'updateplan':
    case 'progresscard':
      return worked ? { tasks: tasksIn(input) } : {};
    case 'taskcreate': {
      const text = textAt(input, 'subject');
      if (!worked || text === undefined) return {};
      // The host's answer has the number of the new task: "Task #3 created successfully: …".
      const id = /#(\w+)/.exec(output.slice(0, 200))?.[1];
      return { task: { ...(id !== undefined && { id }), text, status: 'open' } };
    }
    case 'taskupdate': {
      const id = textAt(input, 'taskId');
      if (!worked || id === undefined) return {};
      const status = STATES[textAt(input, 'status') ?? ''];
      const text = textAt(input, 'subject');
      return { task: { id, ...(status !== undefined && { status }), ...(text !== undefined && { text }) } };
    }
    case 'tasklist':
      return worked ? { listedTasks: tasksPrinted(output) } : {};
    case 'exitplanmode': {
      const file = textAt(input, 'planFilePath') ?? SAVED.exec(output)?.[1];
      const plan = textAt(input, 'plan') ?? APPROVED.exec(output)?.[1]?.trim() ?? '';
      return { plan, ...(file !== undefined && { planFile: file }) };
    }
    case 'askuserquestion':
    case 'askuser':
    case 'requestuserinput':
      return { questions: questionsIn(input) };
    default:
      return {};
  }
}

function tasksIn(input: JsonObject): TaskItem[] {
  const items = ['todos', 'plan', 'steps'].flatMap((key) => listAt(input, key)).filter(isObject);
  return items.slice(0, MOST_TASKS).flatMap((item) => {
    const text = TEXT_KEYS.map((key) => textAt(item, key)).find((one) => one !== undefined);
    return text === undefined
      ? []
      : [{ text, status: STATES[textAt(item, 'status') ?? 'pending'] ?? 'open' }];
  });
}

function tasksPrinted(output: string): TaskItem[] {
  return [...output.matchAll(LISTED)].slice(0, MOST_TASKS).flatMap(([, id = '', state = '', text = '']) => {
    const status = STATES[state];
    return status === undefined ? [] : [{ id, text, status }];
  });
}

function questionsIn(input: JsonObject): QuestionAsked[] {
  return listAt(input, 'questions')
    .filter(isObject)
    .slice(0, MOST_QUESTIONS)
    .flatMap((one) => {
      const question = textAt(one, 'question');
      if (question === undefined) return [];
      const options = listAt(one, 'options').flatMap((option) =>
        typeof option === 'string'
          ? option
          : isObject(option)
            ? (textAt(option, 'label') ?? textAt(option, 'value') ?? [])
            : [],
      );
      return [{ question, options }];
    });
}
