import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Arm } from './arms.ts';
import type { Happened, Host, Json, Place, Program, Told, Usage } from './hosts/host.ts';
import type { Message, Task } from './tasks.ts';
import { type Ended, type Next, runHost } from './turn.ts';

/** Where the first session is cut off. */
export const CUT = 'the first edit after the last message';

export interface Setting {
  host: Host;
  program: Program;
  place: Place;
  env: Record<string, string>;
  arm: Arm;
  model?: string | undefined;
  deadlineMs: number;
  /** Keeps each line as the host printed it. */
  keep(line: Json): void;
}

/** How a session went. */
export interface Session {
  events: Happened[];
  id: string | undefined;
  ids: string[];
  model: string;
  usage: Usage;
  turns: number;
  /** How it ended: by itself, cut off at a fact, or by something that is no result. */
  ended: string;
  failure?: Failure;
  ms: number;
}

export interface Failure {
  kind: 'login' | 'refused' | 'disk full' | 'killed' | 'host error' | 'too long';
  said: string;
}

export const MOST_CALLS = 60;

const FAILURES: readonly [RegExp, Failure['kind']][] = [
  [/ENOSPC|no space left on device|disk is full/i, 'disk full'],
  [/\b401\b|invalid.{0,20}api.?key|api key not valid|not logged in|unauthorized/i, 'login'],
  [/authenticat|\/login|no api key|missing.{0,30}(api.?key|credential)|auth method/i, 'login'],
  [/refus|usage policy|content.?filter|safety|blocked by/i, 'refused'],
];

export const kindOf = (text: string): Failure['kind'] =>
  FAILURES.find(([pattern]) => pattern.test(text))?.[1] ?? 'host error';

/** Files of the project that differ from the last commit, without what the arm keeps there. */
export function changes(work: string, arm: Arm, host: Host): string {
  const args = ['status', '--porcelain', '-uall', '--no-renames'];
  const { stdout } = spawnSync('git', args, { cwd: work, encoding: 'utf8' });
  const apart = [...(arm.notes ?? []), host.instructions, '.claude/', '.codex/', '.gemini/', '.openclaw/'];
  const paths = stdout.split('\n').map((line) => line.slice(3));
  return paths
    .filter((path) => path !== '' && !apart.some((one) => path.startsWith(one)))
    .map((path) => `${path} ${statSync(join(work, path), { throwIfNoEntry: false })?.mtimeMs ?? 'gone'}`)
    .join('\n');
}

export const emptySession = (): Session => ({
  events: [],
  id: undefined,
  ids: [],
  model: '',
  usage: { input: 0, cached: 0, output: 0 },
  turns: 0,
  ended: 'by itself',
  ms: 0,
});

/** One turn; `next` decides after each line. */
async function turn(
  setting: Setting,
  session: Session,
  args: string[],
  next: (told: Told) => Next,
): Promise<Ended> {
  const { host, program, place, env } = setting;
  const requests = new Map<string, Usage>();
  let error = '';
  let said = '';
  const begun = Date.now();
  const before = session.id === undefined ? undefined : host.used?.(place, session.id);
  const hear = (line: Json): Next => {
    setting.keep(line);
    let decided: Next = 'go on';
    for (const told of host.read(line)) {
      if ('session' in told) {
        session.id = told.session;
        if (!session.ids.includes(told.session)) session.ids.push(told.session);
      }
      if ('model' in told) session.model = told.model;
      if ('usage' in told) requests.set(told.of, told.usage);
      if ('error' in told) error = told.error;
      if ('say' in told) said = told.say;
      if ('call' in told || 'say' in told) session.events.push(joined(session.events, told));
      const then = next(told);
      if (decided === 'go on') decided = then;
    }
    return decided;
  };
  const ended = await runHost({
    program,
    args,
    cwd: place.work,
    env,
    deadlineMs: setting.deadlineMs,
    hear,
    follow: host.follow?.(place, program),
  });
  session.turns += 1;
  session.ms += Date.now() - begun;
  const all = requests.get('turn');
  const used = all ? [all] : [...requests.values()];
  const sum = (key: keyof Usage): number => used.reduce((sofar, one) => sofar + one[key], 0);
  const after = session.id === undefined ? undefined : host.used?.(place, session.id);
  for (const key of ['input', 'cached', 'output'] as const) {
    session.usage[key] += after ? after[key] - (before?.[key] ?? 0) : sum(key);
  }
  if (ended.by === 'deadline')
    session.failure = { kind: 'too long', said: `a turn took over ${setting.deadlineMs / 1000} s` };
  else if (ended.by === 'go on' && (ended.code !== 0 || (error !== '' && said === ''))) {
    const words = error || worst(ended.noise);
    const killed = ended.code === null || ended.code > 128;
    session.failure = { kind: killed && error === '' ? 'killed' : kindOf(words), said: words };
  }
  return ended;
}

