import { wordSet } from '../../base/text/word-list.ts';
import { isCheck } from './checks.ts';
import type { Command } from './shell.ts';
import { baseOf } from './wrappers.ts';

/** A call that this environment does not allow, whatever the work: a program that is not there, a file too large. */
export interface EnvironmentFailure {
  /** The form that fails: `rtk bun`, `pytest`, `Read of > 256 KB`. */
  program: string;
  why: 'unknown command' | 'not found' | 'too large to read' | 'no permission' | 'wrong owner';
}

/** Lines that say that a program could not be run; the first group is the name of what is missing, if it is there. */
const SIGNS: Readonly<Partial<Record<EnvironmentFailure['why'], readonly RegExp[]>>> = {
  'unknown command': [
    /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): (?:command )?not found$/,
    /^(?:\(eval\)|zsh|bash|fish): ?(?:\d+: ?)?(?:command not found|Unknown command): ([\w./@+-]+)$/,
    /\bexec: "([^"]+)": executable file not found in \$PATH/,
    /^(?:\/usr\/bin\/)?env: ['‘]?([\w./+-]+)['’]?: No such file or directory$/,
    /^'([\w./-]+)' is not recognized as an internal or external command|^The term '([\w./-]+)' is not recognized/,
    /^(?:git|docker): '([\w-]+)' is not a (?:git|docker) command/,
    /^(?:[Ee]rror: )?(?:unknown command:?|no such (?:sub)?command:) ["'`]?([\w-]+)/,
    /Error: No such tool available: ([\w-]+)/,
  ],
  'not found': [
    /^\S*python[\d.]*(?:\.exe)?: No module named ([\w.]+)/,
    /^(?:Error: )?(?:ENOENT: no such file or directory, posix_spawn|spawn \S+ ENOENT)/,
    /^npm (?:ERR!|error) (?:Missing script: "?([\w:.-]+)|could not determine executable to run)/,
    /^(?:error: Script not found|.*ERR_PNPM_NO_SCRIPT\S* +Missing script:) "?([\w:.-]+)/,
    /(?:^error|ERR_PNPM\w+) +Command "([\w:.-]+)" not found/,
    /^make(?:\[\d+\])?: \*\*\* No rule to make target ['`‘]([\w:./-]+)['’]\. +Stop/,
    /^mise ERROR no tasks? ([\w:.-]+) found/,
    /^error: (?:Justfile does not contain recipe|Recipe) [`']([\w:.-]+)[`'](?: not found|\.)/,
  ],
  'no permission': [
    /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): [Pp]ermission denied$/,
    /permission denied while trying to connect to the Docker daemon|^sudo: a (?:password|terminal) is required/,
    /Permission denied \(publickey\)|^remote: Permission to \S+ denied to|^remote: Write access to/,
    /^error: externally-managed-environment/,
  ],
  'wrong owner': [
    /^fatal: (?:detected dubious ownership|unsafe repository)/,
    /Your cache folder contains root-owned files|is not owned by (?:you|the current user)/,
  ],
};
/** The limit that a host's own reader names. */
const TOO_LARGE = /exceeds maximum allowed (?:size|tokens) \(([\d.]+) ?([kMG]?B)?/i;
/** A command line that its program did not understand, or that found nothing to run: the work was not checked. */
const NOT_RUN: readonly RegExp[] = [
  /^<tool_use_error>|^Command (?:timed out|aborted)|\nCommand (?:timed out after .*|aborted)\s*$/,
  /^(?:\w+: )?(?:error: |Error: )?(?:unknown|unrecognized|invalid|unexpected) (?:option|flag|argument|command)s?\b/im,
  /^(?:ERROR: file or directory not found|no test files? found|No tests found|no Go files in|no tests ran)\b/im,
  /^go: (?:no such tool|cannot find main module|cannot write)|: directory not found$/m,
  /^(?:\(eval\):)?(?:\w+: )?(?:line \d+: )?cd:.*[Nn]o such file or directory/m,
];
/** Programs whose first word says what is run. */
const VERBS = wordSet(`
  npm pnpm yarn bun mise just task make git gh docker cargo go jj kubectl composer rake deno poetry uv
`);
const MOST_LINES = 6;

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
    for (const [why, patterns] of Object.entries(SIGNS) as [EnvironmentFailure['why'], readonly RegExp[]][]) {
      const found = patterns.map((pattern) => pattern.exec(line)).find((one) => one !== null);
      const program = found == null ? undefined : formOf(tool, commands, found[1] ?? found[2]);
      if (program !== undefined) return { program, why };
    }
  }
  return undefined;
}

/** Whether the output shows that no check ran at all. */
export const didNotRun = (output: string, exit: number | undefined): boolean =>
  exit === 126 || exit === 127 || NOT_RUN.some((pattern) => pattern.test(output.slice(0, 4000)));

/** The failing form: that of the command which the message names, as far as the name, or of the only one there is. */
function formOf(tool: string, commands: readonly Command[], name: string | undefined): string | undefined {
  if (commands.length === 0) return tool;
  const base = name === undefined ? undefined : baseOf(name);
  const named = commands.find(
    ({ words }) => base === undefined || words.some((word) => baseOf(word) === base),
  );
  // A script that calls what is not there: `sh: vitest: not found` under `npm test`.
  if (named === undefined) return commands.some(isCheck) ? base : undefined;
  const words = shapeOf(named).split(' ');
  const last = words.indexOf(base ?? baseOf(named.words[0] ?? ''));
  return words.slice(0, last === -1 ? undefined : last + 1).join(' ');
}

/** A command in the form that tells whether it can be run: `rtk bun`, `uv run pytest`, `npm run lint`, `git lfs`. */
export function shapeOf({ words, wrapper }: Pick<Command, 'words' | 'wrapper'>): string {
  const program = baseOf(words[0] ?? '');
  const named = words.slice(1).filter((word) => !word.startsWith('-'));
  const more =
    words[1] === '-m'
      ? words.slice(1, 3)
      : VERBS.has(program)
        ? named.slice(0, named[0] === 'run' ? 2 : 1)
        : [];
  return [wrapper, program, ...more]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, 80);
}

/** Whether a form that works stands for one that fails: `bun test` for `rtk bun`, `python3` for `python`. */
export function cures(worked: string, failed: string): boolean {
  const plain = (word: string): string => word.replace(/[\d.]+$/, '');
  return worked
    .split(' ')
    .map(plain)
    .includes(plain(failed.split(' ').at(-1) ?? ''));
}
