import { isAbsolute, normalize, posix, relative, resolve } from 'node:path';
import { isObject, type JsonObject, listAt, textAt } from '../../base/text/json.ts';
import { wordList, wordSet } from '../../base/text/strings.ts';
import { baseOf, type Command, ranBy } from './shell.ts';

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

/** A file that a call changed or removed. */
export interface Edit {
  /** Relative to the workspace if it is inside; else absolute. */
  path: string;
  how: 'edit' | 'remove';
}

const EDIT_TOOLS = wordSet(`
  edit multiedit write writefile notebookedit replace strreplace strreplacebasededittool createfile editfile applypatch
`);
const PATH_KEYS = wordList('file_path filePath path absolute_path notebook_path target_file filename');
const PATCHED = /^\*\*\* (Add File|Update File|Delete File|Move to): (.{1,400})$/gm;
/** Programs whose redirected output is a file that somebody writes; of others it is a log. */
const WRITERS = wordSet('cat echo printf');
const FILE_NAME = /(?:^|\/)[\w.@+-]*\.[A-Za-z]\w{0,9}$|(?:^|\/)[A-Z]\w+file$/;

/** Files that a tool of the host edits, by its name and arguments. */
export function editedByTool(tool: string, input: JsonObject): Edit[] {
  if (!EDIT_TOOLS.has(tool.toLowerCase().replace(/[_-]/g, '')) || input.command === 'view') return [];
  const path = PATH_KEYS.map((key) => textAt(input, key)).find((one) => one !== undefined);
  return path === undefined ? [] : [{ path, how: 'edit' }];
}

/** Files of a patch in Codex's form. */
export function editedByPatch(patch: string): Edit[] {
  const edits: Edit[] = [];
  for (const [, how, name = ''] of patch.matchAll(PATCHED)) {
    const last = edits.at(-1);
    if (how === 'Move to' && last !== undefined) last.how = 'remove';
    edits.push({ path: name.trim(), how: how === 'Delete File' ? 'remove' : 'edit' });
  }
  return edits;
}

/** Files that commands of a shell change, relative to where each ran. */
export function editedByCommands(commands: readonly Command[]): Edit[] {
  const edits: Edit[] = [];
  for (const { words, cd, writes } of commands) {
    const ran = ranBy(words);
    const [program = '', ...rest] = ran[0] === 'git' ? ran.slice(1) : ran;
    const named = rest.filter(isFileName);
    const add = (how: Edit['how'], paths: readonly string[]): void => {
      for (const path of paths.filter(isFileName))
        edits.push({ path: cd === undefined || isAbsolute(path) ? path : posix.join(cd, path), how });
    };
    const isInPlace =
      /^(?:sed|perl)$/.test(program) && rest.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(word));
    if (WRITERS.has(program)) add('edit', writes);
    else if (program === 'tee' || isInPlace) add('edit', named);
    else if (program === 'rm' && !rest.includes('--cached')) add('remove', named);
    else if ((program === 'mv' || program === 'cp') && named.length === 2) {
      if (program === 'mv') add('remove', named.slice(0, 1));
      add('edit', named.slice(1));
    }
  }
  return edits;
}

/** A path for display: with forward slashes, relative to the workspace if it is inside. */
export function placed(path: string, root: string, base: string): string {
  const plain = path.replace(/^file:\/\//, '').replace(/\\/g, '/');
  const full = isAbsolute(plain) || /^(?:~|[A-Za-z]:)\//.test(plain) ? plain : resolve(base, plain);
  if (full.startsWith('~')) return full;
  const inside = relative(root, full).replace(/\\/g, '/');
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
  return isInside ? posix.normalize(inside) : normalize(full);
}

const isFileName = (word: string): boolean =>
  !word.startsWith('-') && !/[*?{}$<>|;,"'\n]|^\d/.test(word) && FILE_NAME.test(word);

export interface GitFacts {
  commits?: { sha: string; subject: string }[];
  /** "PR #12": created, changed or commented on, not only looked at. */
  pullRequest?: string;
}

const COMMITS = /^(?:commit|ci|cherry-pick|revert|describe|desc|squash)$/;
const COMMITTED = /^\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\] (.{1,300})$/gm;
/** jj: `Parent commit (@-) : rlvkpnrz 5e6f7a8b main | Subject`, or of what is described the working copy itself. */
const JJ =
  /^(?:Parent commit(?: +\(@-\))? *:|Working copy(?: +\(@\))? now at:) [k-z]+ ([0-9a-f]{7,40}) (?:[^|\n]{1,80} \| )?(?!.*\(no description set\)$)(.{1,300})$/m;
const PULL = /(?:\/pull\/|pull request (?:[\w./-]+)?#)(\d{1,7})\b/;
const MERGE = /(?:\/merge_requests\/|merge request !)(\d{1,7})\b/;
const API_COMMENT = /\/(?:pulls|issues)\/(\d{1,7})\/(?:comments|reviews|replies)/;
const API_WRITES = /^(?:-f|-F|--field|--raw-field|--input|POST|PATCH|PUT)$/;
const PULL_VERBS = wordSet('create new merge close comment note review approve edit update ready reopen');

export function gitFacts(commands: readonly Command[], output: string, worked: boolean): GitFacts {
  const facts: GitFacts = {};
  for (const words of commands.map((command) => ranBy(command.words))) {
    const program = baseOf(words[0] ?? '');
    const commits = words.some((word) => COMMITS.test(word));
    const found = commits && program === 'git' ? [...output.matchAll(COMMITTED)] : [];
    if (commits && program === 'jj' && worked) found.push(...[JJ.exec(output)].filter((one) => one !== null));
    if (found.length > 0) facts.commits = found.map(([, sha = '', subject = '']) => ({ sha, subject }));
    if (worked && /^(?:gh|glab)$/.test(program))
      facts.pullRequest = ofForge(words, output) ?? facts.pullRequest;
  }
  return facts;
}

/** `gh pr …`, `glab mr …`, and comments by `gh api`. */
function ofForge(words: readonly string[], output: string): string | undefined {
  const [, kind = '', verb = '', ...rest] = words;
  if (kind === 'api') {
    const number = words.some((word) => API_WRITES.test(word)) && API_COMMENT.exec(words.join(' '))?.[1];
    return number ? `PR #${number}` : undefined;
  }
  if (!/^[mp]r$/.test(kind) || !PULL_VERBS.has(verb) || /^--(?:help|dry-run)$/m.test(rest.join('\n')))
    return undefined;
  const given = /^(?:create|new)$/.test(verb)
    ? ''
    : rest.find((word) => /^#?\d{1,7}$/.test(word) || PULL.test(word));
  const number = /^#?(\d+)$/.exec(given ?? '')?.[1];
  return number === undefined ? (pullIn(given ?? '') ?? pullIn(output)) : `PR #${number}`;
}

function pullIn(text: string): string | undefined {
  const pull = PULL.exec(text)?.[1];
  const merge = MERGE.exec(text)?.[1];
  return pull === undefined ? merge && `MR !${merge}` : `PR #${pull}`;
}
