import { Command, CommanderError } from 'commander';
import { ScratchpadError } from '../errors.ts';
import { forTerminal } from '../safety/visible.ts';
import { VERSION } from '../version.ts';
import { type Act, lazily } from './declare/action.ts';
import { declareAssembly } from './declare/assembly.ts';
import { declareConfig } from './declare/config.ts';
import { guardDashes, unguard } from './declare/dashes.ts';
import { declareEntries } from './declare/entries.ts';
import { declareFeedback } from './declare/feedback.ts';
import { declareHistory } from './declare/history.ts';
import { declareHosts } from './declare/hosts.ts';
import { declareLook } from './declare/look.ts';
import { declareMemory } from './declare/memory.ts';
import { declareMood } from './declare/mood.ts';
import { declareNotepad } from './declare/notepad.ts';
import { endOfOptions } from './declare/operands.ts';
import { declarePad } from './declare/pad.ts';
import { declareSession } from './declare/session.ts';
import { declareSpaces } from './declare/spaces.ts';
import { declareStore } from './declare/store.ts';
import { declareTool } from './declare/tool.ts';
import { declareTrail } from './declare/trail.ts';
import { declareTranscript } from './declare/transcript.ts';
import { declareTransfer } from './declare/transfer.ts';
import { declareTriggers } from './declare/triggers.ts';
import { checkWords } from './declare/words.ts';
import { EXIT_CODES, printFailure, reportFailure } from './failure.ts';
import { invoke, write } from './invocation.ts';

interface Family {
  heading: string;
  names: readonly string[];
  declare: (program: Command, act: Act) => void;
}

const PAD = 'The pad:';
const SPACES = 'The plan, the notes, the references:';
const STATE = 'The present state:';
const LONG = 'Long contents and sessions:';
const AGENTS = 'In your agent, and by itself:';
const SETTINGS = 'Settings:';

/** Which function declares which commands, in the order of the help text. */
const FAMILIES: readonly Family[] = [
  {
    heading: PAD,
    names: ['init', 'show', 'edit', 'search', 'context', 'merge', 'check', 'status'],
    declare: declarePad,
  },
  { heading: PAD, names: ['report', 'top', 'line'], declare: declareLook },
  { heading: SPACES, names: ['notes', 'plan', 'refs'], declare: declareSpaces },
  { heading: SPACES, names: ['notepad'], declare: declareNotepad },
  { heading: SPACES, names: ['history', 'diff', 'undo', 'redo', 'restore'], declare: declareHistory },
  { heading: STATE, names: ['assemble'], declare: declareAssembly },
  { heading: STATE, names: ['memory'], declare: declareMemory },
  { heading: STATE, names: ['mood'], declare: declareMood },
  { heading: STATE, names: ['feedback', 'audit'], declare: declareFeedback },
  { heading: STATE, names: ['trail'], declare: declareTrail },
  { heading: STATE, names: ['transcript'], declare: declareTranscript },
  { heading: AGENTS, names: ['hook', 'install', 'uninstall', 'guidance', 'doctor'], declare: declareHosts },
  { heading: AGENTS, names: ['watch', 'schedule'], declare: declareTriggers },
  { heading: AGENTS, names: ['tool', 'mcp'], declare: declareTool },
  { heading: LONG, names: ['entry', 'run'], declare: declareEntries },
  { heading: LONG, names: ['session'], declare: declareSession },
  { heading: LONG, names: ['store'], declare: declareStore },
  { heading: LONG, names: ['export', 'import'], declare: declareTransfer },
  { heading: SETTINGS, names: ['config', 'trust', 'schema', 'version'], declare: declareConfig },
];

const FIRST_STEPS = `
First steps:
  $ scratchpad init                      creates SCRATCHPAD.md here
  $ scratchpad plan set "1. Fix auth bug
    2. Add test"                         or write it into the file yourself
  $ scratchpad notes append "Root cause: timezone mismatch"
  $ scratchpad assemble                  reads your last session, fills in the present state
  $ scratchpad install claude-code       has your agent see it at every prompt

scratchpad COMMAND --help shows examples of each.`;

