import type { Command } from 'commander';
import { type GlobalOptions, type Invocation, invoke } from '../invocation.ts';

/** Commands that help shows under one heading. */
export interface Family {
  heading: string;
  /** Modules by command. Each has a function of the name of the command, or of its verb. */
  bodies: Readonly<Record<string, () => Promise<object>>>;
  /**
   * The commands, in the form of their help. A line has a name and, after two spaces or more, what it is about; what
   * belongs to a command is indented below it: verbs, `<arguments>`, `--options` with ` = default`, and examples, which
   * begin with `$`. Behind a verb may stand an `|alias`, `(default)` or `(hidden)`.
   */
  text: string;
}

/** A command's body: it takes the invocation, the arguments as declared, then the options. */
type Body = (invocation: Invocation, ...args: unknown[]) => Promise<void> | void;

/** Turns a loader of a body into a commander action: the module is loaded when the command runs. */
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

const LINE = /^( *)(?:\$ (.*)|(\S.*?)(?: {2,}(.*))?)$/;
const COMMAND = /^([\w-]+)(?:\|([\w-]+))?(?: \((?:(default)|(hidden))\))?$/;

/** The commands of a family, without their verbs. */
export function namesIn({ text }: Family): string[] {
  return text.match(/^[a-z]+/gm) ?? [];
}

export function declare(program: Command, family: Family, act: Act): void {
  program.commandsGroup(family.heading);
  /** The command that each level of indentation belongs to. */
  const owners = [program];
  const shown = new Map<Command, string[]>();
  for (const line of family.text.trim().split('\n')) {
    const [, indent = '', example, what = '', about = ''] = LINE.exec(line) ?? [];
    const depth = indent.length / 2;
    const owner = owners[depth] ?? program;
    if (example !== undefined) shown.get(owner)?.push(example.replaceAll('\\n', '\n'));
    else if (/^[<[]/.test(what)) owner.argument(what, about);
    else if (what.startsWith('-')) {
      const [flags = '', fallback] = what.split(' = ');
      owner.option(flags, about, fallback);
    } else {
      const [, name = '', alias, isDefault, hidden] = COMMAND.exec(what) ?? [];
      const command = owner.command(name, { isDefault: Boolean(isDefault), hidden: Boolean(hidden) });
      command.description(about);
      if (alias !== undefined) command.alias(alias);
      owners.splice(depth + 1, owners.length, command);
      shown.set(command, []);
    }
  }
  for (const [command, commands] of shown) {
    if (commands.length > 0) command.addHelpText('before', examples(...commands));
    if (command.commands.length === 0) command.action(act(() => bodyOf(family, command)));
  }
}

/** Help text: commands as a person would type them. An example may have several lines. */
export function examples(...commands: string[]): string {
  return `Examples:\n${commands.map((command) => `  $ ${command.replaceAll('\n', '\n    ')}\n`).join('')}`;
}

/** The function that a command runs. */
export async function bodyOf({ bodies }: Family, command: Command): Promise<Body> {
  const [name, group = ''] = [command.name(), command.parent?.name()];
  const load = bodies[`${group} ${name}`] ?? bodies[group] ?? bodies[name];
  const body = load && ((await load()) as Record<string, Body>)[name];
  if (body === undefined) throw new Error(`${group} ${name} has no function`);
  return body;
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
