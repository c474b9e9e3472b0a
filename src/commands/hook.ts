import { inTime } from '../assembly/in-time.ts';
import { answerEvent, type HookReply } from '../hosts/answer.ts';
import { HOOK_HOSTS } from '../hosts/index.ts';
import { parseInput } from '../hosts/protocol.ts';
import { readHookInput } from '../hosts/stdin.ts';
import { type Invocation, write } from './invocation.ts';

export interface HookCall {
  host: string | undefined;
  event: string | undefined;
  workspace: string | undefined;
  now: string | undefined;
  /** Whether the host has our tools. */
  tools?: boolean;
}

/** How long a host may take to send its event. */
const INPUT_WAIT_MS = 1000;
/** Applies until the configuration, which sets the deadline, is read. */
const LONGEST_MS = 10_000;
/** How long storing results may take after the answer. */
const FINISHING_MS = 1000;
const NOTHING_IN_TIME: HookReply = { text: undefined, late: true, finish: async () => undefined };

/**
 * Answers one event of a host: JSON on stdin, the host's own format on stdout, always exit code 0. Whatever goes
 * wrong, the host gets a valid answer within the deadline.
 */
export async function runHook(call: HookCall, env: NodeJS.ProcessEnv, cwd: string): Promise<void> {
  const started = Date.now();
  const host = HOOK_HOSTS.get(call.host ?? '');
  if (!host) {
    write(
      2,
      `scratchpad: no host is called ${call.host ?? '(none)'}; one of ${[...HOOK_HOSTS.keys()].join(', ')}\n`,
    );
    return;
  }
  let printed = false;
  try {
    const said = await readHookInput(INPUT_WAIT_MS);
    const { event, workspace, now, tools } = call;
    const answering = answerEvent({
      ...{ host, event, workspace, now, tools, env, cwd, started },
      json: parseInput(said),
    });
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

/** The command for commander; `bin/scratchpad.js` calls `fast` instead. */
export async function hook(
  { options, env, cwd }: Invocation,
  host: string,
  event: string | undefined,
  { tools = false }: { tools?: boolean } = {},
): Promise<void> {
  await runHook({ host, event, workspace: options.workspace, now: options.now, tools }, env, cwd);
}

/**
 * Bypasses commander for `hook HOST EVENT` with no options other than `--tools`, `--workspace` and `--now`.
 * @returns `undefined` for any other command line
 */
export function fast(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<void> | undefined {
  const call: HookCall = { host: undefined, event: undefined, workspace: undefined, now: undefined };
  const words: string[] = [];
  for (let k = 1; k < argv.length; k += 1) {
    const word = argv[k] ?? '';
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    if (word === '--tools') {
      call.tools = true;
      continue;
    }
    const [, option, value] = /^(?:-w|--(workspace|now))(?:=(.*))?$/s.exec(word) ?? [];
    if (word === '-w' || option !== undefined) {
      const given = value ?? argv[++k];
      if (given === undefined) return undefined;
      if (option === 'now') call.now = given;
      else call.workspace = given;
    } else return undefined;
  }
  [call.host, call.event] = words;
  return words.length === 0 || words.length > 2 ? undefined : runHook(call, env, cwd);
}
