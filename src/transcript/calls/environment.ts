import { isCheck } from './checks.ts';
import type { Command } from './shell.ts';
import { baseOf } from './wrappers.ts';

/** A call that this environment does not allow, whatever the work: a program that is not there, a file too large. */
export interface EnvironmentFailure {
  /** The form that fails: `rtk bun`, `pytest`, `Read of > 256 KB`. */
  program: string;
  why: 'unknown command' | 'not found' | 'too large to read' | 'no permission' | 'wrong owner';
  /** A line of the output. */
  said: string;
}

interface Sign {
  why: EnvironmentFailure['why'];
  /** The first group is the name of what is missing, if the line has it. */
  line: RegExp;
}

/** Lines that say that a program could not be run. */
const SIGNS: readonly Sign[] = [
  { why: 'unknown command', line: /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): (?:command )?not found$/ },
  {
    why: 'unknown command',
    line: /^(?:\(eval\)|zsh|bash|fish): ?(?:\d+: ?)?(?:command not found|Unknown command): ([\w./@+-]+)$/,
  },
  { why: 'unknown command', line: /\bexec: "([^"]+)": executable file not found in \$PATH/ },
  {
    why: 'unknown command',
    line: /^(?:\/usr\/bin\/)?env: ['‘]?([\w./+-]+)['’]?: No such file or directory$/,
  },
  { why: 'unknown command', line: /^'([\w./-]+)' is not recognized as an internal or external command/ },
  { why: 'unknown command', line: /The term '([\w./-]+)' is not recognized/ },
  { why: 'unknown command', line: /^git: '([\w-]+)' is not a git command/ },
  { why: 'unknown command', line: /^docker: '([\w-]+)' is not a docker command/ },
  { why: 'unknown command', line: /^error: no such (?:sub)?command: `([\w-]+)`/ },
  {
    why: 'unknown command',
    line: /^(?:unknown command "([\w-]+)" for|.*Error: No such tool available: ([\w-]+))/,
  },
  { why: 'not found', line: /^\S*python[\d.]*(?:\.exe)?: No module named ([\w.]+)/ },
  { why: 'not found', line: /^npm (?:ERR!|error) Missing script: "?([\w:.-]+)/ },
  {
    why: 'not found',
    line: /^(?:error: Script not found|.*ERR_PNPM_NO_SCRIPT\S* +Missing script:) "?([\w:.-]+)/,
  },
  {
    why: 'not found',
    line: /^error Command "([\w:.-]+)" not found|ERR_PNPM\w+ +Command "([\w:.-]+)" not found/,
  },
  { why: 'not found', line: /^make(?:\[\d+\])?: \*\*\* No rule to make target ['`‘]([\w:./-]+)['’]\. +Stop/ },
  { why: 'not found', line: /^mise ERROR no tasks? ([\w:.-]+) found/ },
  {
    why: 'not found',
    line: /^error: (?:Justfile does not contain recipe|Recipe) [`']([\w:.-]+)[`'](?: not found|\.)/,
  },
  { why: 'not found', line: /^npm (?:ERR!|error) could not determine executable to run/ },
  { why: 'no permission', line: /^(?:\S+: )?(?:line \d+: |\d+: )?([\w./@+-]+): [Pp]ermission denied$/ },
  { why: 'no permission', line: /permission denied while trying to connect to the Docker daemon/ },
  { why: 'no permission', line: /^sudo: (?:a password is required|a terminal is required)/ },
  {
    why: 'no permission',
    line: /Permission denied \(publickey\)|^remote: Permission to \S+ denied to|^remote: Write access to/,
  },
  {
    why: 'no permission',
    line: /^error: externally-managed-environment|^EACCES: permission denied|^EROFS: read-only/,
  },
  { why: 'wrong owner', line: /^fatal: (?:detected dubious ownership|unsafe repository)/ },
  {
    why: 'wrong owner',
    line: /Your cache folder contains root-owned files|is not owned by (?:you|the current user)/,
  },
];
/** The limit that a host's own reader names. */
const TOO_LARGE = /exceeds maximum allowed (?:size|tokens) \(([\d.]+ ?[kMG]?B?)/i;
/** A command line that its program did not understand, or that found nothing to run: the work was not checked. */
const NOT_RUN: readonly RegExp[] = [
  /^(?:\w+: )?(?:error: |Error: )?(?:unknown|unrecognized|invalid|unexpected) (?:option|flag|argument|command)s?\b/im,
  /^(?:ERROR: file or directory not found|no test files? found|No tests found|no Go files in|no tests ran)\b/im,
  /^go: (?:no such tool|cannot find main module|cannot write)|: directory not found$|^stat .*: directory not found/m,
  /^(?:\(eval\):)?(?:\w+: )?(?:line \d+: )?cd:.*[Nn]o such file or directory/m,
];
const MOST_LINES = 6;
const LONGEST = 160;

/** A failure of the environment that a call met. */
export function environmentFailure(
  tool: string,
  commands: readonly Command[],
  output: string,
  failed: boolean,
): EnvironmentFailure | undefined {
  const lines = output.split('\n', 400).map((line) => line.trim());
  const full = lines.filter((line) => line !== '');
  const large = failed && commands.length === 0 ? TOO_LARGE.exec(output.slice(0, 400)) : null;
  if (large !== null) {
    const limit = (large[1] ?? '').replace(/^([\d.]+) ?([kMG]B)$/i, '$1 $2');
    const unit = /[kMG]B/i.test(limit) ? '' : ' tokens';
    return { program: `${tool} of > ${limit}${unit}`, why: 'too large to read', said: said(full[0]) };
  }
  // Behind a pipe a failure looks like a success: then it is all there is.
  const seen = failed ? full : full.length <= MOST_LINES ? full : [];
  for (const line of seen) {
    if (line.length > 400) continue;
    for (const { why, line: pattern } of SIGNS) {
      const found = pattern.exec(line);
      if (found === null) continue;
      const program = formOf(tool, commands, found[1] ?? found[2]);
      if (program !== undefined) return { program, why, said: said(line) };
    }
  }
  return undefined;
}

/** Whether the output shows that no check ran at all. */
export const didNotRun = (output: string): boolean =>
  NOT_RUN.some((pattern) => pattern.test(output.slice(0, 4000)));

const said = (line = ''): string => line.replace(/<\/?tool_use_error>/g, '').slice(0, LONGEST);

/** The failing form: that of the command which the message names, or the only one there is. */
function formOf(tool: string, commands: readonly Command[], name: string | undefined): string | undefined {
  if (commands.length === 0) return name ?? tool;
  const named = commands.find(({ words, wrapper }) =>
    name === undefined
      ? true
      : words.some((word) => word === name || baseOf(word) === baseOf(name)) || wrapper.includes(name),
  );
  if (named !== undefined) return shapeOf(named);
  // A script that calls what is not there: `sh: vitest: not found` under `npm test`.
  return commands.some(isCheck) && name !== undefined ? baseOf(name) : undefined;
}

/** A command in the form that tells whether it can be run: `rtk bun`, `uv run pytest`, `npm run lint`, `git lfs`. */
export function shapeOf({ words, wrapper }: Pick<Command, 'words' | 'wrapper'>): string {
  const program = baseOf(words[0] ?? '');
  const rest = words.slice(1);
  const parts = [wrapper, program];
  if (rest[0] === '-m') parts.push('-m', rest[1] ?? '');
  else if (VERBS.has(program)) {
    const named = rest.filter((word) => !word.startsWith('-'));
    parts.push(...named.slice(0, named[0] === 'run' ? 2 : 1));
  }
  return parts
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, 80);
}

/** Programs whose first word says what is run. */
const VERBS = new Set(
  'npm pnpm yarn bun mise just task make git gh docker cargo go jj kubectl composer rake deno poetry uv'.split(
    ' ',
  ),
);

/** Whether a form that works stands for one that fails: `bun` for `rtk bun`, `python3` for `python`. */
export function cures(worked: string, failed: string): boolean {
  const plain = (form: string): string => (form.split(' ').at(-1) ?? '').replace(/[\d.]+$/, '');
  return plain(worked) === plain(failed) || worked.endsWith(` ${failed}`) || failed.endsWith(` ${worked}`);
}
