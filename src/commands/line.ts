import { redactSecrets, visible } from '../base/safety/index.ts';
import { objectAt, parsedObject, textAt } from '../base/text/json.ts';
import { shorten } from '../base/text/shorten.ts';
import { readHookInput } from '../hosts/stdin.ts';
import { usageOf } from '../pad/budget.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { currentStep, stepsOf } from '../pad/steps.ts';
import { oneLine } from '../pad/text.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';
import { painter } from './terminal.ts';

/** How long to wait for the host's JSON: a status line must not hang. */
const STDIN_MS = 1000;
/** How many characters of a step fit the line. */
const STEP = 48;
/** Spaces filled to this percentage or more are named. */
const NEARLY_FULL = 90;

/**
 * The pad in one line: progress of the plan, the current step, how many other plans are open, nearly full spaces, age
 * of the state. Prints nothing where there is no pad: an error must not break a shell prompt.
 */
export async function line(called: Invocation, options: { stdin?: boolean }): Promise<void> {
  const invocation = options.stdin ? inDirectoryOf(called, await readHookInput(STDIN_MS)) : called;
  const { pad, config } = await openSession({ ...invocation, warn: () => undefined });
  const snapshot = await pad.store.read();
  const { exists, spaces, state } = snapshot;
  if (!exists) return;
  const steps = stepsOf(spaces.plan);
  const done = steps.filter((step) => step.done).length;
  const current = currentStep(steps);
  const open = current && !current.done ? current : undefined;
  const paint = painter(invocation.env);
  const full = SPACE_NAMES.map((space) => usageOf(space, spaces[space], config.limits)).filter(
    ({ used, limit }) => used * 100 >= limit * NEARLY_FULL,
  );
  const { status, ageMs } = freshnessOf(state, invocation.now);
  const others = snapshot.seen?.others.length ?? 0;
  const parts = [
    steps.length > 0 ? paint('bold', `${done}/${steps.length}`) : '',
    open ? shorten(redactSecrets(oneLine(visible(open.text))), STEP) : '',
    others > 0 ? paint('dim', `${others} more`) : '',
    ...full.map(({ space, used, limit }) =>
      paint('yellow', `${space} ${Math.round((used * 100) / limit)} %`),
    ),
    status === 'stale'
      ? paint('dim', `state ${ageMs === undefined ? 'stale' : `${spellAge(ageMs)} old`}`)
      : '',
  ].filter((part) => part !== '');
  const text = parts.join(paint('dim', ' · '));
  const plan = { done, steps: steps.length, current: open?.text ?? null };
  invocation.exact({ line: text, plan }, text === '' ? '' : `${text}\n`);
}

/** The directory of the host's session, from its JSON: `{cwd, workspace: {current_dir, project_dir}}`. */
function inDirectoryOf(invocation: Invocation, text: string): Invocation {
  const given = parsedObject(text);
  const directory = textAt(objectAt(given, 'workspace'), 'current_dir') ?? textAt(given, 'cwd');
  return directory === undefined ? invocation : { ...invocation, cwd: directory };
}
