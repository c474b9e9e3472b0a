import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type JsonObject, membersOf, parsed, textAt } from '../../base/text/json.ts';
import { wordSet } from '../../base/text/strings.ts';
import type { Call, Result } from '../event.ts';
import { type Check, checkOf, NO_RUNNERS } from './checks.ts';
import {
  type Edit,
  editedByCommands,
  editedByPatch,
  editedByTool,
  type GitFacts,
  gitFacts,
  type ListFacts,
  listFacts,
  placed,
} from './did.ts';
import { baseOf, type Command, commandsIn } from './shell.ts';

export type { Check } from './checks.ts';
export type { TaskItem } from './did.ts';

/** What one tool call did, as far as the call and its result show. Plain data; secrets are still in it. */
export interface CallFacts extends ListFacts, GitFacts {
  /** As the host names it. */
  tool: string;
  /** The shell's command line, at most 2,000 characters. */
  command?: string;
  /** Files that it changed; none if it did not work. */
  edits: Edit[];
  check?: Check;
  /** The person rejected the call, or the host did not permit it. */
  refused?: { by: 'person' | 'rules' };
  /** The environment does not allow the call. */
  failed?: EnvironmentFailure;
  /** The forms of the programs or the tool that worked: they cure an earlier failure of the same form. */
  worked?: string[];
}

/** Name of the tool of a call that was not read, or that the host does not name. */
const UNKNOWN_TOOL = 'tool';
const SHELLS = wordSet(`
  bash shell exec exec_command shell_command local_shell run_shell_command run_terminal_cmd container.exec
`);
const LONGEST_COMMAND = 2000;
/** How many characters of an output are read from each end. */
const READ = 20_000;
/** What hosts write for an output that is empty, and above one. */
const NO_OUTPUT = /^\s*\((?:no output|no content|empty|(?:Bash )?completed with no output)\)\s*/i;
const LABEL = /^(?:(?:Output|Stdout): |Exit code \d{1,3}\n)/;
const CODEX_HEAD =
  /^(?:(?:Chunk ID|Wall time|Exit code|Process exited|Total output|Original token).*\n)+Output:\n/;
/** Claude Code runs a command in the background: its result comes later, or never. */
const BACKGROUND = /^Command (?:running in|was moved to the|did not complete within).*background/i;

/** Reads one call with its result, of any host. Paths inside the workspace become relative to it. */
export function callFacts(
  call: Call | undefined,
  result: Result | undefined,
  where: { root: string; cwd: string | undefined },
): CallFacts {
  const { tool, input, raw } = unwrapped(call, result);
  const facts: CallFacts = { tool, edits: [] };
  const { outcome, text = '' } = result ?? {};
  const command = SHELLS.has(tool.toLowerCase()) ? commandOf(input) : undefined;
  if (command !== undefined) facts.command = command.slice(0, LONGEST_COMMAND);
  Object.assign(facts, listFacts(tool, input, text, outcome === 'ok' || outcome === 'unknown'));
  if (outcome === 'rejected' || outcome === 'denied')
    return { ...facts, refused: { by: outcome === 'rejected' ? 'person' : 'rules' } };
  if (outcome === undefined || outcome === 'interrupted') return facts;

  const base = ['workdir', 'directory', 'dir_path'].map((key) => textAt(input, key)).find(Boolean);
  const cwd = resolve(where.root, base ?? where.cwd ?? '.');
  const patch = patchOf(raw, input, command);
  const commands = command === undefined || patch !== undefined ? [] : commandsIn(command);
  const failed = outcome === 'failed';
  const output = outputOf(text, where.root);
  if (input.run_in_background !== true && !BACKGROUND.test(output)) {
    facts.failed = environmentFailure(tool, commands, output, failed);
    facts.check = checkOf(commands, output, failed);
    if (!failed && facts.failed === undefined) facts.worked = formsOf(tool, commands);
  }
  const isHere = ({ cd = '' }: Command): boolean =>
    !cd.startsWith('/') || `${cd}/`.startsWith(`${where.root}/`);
  Object.assign(facts, gitFacts(commands.filter(isHere), output, !failed));

  // Of a chain that failed all but the last command may have worked; git knows.
  const edits = editedByCommands(failed ? commands.slice(0, -1) : commands);
  if (!failed && patch !== undefined) edits.push(...editedByPatch(patch));
  else if (!failed && command === undefined) edits.push(...editedByTool(tool, input));
  for (const { path, how } of edits) {
    const name = placed(path, where.root, cwd);
    const isKnown = facts.edits.some((edit) => edit.path === name && edit.how === how);
    if (!isKnown && !/(?:^|\/)\.git(?:\/|$)/.test(name)) facts.edits.push({ path: name, how });
  }
  return facts;
}

