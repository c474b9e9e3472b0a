import { write } from '../base/fs/index.ts';
import { withTimeout } from '../base/fs/process.ts';
import { answerEvent, type HookReply } from '../hosts/answer.ts';
import type { HookCall } from '../hosts/ask-server.ts';
import { HOOK_HOSTS, listHostNames } from '../hosts/host-rows.ts';
import { parseInput } from '../hosts/protocol.ts';

/** The deadline until the configuration, which sets it, is read. */
const LONGEST_MS = 10_000;
const FINISHING_MS = 1000;
const NOTHING_IN_TIME: HookReply = { text: undefined, finish: async () => undefined };

/** Whatever goes wrong, the host gets a valid answer within the deadline, and exit code 0. */
export async function runHook({ host: name, input, ...call }: HookCall): Promise<void> {
  const host = HOOK_HOSTS.get(name);
  if (!host) {
    write(2, `scratchpad: no host is called ${name}; known: ${listHostNames()}\n`);
    return;
  }

  let printed = false;
  try {
    const answering = answerEvent({ ...call, contested: true, host, json: parseInput(input) });
    // Nothing here can stop work that blocks the event loop; the host's own timeout covers that.
    const { text, finish } = await withTimeout<HookReply>(answering, LONGEST_MS, () => NOTHING_IN_TIME);
    printed = true;
    write(1, text ?? host.silence);
    await withTimeout(finish(), FINISHING_MS, () => undefined);
    // What was too slow for the answer must not keep the host waiting for the process either.
    process.exit(0);
  } catch {
    if (!printed) write(1, host.silence);
  }
}