/** The lines of the noise that name an error, or its end. */
function worst(noise: string): string {
  const lines = noise
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '');
  const named = lines.filter((line) => /error|invalid|unauthorized|denied|failed|no space/i.test(line));
  return (named.length > 0 ? named.slice(0, 4) : lines.slice(-4)).join('\n').slice(0, 1000);
}

/** Hosts send what the agent says in pieces: those that follow each other are one. */
function joined(events: Happened[], told: Happened): Happened {
  const last = events.at(-1);
  if ('say' in told && last && 'say' in last) {
    events.pop();
    return { say: last.say + (/\n$|^\n/.test(last.say + told.say) ? '' : '\n') + told.say };
  }
  return told;
}

/** The first session: the person's messages as they come, until it is cut off. */
export async function playFirst(setting: Setting, task: Task): Promise<Session> {
  const session = emptySession();
  const tree = (): string => changes(setting.place.work, setting.arm, setting.host);
  for (const [at, message] of task.first.entries()) {
    const following: Message | undefined = task.first[at + 1];
    const before = tree();
    let calls = 0;
    session.events.push({ prompt: message.text });
    const ended = await turn(setting, session, argsOf(setting, message.text, session.id), (told) => {
      if (!('done' in told)) return 'go on';
      calls += 1;
      if (following) return following.after && calls >= following.after ? 'interrupt' : 'go on';
      return tree() === before ? 'go on' : 'kill';
    });
    if (session.failure) break;
    if (!following && ended.by === 'kill') session.ended = 'cut off at first-edit';
  }
  return session;
}

const atMost = ({ events }: Session): Next =>
  events.filter((event) => 'call' in event).length > MOST_CALLS ? 'kill' : 'go on';

/** The second session, or what follows a compaction or a resume of the first. */
export async function playSecond(setting: Setting, task: Task, from: string | undefined): Promise<Session> {
  const session = { ...emptySession(), id: from, ids: from ? [from] : [] };
  const again = task.again === null ? [] : [{ text: task.again }];
  const begun = changes(setting.place.work, setting.arm, setting.host);
  for (const [at, message] of [...task.second, ...again].entries()) {
    if (at >= task.second.length) {
      const idle = changes(setting.place.work, setting.arm, setting.host) === begun;
      const last = session.events.findLast((event) => 'say' in event);
      if (!idle && !/[?？]/.test(last?.say ?? '')) break;
    }
    session.events.push({ prompt: message.text });
    const ended = await turn(setting, session, argsOf(setting, message.text, session.id), () =>
      atMost(session),
    );
    if (ended.by === 'kill') session.ended = `stopped after ${MOST_CALLS} calls`;
    if (session.failure || ended.by === 'kill') break;
  }
  return session;
}

/** The host's own compaction of a session, in a turn of its own. */
export async function compact(setting: Setting, id: string): Promise<Session> {
  const session: Session = { ...emptySession(), id, ids: [id] };
  const { compact: how } = setting.host;
  if (how === undefined) throw new Error(`${setting.host.name} has no compaction without a person`);
  const { place } = setting;
  const undo = how.during?.(place);
  // A model that does not wait as it is asked to would be compacted again at each of its calls.
  const ended = await turn(setting, session, how.args(id, place.sandbox), () => atMost(session));
  if (ended.by === 'kill') session.failure = { kind: 'host error', said: 'it went on instead of waiting' };
  undo?.();
  return session;
}

const argsOf = ({ host, model, place }: Setting, text: string, session: string | undefined): string[] =>
  host.turn({ text, session, model, sandbox: place.sandbox });
