import { isAbsolute, normalize, posix, relative, resolve } from 'node:path';
import { isObject, type JsonObject, listAt, membersOf, numberAt, parsed, textAt } from '../text/json.ts';
import { wordList } from '../text/word-list.ts';
import type { Call } from '../transcript/event.ts';
import { type ShellSegment, segmentsOf, shellWords } from './shell.ts';

/** The effect of a call on a file. */
export interface FileUse {
  /** Relative to the workspace if it is inside; else absolute. */
  path: string;
  how: 'read' | 'edit' | 'remove';
  /** Lines that were read or changed, if the call says so. */
  lines?: string;
}

/** A task in a host's own list. */
export interface TaskItem {
  id?: string;
  text: string;
  status: 'open' | 'active' | 'done' | 'dropped';
}

/** Placeholder for the tool of a call that was not read, or that the host does not name. */
export const UNKNOWN_TOOL = 'tool';

/** A tool call in a form common to all hosts. */
export interface KnownCall {
  id: string;
  tool: string;
  at: number;
  time?: string;
  files: FileUse[];
  /** The command line, if a shell runs one. */
  command?: string;
  /** The whole list of tasks that the call sets. */
  tasks?: TaskItem[];
  /** One task that the call adds or changes. */
  task?: Partial<TaskItem>;
  /** A plan put before the person. */
  plan?: string;
  /** Questions put before the person. */
  questions?: string[];
}

const SHELLS =
  /^(?:bash|shell|exec|exec_command|shell_command|local_shell|run_shell_command|run_terminal_cmd|container\.exec)$/i;
const READS = /^(?:read|read_file|readfile|view|open|notebookread|read_many_files|view_image)$/i;
const EDITS =
  /^(?:edit|multiedit|write|write_file|writefile|notebookedit|replace|str_replace|str_replace_based_edit_tool|create_file|edit_file)$/i;
const PATH_KEYS = wordList('file_path filePath path absolute_path notebook_path target_file filename');
const PATCHED = /^\*\*\* (Add|Update|Delete) File: (.{1,400})$/gm;
/** Programs that print the files in their arguments. */
const SHOWS = /^(?:cat|head|tail|less|more|bat|nl|wc)$/;
/** Programs whose redirected output is a file that somebody writes; of others it is a log. */
const WRITES = /^(?:cat|echo|printf)$/;
const LONGEST_COMMAND = 2000;
const MOST_TASKS = 60;

/** Reads a call of any host. @param root the workspace; paths inside become relative to it */
export function knownCall(event: Call, root: string, cwd: string | undefined): KnownCall {
  const { tool, input } = unwrapped(event.tool ?? UNKNOWN_TOOL, inputOf(event.input));
  const call: KnownCall = { id: event.id, tool, at: event.at, files: [] };
  if (event.timestamp !== undefined) call.time = event.timestamp;
  const command = SHELLS.test(tool) ? commandOf(input) : undefined;
  const patch = patchOf(event.input, input, command);
  const base =
    textAt(input, 'workdir') ?? textAt(input, 'directory') ?? textAt(input, 'dir_path') ?? cwd ?? root;
  const place = (path: string): string => placed(path, root, resolve(root, base));
  if (patch !== undefined) {
    for (const [, how, path] of patch.matchAll(PATCHED))
      call.files.push({ path: place((path ?? '').trim()), how: how === 'Delete' ? 'remove' : 'edit' });
  } else if (command !== undefined) {
    call.command = command.slice(0, LONGEST_COMMAND);
    call.files.push(...filesInCommand(segmentsOf(call.command), place));
  } else if (READS.test(tool) || EDITS.test(tool)) {
    const how = EDITS.test(tool) ? 'edit' : 'read';
    for (const path of pathsOf(input)) {
      const lines = linesOf(input);
      call.files.push({ path: place(path), how, ...(lines !== undefined && { lines }) });
    }
  } else readList(call, tool, input);
  return call;
}

/** OpenClaw calls unlisted tools through another one: `tool_call {id: "openclaw:core:exec", args}`. */
function unwrapped(tool: string, input: JsonObject): { tool: string; input: JsonObject } {
  const id = tool === 'tool_call' ? textAt(input, 'id') : undefined;
  return id === undefined
    ? { tool, input }
    : { tool: id.slice(id.lastIndexOf(':') + 1), input: membersOf(input.args) };
}

function inputOf(input: JsonObject | string): JsonObject {
  return typeof input === 'string' ? membersOf(parsed(input)) : input;
}

function commandOf(input: JsonObject): string | undefined {
  const given = input.command ?? input.cmd ?? input.script;
  if (typeof given === 'string') return given.trim();
  if (!Array.isArray(given)) return undefined;
  const words = given.filter((word): word is string => typeof word === 'string');
  // `["bash", "-lc", "npm test"]`: the shell's command.
  const script =
    /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
  return (script ?? words.join(' ')).trim();
}

function patchOf(
  raw: JsonObject | string,
  input: JsonObject,
  command: string | undefined,
): string | undefined {
  const texts = [
    textAt(input, 'input'),
    textAt(input, 'patch'),
    command,
    // Last, because JSON may also contain a patch, with escaped newlines.
    typeof raw === 'string' ? raw : undefined,
  ];
  return texts.find((text) => text?.includes('*** Begin Patch') === true);
}

