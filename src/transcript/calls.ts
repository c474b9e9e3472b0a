import { isAbsolute, normalize, posix, relative, resolve } from 'node:path';
import COMMANDS from '../../models/words/changing-commands.json' with { type: 'json' };
import { getList, getString, isObject, type JsonObject, parseJson, toMembers } from '../base/text/json.ts';
import { makeWordSet, splitWordList } from '../base/text/strings.ts';
import type { Call, Result } from './event.ts';

export interface TaskItem {
  id?: string;
  text: string;
  status: 'open' | 'active' | 'done' | 'dropped';
}

/** The effects of one tool call that are reported later. Secrets are still in them. */
export interface CallFacts {
  /** Changed files, relative to the workspace if they are inside it; otherwise absolute. */
  edits?: string[];
  /** The whole list of tasks. */
  tasks?: TaskItem[];
  /** Tasks that the call adds, changes or prints: another agent may have ticked them off. */
  changed?: Partial<TaskItem>[];
  plan?: true;
  /** A pull request that was created, changed or commented on: `PR #12`. */
  pullRequest?: string;
  /** The call changed files by a command, made a commit, or changed the scratchpad's plan. */
  mutates?: true;
  /** The call that the person did not allow: `Bash npm publish`. */
  refused?: string;
}

const SHELLS = makeWordSet(`
  bash shell exec exec_command shell_command local_shell run_shell_command run_terminal_cmd container.exec
`);

/**
 * Reads the facts of one call with its result, of any host. Files that a shell command changed are not among them.
 * @param folders `root`: the workspace; `cwd`: the session's working directory
 */
export function readCallFacts(
  call: Call | undefined,
  { outcome, text, tool: resultTool }: Result,
  folders: { root: string; cwd: string | undefined },
): CallFacts {
  const { tool, input, raw } = unwrapCall(call, resultTool);
  const name = tool.toLowerCase().replace(/[_-]/g, '');
  const plan = name === 'exitplanmode' || undefined;
  const command = SHELLS.has(tool.toLowerCase()) ? getCommand(input) : undefined;

  if (outcome === 'rejected') return { plan, refused: `${tool} ${command?.split('\n', 1)[0] ?? ''}`.trim() };
  if (outcome === 'failed') return { plan };

  const ownFolder = ['workdir', 'directory', 'dir_path'].map((key) => getString(input, key)).find(Boolean);
  const cwd = resolve(folders.root, ownFolder ?? folders.cwd ?? '.');
  const edits = listEdits(name, input, getPatch(raw, input, command)).map((path) =>
    displayPath(path, folders.root, cwd),
  );

  return {
    ...listTaskFacts(name, input, text),
    plan,
    edits: edits.length === 0 ? undefined : [...new Set(edits)],
    pullRequest: command && findPullRequest(command, text),
    mutates: (command ? isChanging(command) : isPlanning(name, input)) || undefined,
  };
}

const isPlanning = (name: string, { action }: JsonObject): boolean =>
  name.includes('scratchpad') && /^(?:set_plan|plan\.)/.test(String(action));

