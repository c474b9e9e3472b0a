import { wordSet } from '../../base/text/word-list.ts';
import { baseOf, type Command } from './shell.ts';

/** A call that this environment does not allow, whatever the work: a program that is not there, a file too large. */
export interface EnvironmentFailure {
  /** The form that fails: `rtk bun`, `pytest`, `Read of > 256 KB`. */
  program: string;
  why: 'unknown command' | 'not found' | 'too large to read' | 'no permission' | 'wrong owner';
}

/** Lines that say that a program could not be run; the first group is the name of what is missing, if it is there. */
const SIGNS: readonly (readonly [why: EnvironmentFailure['why'], pattern: RegExp])[] = [
  ['unknown command', /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): (?:command )?not found$/],
  [
    'unknown command',
    /^(?:\(eval\)|zsh|bash|fish): ?(?:\d+: ?)?(?:command not found|Unknown command): ([\w./@+-]+)$/,
  ],
  ['unknown command', /\bexec: "([^"]+)": executable file not found in \$PATH/],
  ['unknown command', /^(?:\/usr\/bin\/)?env: ['‘]?([\w./+-]+)['’]?: No such file or directory$/],
  ['unknown command', /^(?:The term )?'([\w./-]+)' is not (?:recognized|a git command|a docker command)/],
  ['unknown command', /^(?:git|docker): '([\w-]+)' is not a (?:git|docker) command/],
  ['unknown command', /^(?:[Ee]rror: )?(?:unknown command:?|no such (?:sub)?command:) ["'`]?([\w-]+)/],
  ['unknown command', /Error: No such tool available: ([\w-]+)/],
  ['not found', /^\S*python[\d.]*(?:\.exe)?: No module named ([\w.]+)/],
  ['not found', /^(?:Error: )?(?:ENOENT: no such file or directory, posix_spawn|spawn \S+ ENOENT)/],
  ['not found', /^npm (?:ERR!|error) (?:Missing script: "?([\w:.-]+)|could not determine executable to run)/],
  ['not found', /^(?:error: Script not found|.*ERR_PNPM_NO_SCRIPT\S* +Missing script:) "?([\w:.-]+)/],
  ['not found', /(?:^error|ERR_PNPM\w+) +Command "([\w:.-]+)" not found/],
  ['not found', /^make(?:\[\d+\])?: \*\*\* No rule to make target ['`‘]([\w:./-]+)['’]\. +Stop/],
  ['not found', /^mise ERROR no tasks? ([\w:.-]+) found/],
  ['not found', /^error: (?:Justfile does not contain recipe|Recipe) [`']([\w:.-]+)[`'](?: not found|\.)/],
  ['no permission', /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): [Pp]ermission denied$/],
  ['no permission', /permission denied while trying to connect to the Docker daemon/],
  ['no permission', /^sudo: a (?:password|terminal) is required|^error: externally-managed-environment/],
  [
    'no permission',
    /Permission denied \(publickey\)|^remote: (?:Permission to \S+ denied to|Write access to)/,
  ],
  ['wrong owner', /^fatal: (?:detected dubious ownership|unsafe repository)/],
  ['wrong owner', /Your cache folder contains root-owned files|is not owned by (?:you|the current user)/],
];
/** The limit that a host's own reader names. */
const TOO_LARGE = /exceeds maximum allowed (?:size|tokens) \(([\d.]+) ?([kMG]?B)?/i;
/** Programs whose first word says what is run. */
const VERBS = wordSet(`
  npm pnpm yarn bun mise just task make git gh docker cargo go jj kubectl composer rake deno poetry uv
`);
/** Programs that run a script which may call what is not there. */
const SCRIPTED = wordSet('npm pnpm yarn bun mise just task make rake composer deno');
const MOST_LINES = 6;
const MOST_WORKED = 8;

/** A failure of the environment that a call met. */
export function environmentFailure(
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

/** The failing form: that of the command which the message names, as far as the name, or of the only one there is. */
function formOf(tool: string, commands: readonly Command[], name: string | undefined): string | undefined {
  if (commands.length === 0) return tool;
  const base = name === undefined ? undefined : baseOf(name);
  const named = commands.find(
    ({ words }) => base === undefined || words.some((word) => baseOf(word) === base),
  );
  // `sh: vitest: not found` under `npm test`.
  if (named === undefined)
    return commands.some(({ words }) => SCRIPTED.has(baseOf(words[0] ?? ''))) ? base : undefined;
  const words = shapeOf(named).split(' ');
  const last = words.indexOf(base ?? baseOf(named.words[0] ?? ''));
  return words.slice(0, last === -1 ? undefined : last + 1).join(' ');
}

/** A command in the form that tells whether it can be run: `rtk bun`, `uv run pytest`, `npm run lint`, `git lfs`. */
function shapeOf({ words, wrapper }: Pick<Command, 'words' | 'wrapper'>): string {
  const program = baseOf(words[0] ?? '');
  const named = words.slice(1).filter((word) => !word.startsWith('-'));
  const verbs = VERBS.has(program) ? named.slice(0, named[0] === 'run' ? 2 : 1) : [];
  const more = words[1] === '-m' ? words.slice(1, 3) : verbs;
  return [wrapper, program, ...more]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, 80);
}

/** The forms that worked; of commands behind `;` and pipes only the last one's status is known. */
export function formsOf(tool: string, commands: readonly Command[]): string[] | undefined {
  if (commands.length === 0) return [tool];
  const sure = commands.filter(
    ({ into }, at) => into.length === 0 && (commands[at + 1]?.after ?? '&&') === '&&',
  );
  return sure.length === 0 ? undefined : [...new Set(sure.map(shapeOf))].slice(0, MOST_WORKED);
}

/** Whether a form that works stands for one that fails: `bun test` for `rtk bun`, `python3` for `python`. */
export function cures(worked: string, failed: string): boolean {
  const plain = (word: string): string => word.replace(/[\d.]+$/, '');
  return worked
    .split(' ')
    .map(plain)
    .includes(plain(failed.split(' ').at(-1) ?? ''));
}
