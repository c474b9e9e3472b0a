import type { Command } from 'commander';
import { type GlobalOptions, type Invocation, invoke } from '../invocation.ts';

/** What a person types for a command, and what help says of it. */
interface Spec {
  about: string;
  /** `<arguments>` and `--options`, each with its purpose; an option may have a default. */
  takes?: Readonly<Record<string, string | readonly [about: string, fallback: string]>>;
  examples?: readonly string[];
  /** Other names. */
  also?: readonly string[];
  /** Whether it runs if no verb is named. */
  usual?: true;
  hidden?: true;
}

/** A command with a body, or with verbs. */
export interface Declared extends Spec {
  name: string;
  body?: () => Promise<Body>;
  verbs?: readonly Declared[];
}

/** Commands that help shows under one heading. */
export interface Family {
  heading: string;
  commands: readonly Declared[];
}

/** A command's body: it takes the invocation, the arguments as declared, then the options. */
type Body = (invocation: Invocation, ...args: unknown[]) => Promise<void> | void;

/** Declares commands whose bodies are the functions of these names in a module, which is loaded when one runs. */
export function from<Module extends object>(
  load: () => Promise<Module>,
  specs: { readonly [Name in keyof Module]?: Spec },
): Declared[] {
  return (Object.entries(specs) as [string, Spec][]).map(([name, spec]) => ({
    ...spec,
    name,
    body: async () => (await load())[name as keyof Module] as Body,
  }));
}

/** Turns the loader of a body into a commander action: the module is loaded when the command runs. */
export type Act = (load: () => Promise<Body>) => (...args: unknown[]) => Promise<void>;

export function lazily(env: NodeJS.ProcessEnv, cwd: string, exit: (code: number) => void): Act {
  return (load) =>
    async (...args) => {
      // commander ends the list with the options and the command itself.
      const command = args.pop() as Command;
      const invocation = invoke(command.optsWithGlobals<GlobalOptions>(), env, cwd);
      const body = await load();
      await body(invocation, ...args.map(restore));
      exit(invocation.exitCode);
    };
}

export function declare(parent: Command, commands: readonly Declared[], act: Act): void {
  for (const {
    name,
    about,
    takes = {},
    examples: shown = [],
    also = [],
    usual,
    hidden,
    ...rest
  } of commands) {
    const command = parent
      .command(name, { isDefault: usual, hidden })
      .description(about)
      .aliases([...also]);
    for (const [flags, purpose] of Object.entries(takes)) {
      const [words, fallback] = typeof purpose === 'string' ? [purpose] : purpose;
      if (flags.startsWith('-')) command.option(flags, words, fallback);
      else command.argument(flags, words);
    }
    if (shown.length > 0) command.addHelpText('before', examples(...shown));
    if (rest.verbs) declare(command, rest.verbs, act);
    else if (rest.body) command.action(act(rest.body));
  }
}

/** Help text: commands as a person would type them. An example may have several lines. */
export function examples(...commands: readonly string[]): string {
  return `Examples:\n${commands.map((command) => `  $ ${command.replaceAll('\n', '\n    ')}\n`).join('')}`;
}

function restore(value: unknown): unknown {
  if (typeof value === 'string') return unguard(value);
  if (Array.isArray(value)) return value.map(restore);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, restore(inner)]));
  }
  return value;
}

/**
 * commander takes any word that begins with a dash for an option, but a list item is not one:
 * `notes append "- found it"`. Words that start with a dash and a space travel with another first
 * character and get their dash back before anyone sees them.
 */
const STAND_IN = '\u{f0000}';

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((word) => (/^-+\s/.test(word) ? STAND_IN + word.slice(1) : word));
}

export function unguard(text: string): string {
  return text.includes(STAND_IN) ? text.replaceAll(STAND_IN, '-') : text;
}

/**
 * `run` takes options up to the command it runs; whatever follows belongs to that command,
 * `scratchpad run ls -l --json`. commander looks for options in the whole line, so `--` marks the end of
 * ours unless the caller has done so.
 */
export function endOfOptions(argv: readonly string[], program: Command): readonly string[] {
  const command = nextOperand(argv, 0, [program]);
  const run = program.commands.find((each) => each.name() === 'run');
  if (!run || argv[command] !== run.name()) return argv;
  const first = nextOperand(argv, command + 1, [program, run]);
  return first === -1 ? argv : [...argv.slice(0, first), '--', ...argv.slice(first)];
}

/**
 * Index of the next word that is neither an option nor its value; -1 if there is none before `--`. The options of the
 * last command's subcommands count too, since one of them may run without being named.
 */
export function nextOperand(argv: readonly string[], from: number, declaring: readonly Command[]): number {
  const options = optionsOf(declaring);
  for (let at = from; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return -1;
    if (!word.startsWith('-')) return at;
    const option = options.find(({ long, short }) => word === long || word === short);
    if (option?.required) at += 1;
  }
  return -1;
}

/** Whether a word is an option that none of the commands declares. */
export function isUnknownOption(word: string, declaring: readonly Command[]): boolean {
  const [name] = word.split('=', 1);
  return (
    word.startsWith('-') &&
    !optionsOf(declaring).some(({ long, short }) => name === long || word.startsWith(short ?? '\n'))
  );
}

function optionsOf(declaring: readonly Command[]): Command['options'] {
  return [...declaring, ...(declaring.at(-1)?.commands ?? [])].flatMap((command) => command.options);
}
