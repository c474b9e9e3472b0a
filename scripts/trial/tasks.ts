import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';

export interface Task {
  name: string;
  kind: string;
  folder: string;
  first: { text: string }[];
  second: { text: string }[];
  /** Said once if the agent asks or changes nothing; null: never. */
  again: string | null;
  /** The branch that the first session works on. */
  branch?: string;
  /** What the person does between the sessions, as shell commands. */
  between?: string;
  /** What lies between the sessions, if it is not a new session. */
  restart?: 'compaction';
  /** Facts that the first session has to find, as patterns: then an agent plays it, too, until its first change. */
  findings?: Record<string, string>;
  /** What the agent of the first session does, the same for all arms; ends where it is cut off. */
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

/** What the second session is given of the first one. */
export interface Arm {
  name: string;
  about: string;
  /** Written into CLAUDE.md before the first session. */
  instructions?: string;
  /** The scratchpad is installed before the first session. */
  install?: boolean;
  /** What it keeps in the project: changes of these are no edits. */
  notes: string[];
}

export const ARMS: Arm[] = [
  { name: 'nothing', about: 'a new session that is told nothing', notes: [] },
  {
    name: 'paragraph',
    about: 'a paragraph in CLAUDE.md that asks for NOTES.md',
    instructions:
      'Keep your progress in NOTES.md: what the person asked for, what is decided, what is done and what comes next. Update it as you go, and read it first when a session begins.',
    notes: ['NOTES.md'],
  },
  {
    name: 'ours',
    about: 'the scratchpad, installed for the host',
    install: true,
    notes: ['SCRATCHPAD.md', '.scratchpad/'],
  },
];

/** @throws Error that names those there are */
export function readArm(name: string): Arm {
  const arm = ARMS.find((one) => one.name === name);
  if (arm) return arm;
  throw new Error(`There is no arm ${name}. There are: ${ARMS.map((one) => one.name).join(', ')}`);
}

export const TASKS = join(import.meta.dirname, 'tasks');
const AGAIN = 'I said all that in the last session. Please decide yourself and finish it.';

export function loadTasks(folder = TASKS): Task[] {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'task.json')));
  return names.sort().map((name) => {
    const said = JSON.parse(readFileSync(join(folder, name, 'task.json'), 'utf8')) as Partial<Task>;
    const recorded = parse(readFileSync(join(folder, name, 'first.yaml'), 'utf8')) as Step[];
    return { again: AGAIN, ...said, recorded, name, folder: join(folder, name) } as Task;
  });
}

/** Everything that a task is made of, in one number. */
function digest(folder: string): string {
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

export const readFrozen = (folder = TASKS): Frozen | undefined => {
  const path = join(folder, 'frozen.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Frozen) : undefined;
};

/** The digests as they are now: of each task, and of what their checks share. */
export const digestTasks = (folder = TASKS): Record<string, string> => ({
  ...Object.fromEntries(loadTasks(folder).map((task) => [task.name, digest(task.folder)])),
  'lib.mjs': createHash('sha256')
    .update(readFileSync(join(folder, 'lib.mjs')))
    .digest('hex')
    .slice(0, 16),
});

/** "version 1", or what is not as it was frozen. */
export function assertTasks(folder = TASKS): string {
  const was = readFrozen(folder);
  if (was === undefined) return 'tasks of your own';
  const now = digestTasks(folder);
  const changed = Object.keys({ ...was.digests, ...now }).filter((name) => was.digests[name] !== now[name]);
  return changed.length === 0
    ? `version ${was.version}`
    : `version ${was.version}, CHANGED: ${changed.join(', ')}`;
}