function pathsOf(input: JsonObject): string[] {
  const one = PATH_KEYS.map((key) => textAt(input, key)).find((path) => path !== undefined);
  if (one !== undefined) return [one];
  return [...listAt(input, 'paths'), ...listAt(input, 'include')].filter(
    (path): path is string => typeof path === 'string' && !path.includes('*'),
  );
}

function linesOf(input: JsonObject): string | undefined {
  const from = numberAt(input, 'offset') ?? numberAt(input, 'start_line');
  if (from === undefined || from < 1) return undefined;
  const count = numberAt(input, 'limit');
  const to = numberAt(input, 'end_line') ?? (count === undefined ? undefined : from + count - 1);
  return to === undefined ? `${from}-` : `${from}-${to}`;
}

/** A path for display: with forward slashes, relative to the workspace if it is inside. */
function placed(path: string, root: string, base: string): string {
  const plain = path.replace(/^file:\/\//, '').replace(/\\/g, '/');
  const full = isAbsolute(plain) || /^(?:~|[A-Za-z]:)\//.test(plain) ? plain : resolve(base, plain);
  if (full.startsWith('~')) return full;
  const inside = relative(root, full).replace(/\\/g, '/');
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
    ? posix.normalize(inside)
    : normalize(full);
}

function filesInCommand(segments: readonly ShellSegment[], place: (path: string) => string): FileUse[] {
  const files: FileUse[] = [];
  for (const { words, cd, writes, into } of segments) {
    const here = (path: string): string =>
      place(cd === undefined || isAbsolute(path) ? path : posix.join(cd, path));
    const program = words[0] ?? '';
    const named = words.slice(1).filter((word) => isFileName(word));
    const add = (how: FileUse['how'], paths: readonly (string | undefined)[]): void => {
      for (const path of paths)
        if (path !== undefined && isFileName(path)) files.push({ path: here(path), how });
    };
    for (const stage of into) if (stage.startsWith('tee ')) add('edit', shellWords(stage).slice(1));
    if (WRITES.test(program) && writes.length > 0) add('edit', writes);
    else if (program === 'tee') add('edit', named);
    else if (program === 'mv' || (program === 'git' && words[1] === 'mv')) {
      if (named.length !== 2) continue;
      add('remove', named.slice(0, 1));
      add('edit', named.slice(1));
    } else if (program === 'cp') add('edit', named.length === 2 ? named.slice(1) : []);
    else if (program === 'perl' && words.some((word) => /^-\w*i/.test(word))) add('edit', named.slice(-1));
    else if (SHOWS.test(program)) add('read', named);
    else if (program === 'sed') {
      add(words.some((word) => /^-i/.test(word)) ? 'edit' : 'read', named.slice(-1));
    } else if (program === 'rm' || (program === 'git' && words[1] === 'rm')) add('remove', named);
  }
  return files;
}

function isFileName(word: string): boolean {
  return (
    !word.startsWith('-') &&
    !/[*?{}$()<>|;,"']|^\d/.test(word) &&
    /(?:^|\/)[\w.@+-]*\.[A-Za-z]\w{0,9}$|(?:^|\/)[A-Z]\w+file$/.test(word)
  );
}

/** The hosts' names for states of a task. */
export const TASK_STATES: Record<string, TaskItem['status']> = {
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

/** Lists of tasks, plans and questions. */
function readList(call: KnownCall, tool: string, input: JsonObject): void {
  const name = tool.toLowerCase().replace(/[_-]/g, '');
  if (/^(?:todowrite|writetodos|updateplan|progresscard)$/.test(name)) {
    const items = [...listAt(input, 'todos'), ...listAt(input, 'plan'), ...listAt(input, 'steps')].filter(
      isObject,
    );
    call.tasks = items.slice(0, MOST_TASKS).flatMap((item) => {
      const text =
        textAt(item, 'content') ??
        textAt(item, 'step') ??
        textAt(item, 'description') ??
        textAt(item, 'title');
      return text === undefined
        ? []
        : [{ text, status: TASK_STATES[textAt(item, 'status') ?? 'pending'] ?? 'open' }];
    });
  } else if (name === 'taskcreate') {
    const text = textAt(input, 'subject');
    if (text !== undefined) call.task = { text, status: 'open' };
  } else if (name === 'taskupdate') {
    const id = textAt(input, 'taskId');
    const status = TASK_STATES[textAt(input, 'status') ?? ''];
    const text = textAt(input, 'subject');
    if (id !== undefined)
      call.task = { id, ...(status !== undefined && { status }), ...(text !== undefined && { text }) };
  } else if (name === 'exitplanmode') {
    call.plan = textAt(input, 'plan') ?? '';
  } else if (name === 'askuserquestion' || name === 'askuser' || name === 'requestuserinput') {
    call.questions = listAt(input, 'questions')
      .filter(isObject)
      .flatMap((one) => textAt(one, 'question') ?? []);
  }
}
