import { existsSync } from 'node:fs';
import { loadConfig } from '../config/load.ts';
import { HOOK_HOSTS } from '../hosts/index.ts';
import { MOMENTS } from '../hosts/moments.ts';
import { type HookAnswer, type HookHost, type HookInput, parseInput } from '../hosts/protocol.ts';
import { recordRun } from '../hosts/record.ts';
import { Session } from '../hosts/session.ts';
import { readHookInput } from '../hosts/stdin.ts';
import { inTime } from '../in-time.ts';
import { findWorkspace } from '../session/workspace.ts';
import { isoUtc } from '../text/iso-time.ts';
import { type Invocation, write } from './invocation.ts';

export interface HookCall {
  host: string | undefined;
  event: string | undefined;
  workspace: string | undefined;
  now: string | undefined;
}

/** How long a host may take to say why it called. */
const INPUT_WAIT_MS = 1000;
/** What is kept back of the deadline for printing and noting down. */
const PRINTING_MS = 60;
/** Until the configuration is read. */
const DEFAULT_DEADLINE_MS = 2000;

/**
 * Answers one event of a host: JSON on stdin, the host's own form on stdout, always code 0.
 * Whatever goes wrong, the host gets an answer that its contract allows, within the deadline.
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
    const { text: said, waiting } = await readHookInput(INPUT_WAIT_MS);
    const input = parseInput(said);
    const answering = answer(host, call, input, env, cwd, started);
    // Work that blocks the event loop cannot be stopped from here; the host's own timeout is behind this one.
    const { text, late } = await inTime<Answer>(answering, DEFAULT_DEADLINE_MS * 5, () => ({ late: true }));
    printed = true;
    write(1, text ?? host.silence);
    // What was too slow for the answer must not keep the host waiting for the process either. And what
    // has all been done need not be taken apart, which takes a millisecond or two; a read that waits must.
    if (late || !waiting) process.exit(0);
  } catch {
    if (!printed) write(1, host.silence);
  }
}

interface Answer {
  text?: string | undefined;
  /** Something goes on behind it. */
  late: boolean;
}

async function answer(
  host: HookHost,
  call: HookCall,
  json: ReturnType<typeof parseInput>,
  env: NodeJS.ProcessEnv,
  cwd: string,
  started: number,
): Promise<Answer> {
  const input: HookInput = json ? host.read(json) : {};
  const event = call.event ?? (typeof json?.hook_event_name === 'string' ? json.hook_event_name : '');
  const moment = host.events.get(event);
  const workspace = findWorkspace(call.workspace, env, usableDir(input.cwd) ?? cwd);
  // Hooks of a person's own settings run in every project: one without a scratchpad is left alone.
  if (!workspace.exists) return { late: false };
  const { root } = workspace;
  let failure: string | undefined;
  let outcome = 'nothing to say';
  let text: string | undefined;
  let late = false;
  const now = call.now === undefined ? started : Date.parse(call.now) || started;
  try {
    const { config } = await loadConfig(root, env);
    const deadline = started + config.hook.deadline;
    const clock = (): number => now + (Date.now() - started);
    const at = new Session({ host, root, config, env, input, now, deadline, clock });
    if (json === undefined) at.faults.push('stdin held no JSON object');
    if (moment === undefined) at.faults.push(`no event of ${host.name} is called ${event || '(none)'}`);
    else if (!config.scratchpad.enabled) outcome = 'turned off (scratchpad.enabled)';
    else {
      const said = await byDeadline(at, MOMENTS[moment](at, input), deadline);
      text = host.render(event, said);
      outcome =
        [said.context === undefined ? '' : `${said.context.length} characters`, at.stateOutcome]
          .concat(said.hold === undefined ? [] : ['compaction held once'])
          .filter((part) => part !== '')
          .join(', ') || outcome;
    }
    late = at.late;
    if (at.faults.length > 0) failure = at.faults.join('; ');
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  recordRun(
    `${root}/.scratchpad`,
    {
      at: isoUtc(started),
      host: host.name,
      event: event || 'unknown',
      ...(input.session === undefined ? {} : { session: input.session.slice(0, 200) }),
      outcome: failure === undefined ? outcome : text ? `${outcome}; ${failure}` : failure,
      ms: Date.now() - started,
    },
    failure !== undefined,
  );
  return { text, late };
}

/** What waits for a lock or a slow disk is given up: the host has waited long enough. */
function byDeadline(at: Session, work: Promise<HookAnswer>, deadline: number): Promise<HookAnswer> {
  return inTime(work, Math.max(0, deadline - Date.now() - PRINTING_MS), () => {
    at.late = true;
    at.faults.push(`not done within ${at.config.hook.deadline} ms`);
    return {};
  });
}

/** The directory that the host names, unless it has gone in the meantime. */
function usableDir(path: string | undefined): string | undefined {
  const absolute = path?.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path ?? '');
  return absolute && existsSync(path as string) ? path : undefined;
}

/** The command as commander calls it. `bin/scratchpad.js` calls `fast` instead. */
export async function hook(
  { options, env, cwd }: Invocation,
  host: string,
  event: string | undefined,
): Promise<void> {
  await runHook({ host, event, workspace: options.workspace, now: options.now }, env, cwd);
}

/**
 * The way around commander: `hook HOST EVENT` with nothing but `--workspace` or `--now`.
 * @returns `undefined` when the words are anything else
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
