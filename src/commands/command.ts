import type { Command } from 'commander';
import { usageError } from '../base/errors.ts';
import type { Invocation } from './invocation.ts';

/**
 * What a person types for a command, and its purpose: `<arguments>` in their order, then `--options`. The value `<n>` of
 * an option is a whole number from 1, `<n|0>` one from 0.
 */
export type Takes = Readonly<Record<string, string>>;

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;
type Long<Flags extends string> = Flags extends `${string}--${infer Name} ${string}`
  ? Name
  : Flags extends `${string}--${infer Name}`
    ? Name
    : never;
type NameOf<Flags extends string> = Flags extends `${'<' | '['}${infer Name}...${'>' | ']'}`
  ? Name
  : Flags extends `<${infer Name}>` | `[${infer Name}]`
    ? Name
    : Long<Flags> extends `no-${infer Name}`
      ? Camel<Name>
      : Camel<Long<Flags>>;
type ValueOf<Flags extends string> = Flags extends `-${string}...>`
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
/** What was typed, by name: the type of `'[text]'` is `text?: string`, that of `'--dry-run'` is `dryRun?: boolean`. */
export type Arguments<T extends Takes> = {
  [Flags in keyof T & string as NameOf<Flags>]: ValueOf<Flags>;
};

export interface NamedOptions {
  /** What help says of it; of a command of the first level the list of commands says it. */
  about?: string;
  examples?: readonly string[];
  also?: readonly string[];
  usual?: true;
  hidden?: true;
}

interface Spec<T extends Takes> extends NamedOptions {
  takes?: T;
  run(call: Invocation, given: Arguments<T>): Promise<void> | void;
}

export interface CommandDefinition extends NamedOptions {
  takes?: Takes;
  run?(call: Invocation, given: never): Promise<void> | void;
  verbs?: Readonly<Record<string, CommandDefinition>>;
}

// biome-ignore lint/complexity/noBannedTypes: a command that takes nothing.
export function defineCommand<const T extends Takes = {}>(spec: Spec<T>): CommandDefinition {
  return spec;
}

export type Start = (run: NonNullable<CommandDefinition['run']>) => (...args: unknown[]) => Promise<void>;

export function declare(parent: Command, name: string, declared: CommandDefinition, start: Start): Command {
  const {
    about = '',
    takes = {},
    examples: shown = [],
    also = [],
    usual,
    hidden,
    run,
    verbs = {},
  } = declared;

  const command = parent
    .command(name, { isDefault: usual, hidden })
    .description(about)
    .aliases([...also]);

  for (const [flags, purpose] of Object.entries(takes))
    if (/ <n(?:\|0)?>$/.test(flags))
      command.option(
        flags,
        purpose,
        parseWholeNumber(/--[\w-]+/.exec(flags)?.[0] ?? flags, flags.endsWith('<n>') ? 1 : 0),
      );
    else if (flags.startsWith('-')) command.option(flags, purpose);
    else command.argument(flags, purpose);

  if (shown.length > 0) command.addHelpText('before', renderExamples(...shown));
  for (const [verb, each] of Object.entries(verbs)) declare(command, verb, each, start);
  if (run) command.action(start(run));

  return command;
}

export const parseWholeNumber =
  (where: string, least: number) =>
  (text: string): number => {
    if (/^\d{1,15}$/.test(text) && Number(text) >= least) return Number(text);
    throw usageError(`${where} is not valid`, {
      where,
      expected: `a whole number of at least ${least}`,
      found: unescapeOperand(text),
    });
  };

export function renderExamples(...commands: readonly string[]): string {
  return `Examples:\n${commands.map((each) => `  $ ${each.replaceAll('\n', '\n    ')}\n`).join('')}`;
}

export function nameArguments(command: Command, words: readonly unknown[], options: object): never {
  const named = command.registeredArguments.map((argument, k) => [argument.name(), words[k]] as const);
  return unescapeOptions({ ...Object.fromEntries(named), ...options }) as never;
}

/** commander takes `- found it` and `-5` for options: their dash travels as this character. */
const STAND_IN = '\u{f0000}';

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((word) => (/^-+[\s\d]|^-[^=]*\s/.test(word) ? STAND_IN + word.slice(1) : word));
}

export const unescapeOperand = (text: string): string => text.replaceAll(STAND_IN, '-');

export function unescapeOptions<T extends object>(options: T): T {
  const restore = (value: unknown): unknown => {
    if (typeof value === 'string') return unescapeOperand(value);
    return Array.isArray(value) ? value.map(restore) : value;
  };
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, restore(value)])) as T;
}

/** What follows `run COMMAND` belongs to that command, so `--` marks the end of our options. */
export function endOfOptions(argv: readonly string[], program: Command): readonly string[] {
  const at = findNextOperand(argv, 0, [program]);
  const run = findSubcommand(program, 'run');
  if (!run || argv[at] !== 'run') return argv;
  const first = findNextOperand(argv, at + 1, [program, run]);
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
  for (let at = from; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return -1;
    if (!word.startsWith('-')) return at;
    if (options.find(({ long, short }) => word === long || word === short)?.required) at += 1;
  }

  return -1;
}

/** `notes -l` as `notes list`, where the noun has that verb, and `-C DIR` as `--dir DIR`, where `-C` is no option of it. */
export function expandShorthand(argv: readonly string[], program: Command): readonly string[] {
  const at = findNextOperand(argv, 0, [program]);
  const noun = findSubcommand(program, argv[at] ?? '');
  if (noun === undefined || noun.name() === 'run') return argv;

  const isList = /^(?:-l|--list)$/.test(argv[at + 1] ?? '') && findSubcommand(noun, 'list') !== undefined;
  const hasOwn = [noun, ...noun.commands].some(({ options }) => options.some(({ short }) => short === '-C'));
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;

  return argv.map((word, k) => {
    if (isList && k === at + 1) return 'list';
    return word === '-C' && !hasOwn && k < end ? '--dir' : word;
  });
}

export function findSubcommand({ commands }: Pick<Command, 'commands'>, word: string): Command | undefined {
  return commands.find((child) => child.name() === word || child.aliases().includes(word));
}