/** OpenClaw calls unlisted tools through another one: `tool_call {id: "openclaw:core:exec", args}`. */
function unwrapped(
  call: Call | undefined,
  result: Result | undefined,
): { tool: string; input: JsonObject; raw: unknown } {
  const tool = call?.tool ?? result?.tool ?? UNKNOWN_TOOL;
  const raw = call?.input ?? {};
  const input = typeof raw === 'string' ? membersOf(parsed(raw)) : raw;
  const id = tool === 'tool_call' ? textAt(input, 'id') : undefined;
  if (id === undefined) return { tool, input, raw };
  return { tool: id.slice(id.lastIndexOf(':') + 1), input: membersOf(input.args), raw };
}

function commandOf(input: JsonObject): string | undefined {
  const given = input.command ?? input.cmd ?? input.script;
  if (typeof given === 'string') return given.trim();
  if (!Array.isArray(given)) return undefined;
  const words = given.filter((word): word is string => typeof word === 'string');
  // `["bash", "-lc", "npm test"]`: the shell's command.
  const isScript = /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '');
  return ((isScript ? words[2] : undefined) ?? words.join(' ')).trim();
}

function patchOf(raw: unknown, input: JsonObject, command: string | undefined): string | undefined {
  // The text of the call last, because JSON may also contain a patch, with escaped newlines.
  const texts = [
    textAt(input, 'input'),
    textAt(input, 'patch'),
    command,
    typeof raw === 'string' ? raw : undefined,
  ];
  return texts.find((text) => text?.includes('*** Begin Patch') === true);
}

/** Head and tail of an output, in whole lines: either may show how it ended. Files are named as in the workspace. */
function outputOf(result: string, root: string): string {
  const text = result.replace(NO_OUTPUT, '').replace(LABEL, '').replace(CODEX_HEAD, '');
  const tail = text.slice(-READ);
  const ends =
    text.length <= 2 * READ ? text : `${text.slice(0, READ)}\n${tail.slice(tail.indexOf('\n') + 1)}`;
  return stripVTControlCharacters(ends).replaceAll(`${root}/`, '');
}

/** A call that this environment does not allow, whatever the work: a program that is not there, a file too large. */
export interface EnvironmentFailure {
  /** The form that fails: `rtk bun`, `pytest`, `Read of > 256 KB`. */
  program: string;
  why: 'unknown command' | 'not found' | 'too large to read' | 'no permission' | 'wrong owner';
}

