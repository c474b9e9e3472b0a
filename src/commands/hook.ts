import { inTime } from '../base/fs/system.ts';
import { answerEvent, HOOK_HOSTS, type HookReply } from '../hosts/answer.ts';
import { type Asked, readHookInput } from '../hosts/ask-server.ts';
import { parseInput } from '../hosts/protocol.ts';
import { command } from './command.ts';
import { write } from './invocation.ts';

/** How long a host may take to send its event. */
const INPUT_WAIT_MS = 1000;
/** Applies until the configuration, which sets the deadline, is read. */
const LONGEST_MS = 10_000;
/** How long storing results may take after the answer. */
const FINISHING_MS = 1000;
const NOTHING_IN_TIME: HookReply = { text: undefined, finish: async () => undefined };

/**
 * Answers one event of a host in this process: its JSON comes from stdin, the host's own format on stdout, always exit
 * code 0. Whatever goes wrong, the host gets a valid answer within the deadline.
 */
export async function runHook({ host: name, said, ...call }: Asked): Promise<void> {
  const host = HOOK_HOSTS.get(name ?? '');
  if (!host) {
    write(
      2,
      `scratchpad: no host is called ${name ?? '(none)'}; one of ${[...HOOK_HOSTS.keys()].join(', ')}\n`,
    );
    return;
  }
  let printed = false;
  try {
    const answering = answerEvent({ ...call, contested: true, host, json: parseInput(said) });
    // Nothing here can stop work that blocks the event loop; the host's own timeout covers that.
    const { text, finish } = await inTime<HookReply>(answering, LONGEST_MS, () => NOTHING_IN_TIME);
    printed = true;
    write(1, text ?? host.silence);
    await inTime(finish(), FINISHING_MS, () => undefined);
    // What was too slow for the answer must not keep the host waiting for the process either.
    process.exit(0);
  } catch {
    if (!printed) write(1, host.silence);
  }
}

/** `bin/scratchpad.js` asks a running server first (`hosts/ask-server.ts`). */
export const hook = command({
  about: "answer one hook event of a host: its JSON on stdin, the host's format on stdout, always exits 0",
  takes: {
    '<host>': 'claude-code, codex or gemini-cli',
    '[event]': "the host's name for the event; taken from stdin unless given",
    '--tools': "name the MCP server's tools to the agent instead of commands",
  },
  examples: ['scratchpad hook claude-code UserPromptSubmit < event.json'],
  run: async ({ options: { workspace, now }, env, cwd }, { host, event, tools = false }) => {
    const started = Date.now();
    const said = await readHookInput(INPUT_WAIT_MS);
    await runHook({ host, event, workspace, now, tools, said, started, env, cwd });
  },
});
