import { Command, CommanderError, Help, Option } from 'commander';
import PACKAGE from '../../package.json' with { type: 'json' };
import { sanitizeForTerminal } from '../base/safety/outgoing.ts';
import {
  addCommand,
  type CommandDefinition,
  expandListOption,
  findNextOperand,
  guardDashes,
  type MakeAction,
  nameArguments,
  separateRunCommand,
  unescapeOperand,
  unescapeOptions,
} from './command.ts';
import { type GlobalOptions, invoke, write } from './invocation.ts';
import { EXIT_CODES, reportFailure } from './print.ts';

export interface Row {
  name: string;
  summary: string;
  load(): Promise<CommandDefinition>;
}

/** The module of a command exports it under its name. */
const row = <Name extends string>(
  name: Name,
  summary: string,
  load: () => Promise<{ readonly [name in Name]: CommandDefinition }>,
): Row => ({ name, summary, load: async () => (await load())[name] });

const loadDoctor = () => import('./doctor.ts');
const loadHistory = () => import('./history.ts');
const loadInit = () => import('./init.ts');
const loadInstall = () => import('./install.ts');
const loadShow = () => import('./show.ts');
const loadSpaces = () => import('./spaces.ts');
const loadTimers = () => import('./automatic.ts');
const loadTools = () => import('./tools.ts');

/** Every command, in the order of the help. Its module is loaded when it runs, or when its help or its verbs are asked for. */
const FAMILIES: Readonly<Record<string, readonly Row[]>> = {
  'Pad:': [
    row('init', 'start: create a new SCRATCHPAD.md here', loadInit),
    row('show', 'print the pad, a space, an entry, or a revision', loadShow),
    row('edit', 'open SCRATCHPAD.md in your editor, to update it', loadShow),
    row('search', 'find words in pad, entries, messages and memory', () => import('./search.ts')),
    row('context', 'print what a model without hooks is shown', () => import('./context.ts')),
    row('merge', 'merge two versions of a tracked pad, for git', loadInit),
    row('check', 'check the file and its state block; exits 4 if stale', () => import('./check.ts')),
    row('status', 'show connections, what models were told, and problems', () => import('./status.ts')),
    row('report', 'export the session as a web page to print (PDF)', () => import('./report.ts')),
    row('line', 'print the status in short, one line for a prompt', () => import('./line.ts')),
  ],
  'Plan, notes and references:': [
    row('notes', 'facts, rules, decisions to remember (4,000 characters)', loadSpaces),
    row('plan', 'steps of the work and its progress (2,000 characters)', () => import('./plan.ts')),
    row('refs', 'links: files, URLs, identifiers (50 items)', loadSpaces),
    row('history', 'list the changes, newest first, one line each', loadHistory),
    row('diff', 'show what changed last, or between two revisions', loadHistory),
    row('undo', 'take the newest changes back; entries: entry undelete', loadHistory),
    row('redo', 'redo changes that were undone', loadHistory),
  ],
  'Current state:': [
    row('assemble', 'read the last session and write the state block', () => import('./assemble.ts')),
    row('memory', 'search MEMORY.md, USER.md and memory/', () => import('./memory.ts')),
    row('mood', 'show the mood read from your messages, and why', () => import('./mood.ts')),
    row('feedback', 'give feedback on how agents answer; lasts two weeks', () => import('./feedback.ts')),
    row('audit', 'compare advice on answers with the answers given', () => import('./audit.ts')),
    row('handover', 'show what the next session is told, to resume work', () => import('./handover.ts')),
    row('transcript', 'list the sessions of your agents, or show one', () => import('./transcript.ts')),
  ],
  'Agents and automation:': [
    row('install', 'connect an agent (host), or set up a timer; asks first', loadInstall),
    row('uninstall', 'disconnect a host; its settings are as before', loadInstall),
    row('guidance', 'print a paragraph about it for AGENTS.md', loadTools),
    row('doctor', 'find why an agent does not see the pad, and the fix', loadDoctor),
    row('hook', 'answer a hook event of a host; always exits 0', loadTools),
    row('watch', 'assemble whenever session, files or settings change', loadTimers),
    row('schedule', 'assemble on a schedule, in the foreground', loadTimers),
    row('tool', 'call one of the agent tools: JSON in, JSON out', loadTools),
    row('mcp', 'serve the agent tools over MCP', loadTools),
  ],
  'Long contents and sessions:': [
    row('entry', 'save long texts under a name', () => import('./entry.ts')),
    row('run', 'run a command; keep a long output, show a preview', () => import('./run.ts')),
    row('session', 'manage sessions, each with its own pad', () => import('./session.ts')),
    row('store', 'share the memory between machines, in PostgreSQL', () => import('./store.ts')),
  ],
  'Settings:': [
    row('config', 'read and change the settings', () => import('./config.ts')),
    row('trust', 'approve the commands that the config would run', () => import('./trust.ts')),
  ],
};