/** Lines that say that a program could not be run; the first group is the name of what is missing, if it is there. */
const SIGNS: readonly (readonly [why: EnvironmentFailure['why'], pattern: RegExp])[] = [
  ['unknown command', /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): (?:command )?not found$/],
  ['unknown command', /^(?:\(eval\)|zsh|bash|fish):.*(?:command not found|Unknown command): ([\w./@+-]+)$/],
  ['unknown command', /^(?:\/usr\/bin\/)?env: ['‘]?([\w./+-]+)['’]?: No such file or directory$/],
  [
    'unknown command',
    /^(?:The term |git: |docker: )?'([\w./-]+)' is not (?:recognized|a (?:git|docker) command)/,
  ],
  ['unknown command', /^(?:[Ee]rror: )?(?:unknown command:?|no such (?:sub)?command:) ["'`]?([\w-]+)/],
  ['unknown command', /Error: No such tool available: ([\w-]+)/],
  ['not found', /^\S*python[\d.]*(?:\.exe)?: No module named ([\w.]+)/],
  ['not found', /^(?:Error: )?(?:ENOENT: no such file or directory, posix_spawn|spawn \S+ ENOENT)/],
  ['not found', /^(?:npm|error|.*ERR_PNPM_NO_SCRIPT).*(?:Missing script:|Script not found) "?([\w:.-]+)/],
  ['not found', /^make(?:\[\d+\])?: \*\*\* No rule to make target ['`‘]([\w:./-]+)['’]\. +Stop/],
  ['not found', /^(?:mise ERROR no tasks?|error: Justfile does not contain recipe) `?([\w:.-]+)/],
  ['no permission', /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): [Pp]ermission denied$/],
  [
    'no permission',
    /permission denied while trying to connect to the Docker daemon|Permission denied \(publickey\)/,
  ],
  ['no permission', /^sudo: a (?:password|terminal) is required|^error: externally-managed-environment/],
  ['wrong owner', /^fatal: (?:detected dubious ownership|unsafe repository)/],
];
/** The limit that a host's own reader names. */
const TOO_LARGE = /exceeds maximum allowed (?:size|tokens) \(([\d.]+) ?([kMG]?B)?/i;
/** Programs that run a script which may call what is not there. */
const SCRIPTED = wordSet('npm pnpm yarn bun mise just task make rake composer deno');
const MOST_LINES = 6;
const MOST_WORKED = 8;

function environmentFailure(
  tool: string,
  commands: readonly Command[],
  output: string,
  failed: boolean,
): EnvironmentFailure | undefined {
  const lines = output
    .split('\n', 400)
    .map((line) => line.trim())
    .filter((line) => line !== '' && line.length < 400);
  const [, limit, unit = 'tokens'] =
    (failed && commands.length === 0 && TOO_LARGE.exec(output.slice(0, 400))) || [];
  if (limit !== undefined) return { program: `${tool} of > ${limit} ${unit}`, why: 'too large to read' };
  // Behind a pipe a failure looks like a success: then it is all there is.
  for (const line of failed || lines.length <= MOST_LINES ? lines : []) {
    for (const [why, pattern] of SIGNS) {
      const found = pattern.exec(line);
      const program = found === null ? undefined : formOf(tool, commands, found[1]);
      if (program !== undefined) return { program, why };
    }
  }
  return undefined;
}

/** The words of a command without its options, up to a place: `rtk bun`, `npm run lint`, `python -m pytest`. */
const formUpTo = (words: readonly string[], end: number): string =>
  [...words.slice(0, end).filter((word) => !word.startsWith('-') || word === '-m')]
    .map(baseOf)
    .join(' ')
    .slice(0, 80);

/** The failing form: that of the command which the message names, as far as the name; without a name the program. */
function formOf(tool: string, commands: readonly Command[], name: string | undefined): string | undefined {
  if (commands.length === 0) return tool;
  if (name === undefined) return formUpTo(commands[0]?.words ?? [], 1);
  const base = baseOf(name);
  for (const { words } of commands) {
    const at = words.findIndex((word) => baseOf(word) === base);
    if (at !== -1) return formUpTo(words, at + 1);
  }
  // `sh: vitest: not found` under `npm test`.
  return commands.some(({ words }) => SCRIPTED.has(baseOf(words[0] ?? ''))) ? base : undefined;
}

/** What worked; of commands behind `;` and pipes only the last one's status is known. */
function formsOf(tool: string, commands: readonly Command[]): string[] | undefined {
  if (commands.length === 0) return [tool];
  const sure = commands.filter(
    ({ after }, at) => after !== '|' && (commands[at + 1]?.after ?? '&&') === '&&',
  );
  const forms = [...new Set(sure.map(({ words }) => formUpTo(words, 4)))].slice(0, MOST_WORKED);
  return forms.length === 0 ? undefined : forms;
}

/** What of a command that works stands for a form that fails: `bun` of `bun test` for `rtk bun`, `python3` for `python`. */
export function cureIn(worked: string, failed: string): string | undefined {
  const plain = (word = ''): string => word.replace(/[\d.]+$/, '');
  const words = worked.split(' ');
  const at = words.findIndex((word) => plain(word) === plain(failed.split(' ').at(-1)));
  // `grep pytest` runs nothing of that name.
  return at === -1 || (at > 0 && NO_RUNNERS.has(words[0] ?? ''))
    ? undefined
    : words.slice(0, at + 1).join(' ');
}
