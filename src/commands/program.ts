import { Command, CommanderError } from 'commander';
import { misuse, type ScratchpadError } from '../base/errors.ts';
import { VERSION } from '../base/package.ts';
import { forTerminal } from '../base/safety/visible.ts';
import { AGENTS } from './declare/agents.ts';
import { CONTENTS } from './declare/contents.ts';
import { type Act, declare, endOfOptions, guardDashes, lazily, unguard } from './declare/family.ts';
import { PAD } from './declare/pad.ts';
import { SETTINGS } from './declare/settings.ts';
import { SPACES } from './declare/spaces.ts';
import { STATE } from './declare/state.ts';
import { checkGone, checkWords, completed, inFull, isShort, shortWords } from './declare/words.ts';
import { EXIT_CODES, printFailure, reportFailure } from './failure.ts';
import { invoke, write } from './invocation.ts';

/** In the order of the help text. */
export const FAMILIES = [PAD, SPACES, STATE, AGENTS, CONTENTS, SETTINGS];

const COMMAND_NAMES = FAMILIES.flatMap(({ commands }) => commands.map(({ name }) => name));

/** What fits on one screen; `scratchpad help --all` shows every command. */
const HELP = `Usage: scratchpad [options] [command]

An AI agent's working memory, kept in one Markdown file that agents, scripts and people share.

Commands:
  init      create SCRATCHPAD.md in this directory
  show      print the pad, one of its spaces, or an earlier revision
  plan      the steps of the current work: add, done, edit, move
  notes     findings, decisions, partial state: add, edit, remove
  refs      files, URLs and identifiers to keep at hand
  edit      open the pad, a space or an entry in your editor
  undo      undo the newest changes, including edits made by hand
  history   list the changes, newest first
  search    find words in the pad, the entries and the memory files
  assemble  read the last session and write the current state
  status    show where things are, how full the spaces are, what went wrong
  report    write an HTML page about the session
  install   connect the scratchpad to an agent
  doctor    find what keeps the scratchpad from reaching the agent

Options:
  -w, --workspace <dir>  the directory that holds SCRATCHPAD.md
  -s, --session <id>     the session whose pad to use, instead of the primary one
  --init                 create the workspace here, or the session, if there is none
  --json                 print one JSON value instead of text
  -q, --quiet            print only results, errors, and warnings that text was not kept
  --now <time>           use this as the current time (ISO 8601)
  -V, --version          print the version

First steps:
  $ scratchpad init
  $ scratchpad plan set "1. Fix auth bug"
  $ scratchpad install claude-code

Short: note TEXT, todo TEXT, done N, next, ref URL, ls, cat NAME, rm NAME, log
All commands: scratchpad help --all
Examples and options of one: scratchpad COMMAND --help
`;

const GLOBAL_OPTIONS =
  '\nGlobal options: -w DIR, -s SESSION, --init, --json, -q, --now TIME (see scratchpad --help)';

/**
 * Declares the program. Only the declarations are loaded here; bodies load when their
 * command runs, and a command line whose first word is a command needs no other family.
 * @param all whether the help names every command
 */
export function buildProgram(act: Act, firstWord?: string, all = false): Command {
  const program = new Command('scratchpad')
    .description(
      "An AI agent's working memory, kept in one Markdown file that agents, scripts and people share.",
    )
    .version(VERSION)
    .option('-w, --workspace <dir>', 'the directory that holds SCRATCHPAD.md')
    .option('-s, --session <id>', 'id of the session whose pad to use; the primary session unless given')
    .option('--init', 'create the workspace here, or the session, if there is none')
    .option('--json', 'print one JSON value instead of text')
    .option('-q, --quiet', 'print no messages: only results, errors, and warnings that text was not kept')
    .option('--now <time>', 'use this as the current time (ISO 8601), for reproducible runs')
    .configureHelp({ sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => write(1, unguard(text)),
      writeErr: (text) => write(2, forTerminal(unguard(text))),
      outputError: (text, put) => put(inOurForm(text)),
    });
  const wanted = FAMILIES.filter(({ commands }) => commands.some(({ name }) => name === firstWord));
  for (const { heading, commands } of wanted.length > 0 ? wanted : FAMILIES) {
    program.commandsGroup(heading);
    declare(program, commands, act);
  }
  program.commandsGroup(SETTINGS.heading).helpCommand(true);
  if (all) program.addHelpText('after', shortHelp);
  else program.helpInformation = () => HELP;
  program.addHelpText('afterAll', ({ command }) => (command.parent ? GLOBAL_OPTIONS : ''));
  program.action(act(async () => (await import('./show.ts')).overview));
  return program;
}