export const ROWS = Object.values(FAMILIES).flat();

const ABOUT =
  "An AI agent's working memory, kept in one Markdown file that agents, scripts and people share.";

/** The commands of the first help, which fits on one screen. */
const FIRST_HELP =
  'init show edit search status report plan notes refs history undo assemble handover install doctor'.split(
    ' ',
  );

const FIRST_STEPS = `
First steps:
  $ scratchpad init
  $ scratchpad plan set "1. Fix auth bug"
  $ scratchpad install claude-code

Short: note TEXT, todo TEXT, done N, next, ref URL, ls, cat NAME, rm NAME, log
All commands: scratchpad help --all
Examples and options of one: scratchpad COMMAND --help`;

const GLOBAL_OPTIONS =
  '\nGlobal options: -w DIR, -s SESSION, --init, --json, -q, --now TIME (see scratchpad --help)';

const createProgram = (): Command =>
  new Command('scratchpad')
    .description(ABOUT)
    .option('-w, --workspace <dir>', 'the directory that holds SCRATCHPAD.md')
    .addOption(new Option('--dir <dir>', 'the same').hideHelp())
    .option('-s, --session <id>', 'the session to use, instead of the primary one')
    .option('--init', 'create the workspace here if no folder above has one, or the session')
    .option('--json', 'print one JSON value instead of text')
    .option('-q, --quiet', 'print only results, errors, and warnings about changes')
    .option('--now <time>', 'use this as the current time (ISO 8601)')
    .version(PACKAGE.version, '-v, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => write(1, unescapeOperand(text)),
      writeErr: (text) => write(2, sanitizeForTerminal(unescapeOperand(text))),
      // `main` prints it in the form of every error.
      outputError: () => undefined,
    })
    .addHelpText('afterAll', ({ command }) => (command.parent ? GLOBAL_OPTIONS : ''));

/** The program with the names of all commands, and the arguments and verbs of those that are wanted. */
export async function buildProgram(
  wanted: readonly Row[] = ROWS,
  makeAction: MakeAction = () => async () => undefined,
): Promise<Command> {
  const program = createProgram();
  for (const [heading, rows] of Object.entries(FAMILIES)) {
    program.commandsGroup(heading);
    for (const each of rows) {
      const definition = wanted.includes(each) ? await each.load() : {};
      addCommand(program, each.name, { ...definition, about: each.summary }, makeAction);
    }
  }

  return program.helpCommand(true);
}

