import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Reply } from '../model-stub.ts';
import { makeClaudeCode } from './claude-code.ts';
import { makeCodex } from './codex.ts';
import { makeGeminiCli } from './gemini-cli.ts';
import { openClaw, turn } from './openclaw.ts';

type Call = NonNullable<Reply['tool']>;

/** What the stories need of a host, whichever it is. */
export interface Host {
  /** Starts a session with its first words. @returns what names it */
  begin(words: string): Promise<string>;
  goOn(session: string, words: string): Promise<unknown>;
  fork?(session: string, words: string): Promise<string>;
  /** A shell command, as a model in this host calls it. */
  command(line: string): Call;
  /** Our tool, as a model in this host calls it. */
  tool(input: object): Call;
  /** Whether its model is told of our tools; of commands otherwise. */
  byTool?: true;
  /** Ends the host from within a command. */
  kill: string;
}

/** The program that starts the host ends with it. */
const KILL = 'kill -9 $PPID $(ps -o ppid= -p $PPID)';

/** Sets up a host in the home of the bench. */
export const HOSTS: Readonly<Record<string, (bench: Bench, cache: string | undefined) => Host>> = {
  'claude-code': (bench, cache) => {
    const run = makeClaudeCode(bench, cache);
    const makeSession = async (...args: string[]): Promise<string> => {
      const lines = JSON.parse(await run(['--verbose', ...args])) as { session_id: string };
      return [lines].flat().at(-1)?.session_id ?? '';
    };
    return {
      begin: makeSession,
      goOn: (id, words) => makeSession('--resume', id, words),
      fork: (id, words) => makeSession('--resume', id, '--fork-session', words),
      command: (command) => ({ name: 'Bash', input: { command } }),
      tool: (input) => ({ name: 'mcp__scratchpad__session_scratchpad', input }),
      kill: 'kill -9 $PPID',
    };
  },
  codex: (bench, cache) => {
    const { run } = makeCodex(bench, cache);
    const findNamed = async (...args: string[]): Promise<string> => {
      await run(args);
      return findNewest(bench);
    };
    return {
      begin: findNamed,
      goOn: (id, words) => run(['resume', id, words]),
      fork: (id, words) => findNamed('fork', id, words),
      command: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 10_000 } }),
      tool: (input) => ({ name: 'session_scratchpad', namespace: 'mcp__scratchpad', input }),
      kill: KILL,
    };
  },
  'gemini-cli': (bench, cache) => {
    const { run } = makeGeminiCli(bench, cache);
    return {
      async begin(words) {
        const id = randomUUID();
        await run(['--session-id', id, '-p', words]);
        return id;
      },
      goOn: (id, words) => run(['--resume', id, '-p', words]),
      command: (command) => ({ name: 'run_shell_command', input: { command } }),
      tool: (input) => ({ name: 'mcp_scratchpad_session_scratchpad', input }),
      byTool: true,
      kill: KILL,
    };
  },
  openclaw: (bench, cache) => {
    const { run, gateway } = openClaw(bench, cache);
    let count = 0;
    const say = (id: string, words: string): Promise<string> =>
      run([...turn(words), '--session-key', `agent:main:${id}`]);
    return {
      async begin(words) {
        count += 1;
        if (count === 1) await gateway();
        await say(`s${count}`, words);
        return `s${count}`;
      },
      goOn: say,
      command: (line) => ({ name: 'exec', input: { command: line } }),
      tool: (input) => ({ name: 'session_scratchpad', input }),
      kill: KILL,
    };
  },
};

/** The session of the last event. */
function findNewest(bench: Bench): string {
  const folder = join(bench.workspace, '.scratchpad/hosts');
  try {
    const age = (file: string): number => statSync(join(folder, file)).mtimeMs;
    const [file = ''] = readdirSync(folder).sort((a, b) => age(b) - age(a));
    return /"session":"([^"]+)"/.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}