/** The short words, as they follow the list of all commands. */
function shortHelp(): string {
  const lines = shortWords().map(
    ([word, meant]) => `  ${word.padEnd(30)}  the same as: scratchpad${meant && ` ${meant}`}`,
  );
  return `\nShort words:\n${lines.join('\n')}`;
}

/** Runs one command line and returns its exit code. */
export async function main(typed: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  const argv = completed(typed);
  let code = 0;
  const json = asksForJson(argv);
  const program = buildProgram(
    lazily(env, cwd, (exitCode) => {
      code = exitCode;
    }),
    isShort(argv[0]) ? undefined : argv[0],
    argv[0] === 'help' && argv[1] === '--all',
  );
  if (!FAMILIES.some(({ commands }) => commands.some(({ name }) => name === argv[0]))) {
    const { addCompletion } = await import('./completion.ts');
    const { openSession } = await import('./open.ts');
    await addCompletion(program, argv, () => openSession(invoke({ quiet: true }, env, cwd)));
  }
  finish(program);
  if (argv[0] === 'help' && argv[1] === '--all') {
    program.outputHelp();
    return 0;
  }
  try {
    const words = inFull(helpOf(argv, program), program);
    checkGone(words, program);
    checkWords(words, program, COMMAND_NAMES);
    await program.parseAsync(guardDashes(endOfOptions(words, program)), { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, env, json);
    if (error.exitCode === 0) return 0;
    // commander has printed it on stderr.
    if (json) printFailure(inOurTerms(error));
    return EXIT_CODES.usage;
  }
}

/** `help plan add` is `plan add --help`; the library's own `help` takes one name only. */
function helpOf(argv: readonly string[], program: Command): readonly string[] {
  const [help, ...names] = argv;
  if (help !== 'help' || names.length < 2) return argv;
  let command: Command | undefined = program;
  for (const name of names)
    command = command?.commands.find((each) => each.name() === name || each.aliases().includes(name));
  return command === undefined ? argv : [...names, '--help'];
}

/** Whether the line has `--json`. Words after `--` are text, and words after `run COMMAND` belong to that command. */
function asksForJson(argv: readonly string[]): boolean {
  const ours = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const json = ours.indexOf('--json');
  return json !== -1 && !(ours.includes('run') && json > ours.indexOf('run') + 1);
}

/** Sets what commander keeps per command: that it throws on an error, and the hint after it. */
function finish(command: Command, path = 'scratchpad'): void {
  command.exitOverride();
  const what = command.commands.length > 0 ? 'the commands' : 'what it takes';
  command.showHelpAfterError(`  next:     ${path} --help shows ${what}`);
  for (const child of command.commands) finish(child, `${path} ${child.name()}`);
}

/** Turns an error of commander into one of ours. */
function inOurTerms({ message }: CommanderError): ScratchpadError {
  const [first = '', hint = ''] = unguard(message.replace(/^error: /, '')).split('\n');
  const meant = /^\(Did you mean (.+)\?\)$/.exec(hint)?.[1];
  return misuse(first, { expected: meant && `perhaps ${meant}` });
}

/** Gives commander's one-line error the form of all errors of this program. */
function inOurForm(text: string): string {
  const plain = text
    .replace(/^error: /, 'scratchpad: ')
    .replace(/^\(Did you mean (.+)\?\)$/m, '  expected: perhaps $1');
  if (!plain.startsWith('scratchpad: too many arguments')) return plain;
  // The most common cause: the shell split a text into words.
  const expected = plain.includes('Expected 0 ')
    ? 'nothing but options'
    : 'fewer words; put a text of several words in quotes';
  return `${plain.trimEnd()}\n  expected: ${expected}\n`;
}
