import type { Command } from 'commander';
import { usageError } from '../base/errors.ts';
import type { Invocation } from './invocation.ts';

/**
 * What a person types for a command, and its purpose: `<arguments>` in their order, then `--options`. The value `<n>` of
 * an option is a whole number from 1, `<n|0>` one from 0.
 */
export type Takes = Readonly<Record<string, string>>;

/*
 * The type of an argument follows from what is typed: `'<name>'` is `name: string`, `'[text]'` is `text?: string`, `'<names...>'`
 * is `names: string[]`, `'--dry-run'` is `dryRun?: boolean`, and `'-n, --limit <n>'` is `limit?: number`.
 */

type CamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text;
type LongName<Flags extends string> = Flags extends `${string}--${infer Name} ${string}`
  ? Name
  : Flags extends `${string}--${infer Name}`
    ? Name
    : never;
type ArgumentName<Flags extends string> = Flags extends `${'<' | '['}${infer Name}...${'>' | ']'}`
  ? Name
  : Flags extends `<${infer Name}>` | `[${infer Name}]`
    ? Name
    : LongName<Flags> extends `no-${infer Name}`
      ? CamelCase<Name>
      : CamelCase<LongName<Flags>>;
type ArgumentValue<Flags extends string> = Flags extends `-${string}...>`
  ? string[] | undefined
  : Flags extends `${string}...${'>' | ']'}`
    ? string[]
    : Flags extends `-${string} <n${'' | '|0'}>`
      ? number | undefined
      : Flags extends `-${string} <${string}`
        ? string | undefined
        : Flags extends `-${string}`
          ? boolean | undefined
          : Flags extends `<${string}`
            ? string
            : string | undefined;

/** What was typed, by name. */
export type Arguments<T extends Takes> = {
  [Flags in keyof T & string as ArgumentName<Flags>]: ArgumentValue<Flags>;
};

export interface CommandHelp {
  /** Its line in the help; a command of the first level has it in the list of `program.ts`. */
  about?: string;
  examples?: readonly string[];
  aliases?: readonly string[];
  /** The verb that runs where none is typed. */
  isDefault?: true;
  hidden?: true;
}

interface CommandSpec<T extends Takes> extends CommandHelp {
  takes?: T;
  run(call: Invocation, args: Arguments<T>): Promise<void> | void;
}

export interface CommandDefinition extends CommandHelp {
  takes?: Takes;
  run?(call: Invocation, args: never): Promise<void> | void;
  verbs?: Readonly<Record<string, CommandDefinition>>;
}

// biome-ignore lint/complexity/noBannedTypes: a command that takes nothing.
export const defineCommand = <const T extends Takes = {}>(spec: CommandSpec<T>): CommandDefinition => spec;

/** Makes the function that commander calls out of the one that a command declares. */
export type MakeAction = (
  run: NonNullable<CommandDefinition['run']>,
) => (...args: unknown[]) => Promise<void>;

/** Adds a command, and its verbs, to a parent of commander. */
export function addCommand(
  parent: Command,
  name: string,
  definition: CommandDefinition,
  makeAction: MakeAction,
): void {
  const {
    about = '',
    takes = {},
    examples = [],
    aliases = [],
    isDefault,
    hidden,
    run,
    verbs = {},
  } = definition;
  const command = parent
    .command(name, { isDefault, hidden })
    .description(about)
    .aliases([...aliases]);

  for (const [flags, purpose] of Object.entries(takes)) {
    const [, option = '', least] = /(--[\w-]+) <n(\|0)?>$/.exec(flags) ?? [];
    if (option !== '') command.option(flags, purpose, parseWholeNumber(option, least === undefined ? 1 : 0));
    else if (flags.startsWith('-')) command.option(flags, purpose);
    else command.argument(flags, purpose);
  }

  if (examples.length > 0) command.addHelpText('before', renderExamples(...examples));
  for (const [verb, each] of Object.entries(verbs)) addCommand(command, verb, each, makeAction);
  if (run) command.action(makeAction(run));
}

function parseWholeNumber(option: string, least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
    throw usageError(`${option} is not valid`, {
      where: option,
      expected: `a whole number of at least ${least}`,
      found: unescapeOperand(text),
    });
  };
}

export const renderExamples = (...commands: readonly string[]): string =>
  `Examples:\n${commands.map((each) => `  $ ${each.replaceAll('\n', '\n    ')}\n`).join('')}`;

/** What was typed for a command, by name: commander hands arguments over in their order. */
export function nameArguments(command: Command, words: readonly unknown[], options: object): never {
  const named = command.registeredArguments.map((argument, k) => [argument.name(), words[k]] as const);
  return unescapeOptions({ ...Object.fromEntries(named), ...options }) as never;
}

/** Stands for the dash of words such as `- found it` and `-5`, which commander would take for options. */
const ESCAPED_DASH = '\u{f0000}';

export const guardDashes = (argv: readonly string[]): string[] =>
  argv.map((word) => (/^-+[\s\d]|^-[^=]*\s/.test(word) ? ESCAPED_DASH + word.slice(1) : word));

export const unescapeOperand = (text: string): string => text.replaceAll(ESCAPED_DASH, '-');

export function unescapeOptions<T extends object>(options: T): T {
  const restore = (value: unknown): unknown => {
    if (typeof value === 'string') return unescapeOperand(value);
    return Array.isArray(value) ? value.map(restore) : value;
  };
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, restore(value)])) as T;
}

/** Puts `--` behind `run COMMAND`: what follows are options of that command, not ours. */
export function separateRunCommand(argv: readonly string[], program: Command): readonly string[] {
  const index = findNextOperand(argv, 0, [program]);
  const run = findSubcommand(program, 'run');
  if (!run || argv[index] !== 'run') return argv;
  const first = findNextOperand(argv, index + 1, [program, run]);
  return first === -1 ? argv : [...argv.slice(0, first), '--', ...argv.slice(first)];
}

/** Index of the next word that is neither an option nor its value; -1 if there is none before `--`. */
export function findNextOperand(
  argv: readonly string[],
  from: number,
  declaring: readonly Command[],
): number {
  const verbs = declaring.at(-1)?.commands ?? [];
  const options = [...declaring, ...verbs].flatMap((each) => each.options);
  for (let index = from; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') return -1;
    if (!word.startsWith('-')) return index;
    if (options.find(({ long, short }) => word === long || word === short)?.required) index += 1;
  }

  return -1;
}

/** `notes -l` and `notes --list` as `notes list`, where the noun has that verb. */
export function expandListOption(argv: readonly string[], program: Command): readonly string[] {
  const index = findNextOperand(argv, 0, [program]);
  const noun = findSubcommand(program, argv[index] ?? '');
  const isList = /^(?:-l|--list)$/.test(argv[index + 1] ?? '');
  return isList && noun && findSubcommand(noun, 'list') ? argv.with(index + 1, 'list') : argv;
}

export const findSubcommand = ({ commands }: Pick<Command, 'commands'>, word: string): Command | undefined =>
  commands.find((child) => child.name() === word || child.aliases().includes(word));