export async function main(typed: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  let exitCode = 0;
  const makeAction: MakeAction =
    (run) =>
    async (...words) => {
      // commander ends the list with the options and the command itself.
      const command = words.pop() as Command;
      const options = words.pop() as object;
      const { dir, ...global } = unescapeOptions(command.optsWithGlobals<GlobalOptions & { dir?: string }>());
      const call = invoke({ workspace: dir, ...global }, env, cwd);

      await run(call, nameArguments(command, words, options));
      exitCode = call.exitCode;
    };

  // A line that begins with the name of a command has no short words.
  const row = typed[1] === 'help' ? undefined : ROWS.find(({ name }) => name === typed[0]);
  const shortWords = row === undefined ? await import('./words.ts') : undefined;
  const words = typed[0] === '-C' ? ['--dir', ...typed.slice(1)] : typed;
  const argv = shortWords?.completeWords(words) ?? words;
  const rows = row ? [row] : findWantedRows(argv, shortWords?.findMeantCommand);
  const program = await buildProgram(rows, makeAction);

  program.action(makeAction(async (call) => (await import('./show.ts')).showOverview(call)));
  await offerCompletion(program, argv, env, cwd);

  if (shortWords && argv[0] === 'help' && argv[1] === '--all') {
    const lines = shortWords
      .listShortWords()
      .map(([word, meant]) => `  ${word.padEnd(22)} scratchpad ${meant}`);
    program.addHelpText('after', `\nShort words, and what they stand for:\n${lines.join('\n')}`).outputHelp();
    return 0;
  }

  limitHelp(program);
  let failing = program;
  throwErrors(program, (command) => {
    failing = command;
  });

  try {
    const line = expandListOption(shortWords?.expandShortWord(argv, program) ?? argv, program);
    await program.parseAsync(guardDashes(separateRunCommand(line, program)), { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, failing, argv, env);
  }
}

/** The commands whose arguments and verbs a line needs. */
function findWantedRows(
  argv: readonly string[],
  findMeantCommand: ((word: string) => string | undefined) | undefined,
): readonly Row[] {
  const completes = argv[0] === 'complete' && argv[1] === '--';
  const from = argv[0] === 'help' ? 1 : 0;
  const index = findNextOperand(argv, completes ? 2 : from, [createProgram()]);
  const word = argv[index];
  if (word === undefined || (completes && index === argv.length - 1)) return [];

  const noun = findMeantCommand?.(word)?.split(' ')[0] ?? word;
  return ROWS.filter(({ name }) => name === noun);
}

/** Adds the command `completion`, where it is shown or asked for. */
async function offerCompletion(
  program: Command,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<void> {
  if (!/^(?:complete|completion|help|-h|--help)$/.test(argv[0] ?? '')) return;

  const { addCompletion } = await import('./completion.ts');
  const { openSession } = await import('./open.ts');
  const call = { ...invoke({ quiet: true }, env, cwd), warn: () => undefined };
  await addCompletion(program, argv, () => openSession(call));
}

/** Leaves the help with the commands that a beginner needs, and the first steps. */
function limitHelp(program: Command): void {
  for (const command of program.commands) command.helpGroup('Commands:');
  const visibleCommands = (parent: Command): Command[] =>
    new Help().visibleCommands(parent).filter((each) => FIRST_HELP.includes(each.name()));
  program.configureHelp({ visibleCommands }).addHelpText('after', FIRST_STEPS);
}

/** Makes a command and its verbs throw the errors of commander, and tells which of them has failed. */
function throwErrors(command: Command, onError: (command: Command) => void): void {
  command.exitOverride((error) => {
    onError(command);
    throw error;
  });
  for (const child of command.commands) throwErrors(child, onError);
}

async function reportError(
  error: unknown,
  failing: Command,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const isJson = hasJsonOption(argv);
  if (!(error instanceof CommanderError)) return reportFailure(error, env, isJson);
  // commander has printed the help.
  if (error.exitCode === 0) return 0;
  if (error.code === 'commander.help') return EXIT_CODES.usage;

  const { translateCommanderError } = await import('./words.ts');
  // An unknown word or option may be one of any command.
  const { commands } = await buildProgram();
  return reportFailure(translateCommanderError(error, failing, commands), env, isJson);
}

/** Whether the line has `--json`. Words after `--` are text, and words after `run COMMAND` belong to that command. */
function hasJsonOption(argv: readonly string[]): boolean {
  const ours = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const json = ours.indexOf('--json');
  return json !== -1 && !(ours.includes('run') && json > ours.indexOf('run') + 1);
}
