import { inTime } from '../assembly/in-time.ts';
import { spellAge } from '../pad/freshness.ts';
import { type Follow, takesPart } from './afterwards.ts';
import { isOpen, note, readCircuit } from './circuit.ts';
import { takeNotices } from './membership.ts';
import { storeSettings } from './settings.ts';

/** A local copy of this age is described as old. */
const OLD_MS = 5 * 60_000;

/**
 * Receives what others wrote before a host's model is shown the pad.
 * @param sessions the sessions whose pads to check
 * @param begins whether a context window starts, which is told if the copy is old
 * @returns what the model should know; never throws
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
 * Receives what others wrote if the server answers in time; otherwise the local copy is used. A server that did
 * not is not waited for again before a worker in the background has found it fast enough.
 */
export async function lookInTime(
  follow: Follow,
  sessions: readonly string[],
): Promise<'in step' | 'no answer' | 'not asked'> {
  const { root, config } = follow;
  const { wait } = config.shared;
  const circuit = readCircuit(root);
  if ((circuit.connectMs ?? 0) >= wait || isOpen(circuit, Date.now()) || !takesPart(follow))
    return 'not asked';
  if (await ask(follow, sessions)) return 'in step';
  note(root, { connectMs: wait });
  return 'no answer';
}

async function ask({ root, config, env }: Follow, sessions: readonly string[]): Promise<boolean> {
  try {
    const { Exchange } = await import('./exchange.ts');
    // Loading the driver does not count as waiting for the server.
    await import('./postgres-remote.ts');
    const settings = storeSettings(root, config, env);
    if (settings === undefined) return false;
    const timeoutMs = config.shared.wait;
    const timing = { now: Date.now, timeoutMs, hurried: true };
    const exchange = new Exchange({ root, config, env, settings, ...timing });
    const looking = exchange.sync({ only: sessions }).then(
      () => true,
      () => false,
    );
    const answered = await inTime(looking, timeoutMs, () => false);
    // An exchange that has not finished is cut off, without waiting for it.
    void exchange.close();
    return answered;
  } catch {
    return false;
  }
}

function oldCopy(age: number): string {
  return `(The shared memory is out of reach: plan, notes and refs are as this machine knew them ${spellAge(age)} ago.)`;
}
