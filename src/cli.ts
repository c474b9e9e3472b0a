import { Command, CommanderError } from 'commander';
import { type Act, lazily } from './commands/declare/action.ts';
import { declareAssembly } from './commands/declare/assembly.ts';
import { guardDashes, unguard } from './commands/declare/dashes.ts';
import { declareEntries } from './commands/declare/entries.ts';
import { declareHistory } from './commands/declare/history.ts';
import { declareHosts } from './commands/declare/hosts.ts';
import { declareMemory } from './commands/declare/memory.ts';
import { declareMood } from './commands/declare/mood.ts';
import { declareNotepad } from './commands/declare/notepad.ts';
import { declarePad } from './commands/declare/pad.ts';
import { declareSession } from './commands/declare/session.ts';
import { declareSpaces } from './commands/declare/spaces.ts';
import { declareTool } from './commands/declare/tool.ts';
import { declareTranscript } from './commands/declare/transcript.ts';
import { write } from './commands/invocation.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { tellFailure } from './failure.ts';
import { VERSION } from './version.ts';

/** Which function declares which commands, in the order of the help text. */
const FAMILIES: readonly { names: readonly string[]; declare: (program: Command, act: Act) => void }[] = [
  { names: ['init', 'show', 'context', 'check', 'status', 'config'], declare: declarePad },
  { names: ['assemble'], declare: declareAssembly },
  { names: ['notes', 'plan', 'refs'], declare: declareSpaces },
  { names: ['notepad'], declare: declareNotepad },
  { names: ['history', 'diff', 'undo', 'redo'], declare: declareHistory },
  { names: ['entry', 'run'], declare: declareEntries },
  { names: ['tool', 'mcp'], declare: declareTool },
  { names: ['memory'], declare: declareMemory },
  { names: ['mood'], declare: declareMood },
  { names: ['transcript'], declare: declareTranscript },
  { names: ['session'], declare: declareSession },
  { names: ['hook', 'install', 'uninstall', 'guidance', 'doctor'], declare: declareHosts },
];

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
    .option('--json', 'print one JSON value instead of text')
    .option('-q, --quiet', 'no words on stderr but errors')
    .option('--now <time>', 'take this as the present moment (ISO 8601), for runs that can be repeated')
    .showHelpAfterError('(scratchpad --help lists the commands)')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => write(1, unguard(text)),
      writeErr: (text) => write(2, unguard(text)),
    });
  const wanted = FAMILIES.filter(({ names }) => firstWord !== undefined && names.includes(firstWord));
  for (const { declare } of wanted.length > 0 ? wanted : FAMILIES) declare(program, act);
  return program;
}

/** Runs one command line and returns its exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  let code = 0;
  const program = buildProgram(
    lazily(env, cwd, (exitCode) => {
      code = exitCode;
    }),
    argv[0],
  );
  exitThroughUs(program);
  try {
    await program.parseAsync(guardDashes(argv), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
    return tellFailure(error, env);
  }
}

/** commander copies `exitOverride` only to commands made after it: set it on all of them. */
function exitThroughUs(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) exitThroughUs(child);
}
