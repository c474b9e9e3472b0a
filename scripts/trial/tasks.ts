import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';

/** What the person says, and when: after a number of calls, or at the end of the turn if that is earlier. */
export interface Message {
  text: string;
  after?: number;
}

export interface Task {
  name: string;
  kind: string;
  folder: string;
  first: Message[];
  second: Message[];
  /** Said once if the agent asks or changes nothing; null: never. */
  again: string | null;
  /** The branch that the first session works on. */
  branch?: string;
  /** What the person does between the sessions, as shell commands. */
  between?: string;
  /** What lies between the sessions, if it is not a new session. */
  restart?: 'compaction';
  /** For trials by hand: what the agent of the first session does, the same for all arms; ends where it is cut off. */
  recorded: Step[];
}

/**
 * One call, or what comes to the agent: `person` is the person's next message in the middle of a turn, `summary` a
 * compaction. `notes` is added to the NOTES.md of an agent that is asked to keep one.
 */
export type Step = Partial<Record<'bash' | 'read' | 'notes' | 'say' | 'person' | 'summary', string>> & {
  write?: { path: string; content: string };
  edit?: { path: string; old: string; new: string };
};

export const TASKS = join(import.meta.dirname, 'tasks');
const AGAIN = 'I said all that in the last session. Please decide yourself and finish it.';

/** @throws Error that names the tasks there are */
export function loadTasks(only?: readonly string[], folder = TASKS): Task[] {
  const names = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'task.json')))
    .sort();
  for (const name of only ?? []) {
    if (!names.includes(name)) throw new Error(`There is no task ${name}. There are: ${names.join(', ')}`);
  }
  return (only ?? names).map((name) => {
    const said = JSON.parse(readFileSync(join(folder, name, 'task.json'), 'utf8')) as Partial<Task>;
    const recorded = parse(readFileSync(join(folder, name, 'first.yaml'), 'utf8')) as Step[];
    return { again: AGAIN, ...said, recorded, name, folder: join(folder, name) } as Task;
  });
}

/** Everything that a task is made of, in one number. */
export function digest(folder: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = names
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => !path.includes('__pycache__'));
  for (const path of paths.sort()) {
    hash
      .update(`${relative(folder, path)}\n`)
      .update(readFileSync(path))
      .update('\n');
  }
  return hash.digest('hex').slice(0, 16);
}

interface Frozen {
  version: number;
  digests: Record<string, string>;
}

export const frozen = (folder = TASKS): Frozen | undefined => {
  const path = join(folder, 'frozen.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Frozen) : undefined;
};

/** The digests as they are now: of each task, and of what their checks share. */
export const digests = (folder = TASKS): Record<string, string> => ({
  ...Object.fromEntries(loadTasks(undefined, folder).map((task) => [task.name, digest(task.folder)])),
  'lib.mjs': createHash('sha256')
    .update(readFileSync(join(folder, 'lib.mjs')))
    .digest('hex')
    .slice(0, 16),
});

/** "version 1", or what is not as it was frozen. */
export function tasksAre(folder = TASKS): string {
  const was = frozen(folder);
  if (was === undefined) return 'tasks of your own';
  const now = digests(folder);
  const changed = Object.keys({ ...was.digests, ...now }).filter((name) => was.digests[name] !== now[name]);
  return changed.length === 0
    ? `version ${was.version}`
    : `version ${was.version}, CHANGED: ${changed.join(', ')}`;
}
