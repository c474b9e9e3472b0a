import { inTime } from '../assembly/in-time.ts';
import { spellAge } from '../pad/freshness.ts';
import { type Follow, takesPart } from './afterwards.ts';
import { isOpen, noteHook, readCircuit } from './circuit.ts';
import { takeNotices } from './notices.ts';

/** A copy of that age is said to be one. */
const OLD_MS = 5 * 60_000;

/**
 * Takes in what others wrote before a host's model is told the pad.
 *
 * @param sessions whose pads are to be looked at
 * @param begins whether a window of the model begins, which is told that the copy is old
 * @returns what the model should know; it never throws
 */
export async function takenIn(
  follow: Follow,
  sessions: readonly string[],
  begins: boolean,
): Promise<string[]> {
  const { root } = follow;
  const now = Date.now();
  if (!takesPart(follow)) return [];
  const { inStep = now } = readCircuit(root);
  const looked = await lookInTime(follow, sessions);
  const old = (looked === 'no answer' || (looked === 'not asked' && begins)) && now - inStep > OLD_MS;
  return [...takeNotices(root), ...(old ? [oldCopy(now - inStep)] : [])];
}

/**
 * Takes in what others wrote where the server answers in time; else this machine's copy serves. A server that did not
 * answer in time is not waited for again for a while: a worker behind the answer asks it, for the next event.
 */
export async function lookInTime(
  follow: Follow,
  sessions: readonly string[],
): Promise<'in step' | 'no answer' | 'not asked'> {
  const { root, config } = follow;
  const now = Date.now();
  const { until, hookUntil, connectMs = 0, ip } = readCircuit(root);
  const tooSlow = connectMs >= config.shared.wait;
  if (tooSlow || isOpen(until, now) || isOpen(hookUntil, now) || !takesPart(follow)) return 'not asked';
  const answered = await ask(follow, sessions, ip);
  noteHook(root, Date.now(), answered);
  return answered ? 'in step' : 'no answer';
}

async function ask(
  { root, config, env }: Follow,
  sessions: readonly string[],
  ip: string | undefined,
): Promise<boolean> {
  try {
    const { Exchange, storeSettings } = await import('./index.ts');
    // Loading the driver is no wait for the server.
    await import('./open-postgres.ts');
    const settings = storeSettings(root, config, env);
    if (settings === undefined) return false;
    const exchange = new Exchange({
      ...{ root, config, env, settings, now: Date.now, timeoutMs: config.shared.wait, hurried: true },
      ...(ip === undefined ? {} : { ip }),
    });
    const looking = exchange.look(sessions).then(
      () => true,
      () => false,
    );
    const answered = await inTime(looking, config.shared.wait, () => false);
    // What has not answered is cut off, and must not be waited for.
    void exchange.close();
    return answered;
  } catch {
    return false;
  }
}

function oldCopy(age: number): string {
  return `(The shared memory is out of reach: plan, notes and refs are as this machine knew them ${spellAge(age)} ago.)`;
}