const CHANGING = new RegExp(`^\\s*${COMMANDS.before}(?:${COMMANDS.commands.join('|')})${COMMANDS.after}`);
const WRITING = /(?<![-=\d&<>])>{1,2}\s*(?![&>\s]|\/dev\/|\/tmp\/|\S*\.log\b)/;
const HEREDOC = /<<-?\s*(['"]?)(\w+)\1(.*)\n[\s\S]*?(?:\n[ \t]*\2\b|$)/g;

function isChanging(command: string): boolean {
  const bare = command.slice(0, 4000).replace(/^\s*\w*sh\s+-l?c\s+['"]?/, '');
  const plain = bare.replace(HEREDOC, '$3').replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, '""');
  return WRITING.test(plain) || plain.split(/&&|\|\||[;|\n(]/).some((part) => CHANGING.test(part));
}

/** OpenClaw calls unlisted tools through another one: `tool_call {id: "openclaw:core:exec", args}`. */
function unwrapCall(
  call: Call | undefined,
  defaultTool = 'tool',
): { tool: string; input: JsonObject; raw: JsonObject | string } {
  const { tool = defaultTool, input: raw = {} } = call ?? {};
  const input = typeof raw === 'string' ? toMembers(parseJson(raw)) : raw;
  const id = tool === 'tool_call' ? getString(input, 'id') : undefined;

  if (id === undefined) return { tool, input, raw };
  return { tool: id.slice(id.lastIndexOf(':') + 1), input: toMembers(input.args), raw };
}

/** The text of a shell's command, by any host's name for it. */
export function getCommand(input: JsonObject): string | undefined {
  const command = input.command ?? input.cmd ?? input.script;
  if (typeof command === 'string') return command.trim();
  return Array.isArray(command) ? command.filter((word) => typeof word === 'string').join(' ') : undefined;
}

const EDITORS = makeWordSet(`
  edit multiedit write writefile notebookedit replace strreplace strreplacebasededittool createfile editfile applypatch
`);
const PATH_KEYS = splitWordList('file_path filePath path absolute_path notebook_path target_file filename');
const PATCHED = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.{1,400})$/gm;

function listEdits(name: string, input: JsonObject, patch: string | undefined): string[] {
  if (patch !== undefined) return [...patch.matchAll(PATCHED)].map(([, path = '']) => path.trim());
  const path = EDITORS.has(name) && input.command !== 'view' ? getPath(input) : undefined;
  return path === undefined ? [] : [path];
}

const getPath = (input: JsonObject): string | undefined =>
  PATH_KEYS.map((key) => getString(input, key)).find(Boolean);

function getPatch(raw: unknown, input: JsonObject, command: string | undefined): string | undefined {
  // The raw call comes last, because a patch in its JSON has escaped newlines.
  const texts = [getString(input, 'input'), getString(input, 'patch'), command, raw];
  return texts.filter((text) => typeof text === 'string').find((text) => text.includes('*** Begin Patch'));
}

/** A path for display: with forward slashes, relative to the workspace if it is inside. */
function displayPath(path: string, root: string, cwd: string): string {
  const plain = path.replace(/^file:\/\//, '').replace(/\\/g, '/');
  const full = isAbsolute(plain) || /^(?:~|[A-Za-z]:)\//.test(plain) ? plain : resolve(cwd, plain);
  if (full.startsWith('~')) return full;

  const inside = relative(root, full).replace(/\\/g, '/');
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);

  return isInside ? posix.normalize(inside) : normalize(full);
}

const PULL = /\/(pull|merge_requests)\/(\d{1,7})\b/;
const FORGE =
  /\b(gh pr|glab mr) (?:create|new|merge|close|comment|note|review|approve|edit|update|ready|reopen)\b/;

function findPullRequest(command: string, output: string): string | undefined {
  const call = FORGE.exec(command);
  if (call === null) return undefined;

  const rest = command.slice(call.index + call[0].length);
  const number = /^ +#?(\d{1,7})\b/.exec(rest)?.[1] ?? (PULL.exec(rest) ?? PULL.exec(output))?.[2];
  return number && `${call[1] === 'gh pr' ? 'PR #' : 'MR !'}${number}`;
}

const MOST_TASKS = 60;
const STATES: readonly (readonly [TaskItem['status'], readonly string[]])[] = [
  ['open', splitWordList('pending todo not_started open blocked')],
  ['active', splitWordList('in_progress inprogress active')],
  ['done', splitWordList('completed complete done')],
  ['dropped', splitWordList('cancelled canceled deleted skipped')],
];
/** `#6 [completed] Update the display` */
const LISTED = /^#(\w+) \[(\w+)\] (.+)$/gm;

function listTaskFacts(name: string, input: JsonObject, output: string): CallFacts {
  if (['todowrite', 'writetodos', 'updateplan', 'progresscard'].includes(name))
    return { tasks: parseTasks(input) };
  if (name === 'tasklist') return { changed: parsePrintedTasks(output) };

  const text = getString(input, 'subject');
  // The host's answer has the number of a new task: "Task #3 created successfully: …".
  if (name === 'taskcreate' && text !== undefined)
    return { changed: [{ id: /#(\w+)/.exec(output.slice(0, 200))?.[1], text, status: 'open' }] };

  const id = getString(input, 'taskId');
  if (name !== 'taskupdate' || id === undefined) return {};

  const task: Partial<TaskItem> = { id };
  const status = parseTaskState(getString(input, 'status'));

  if (text !== undefined) task.text = text;
  if (status !== undefined) task.status = status;

  return { changed: [task] };
}

const parseTaskState = (name: string | undefined): TaskItem['status'] | undefined =>
  STATES.find(([, names]) => names.includes(name ?? ''))?.[0];

function parseTasks(input: JsonObject): TaskItem[] {
  const items = ['todos', 'plan', 'steps'].flatMap((key) => getList(input, key)).filter(isObject);
  return items.slice(0, MOST_TASKS).flatMap((item) => {
    const text = ['content', 'step', 'description', 'title'].map((key) => getString(item, key)).find(Boolean);
    return text === undefined ? [] : [{ text, status: parseTaskState(getString(item, 'status')) ?? 'open' }];
  });
}

function parsePrintedTasks(output: string): TaskItem[] {
  return [...output.matchAll(LISTED)].slice(0, MOST_TASKS).flatMap(([, id = '', state, text = '']) => {
    const status = parseTaskState(state);
    return status === undefined ? [] : [{ id, text, status }];
  });
}