/**
 * Declares the program. Nothing but the declarations is loaded here; bodies load when their
 * command runs, and a command line whose first word is a command needs no other family.
 */
export function buildProgram(act: Act, firstWord?: string): Command {
  const program = new Command('scratchpad')
    .description(
      "An AI agent's working memory, kept in one Markdown file that agents, scripts and people share.",
    )
    .version(VERSION)
    .option('-w, --workspace <dir>', 'the directory that holds SCRATCHPAD.md')
    .option('-s, --session <id>', 'whose pad: a session id, the primary session unless given')
    .option('--init', 'make the workspace here, or the session, where there is none')
    .option('--json', 'print one JSON value instead of text')
    .option('-q, --quiet', 'print nothing but what was asked for, and errors')
    .option('--now <time>', 'take this as the present moment (ISO 8601), for runs that can be repeated')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => write(1, unguard(text)),
      writeErr: (text) => write(2, forTerminal(unguard(text))),
      outputError: (text, put) => put(inOurForm(text)),
    });
  const wanted = FAMILIES.filter(({ names }) => firstWord !== undefined && names.includes(firstWord));
  for (const { heading, declare } of wanted.length > 0 ? wanted : FAMILIES) {
    program.commandsGroup(heading);
    declare(program, act);
  }
  program.commandsGroup(SETTINGS).helpCommand(true).addHelpText('after', FIRST_STEPS);
  program.action(act(async () => (await import('./overview.ts')).overview));
  return program;
}

/** Runs one command line and returns its exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  let code = 0;
  const json = asksForJson(argv);
  const program = buildProgram(
    lazily(env, cwd, (exitCode) => {
      code = exitCode;
    }),
    argv[0],
  );
  if (!FAMILIES.some(({ names }) => names.includes(argv[0] ?? ''))) {
    const { addCompletion } = await import('./completion.ts');
    const { openSession } = await import('./open.ts');
    await addCompletion(
      program,
      argv,
      () => openSession(invoke({ quiet: true }, env, cwd)),
      () => invoke({ json, quiet: argv.includes('--quiet') || argv.includes('-q') }, env, cwd),
    );
  }
  finish(program);
  try {
    checkWords(argv, program);
    await program.parseAsync(guardDashes(endOfOptions(argv, program)), { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, env, json);
    if (error.exitCode === 0) return 0;
    // commander has said it on stderr.
    if (json) printFailure(inOurTerms(error));
    return EXIT_CODES.usage;
  }
}

/** Whether the line has `--json`; what follows `--` is text, and what follows `run COMMAND` is that command's. */
function asksForJson(argv: readonly string[]): boolean {
  const ours = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const json = ours.indexOf('--json');
  return json !== -1 && !(ours.includes('run') && json > ours.indexOf('run') + 1);
}

/** What is commander's for each command by itself: that an error is thrown, and what is said after it. */
function finish(command: Command, path = 'scratchpad'): void {
  command.exitOverride();
  const what = command.commands.length > 0 ? 'the commands' : 'what it takes';
  command.showHelpAfterError(`  next:     ${path} --help shows ${what}`);
  for (const child of command.commands) finish(child, `${path} ${child.name()}`);
}

/** An error of commander's as one of ours. */
function inOurTerms({ message }: CommanderError): ScratchpadError {
  const [first = '', hint = ''] = unguard(message.replace(/^error: /, '')).split('\n');
  const meant = /^\(Did you mean (.+)\?\)$/.exec(hint)?.[1];
  return new ScratchpadError('usage', first, meant === undefined ? {} : { expected: `perhaps ${meant}` });
}

/** commander's one line of an error in the form that all errors of this program have. */
function inOurForm(text: string): string {
  const plain = text
    .replace(/^error: /, 'scratchpad: ')
    .replace(/^\(Did you mean (.+)\?\)$/m, '  expected: perhaps $1');
  // The commonest cause: words of a text that the shell took apart.
  return plain.startsWith('scratchpad: too many arguments')
    ? `${plain.trimEnd()}\n  expected: fewer words; a text of several goes in quotes\n`
    : plain;
}
