import { misuse, refused } from '../base/errors.ts';
import { PAD_FILE, tryReadText } from '../base/fs/index.ts';
import { redactSecrets, visible } from '../base/safety/index.ts';
import { objectAt, parsedObject, textAt } from '../base/text/json.ts';
import { shorten } from '../base/text/shorten.ts';
import { padContext } from '../core/context.ts';
import { remembered } from '../hosts/session-memory.ts';
import { readHookInput } from '../hosts/stdin.ts';
import { toldIn } from '../ledger/ledger.ts';
import { usageOf } from '../pad/budget.ts';
import { oddities, parsePad } from '../pad/document.ts';
import { type Freshness, freshnessOf, spellAge, spellDuration } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { currentStep, stepsOf } from '../pad/steps.ts';
import { oneLine } from '../pad/text.ts';
import type { Invocation, Takes } from './invocation.ts';
import { needPad, openSession } from './open.ts';
import { painter } from './terminal.ts';

const UNSOUND = 1;
const STALE = 4;

/**
 * Reports the age of the state block and any damage to the file. Exits 1 if the file is damaged, else 4 unless the
 * block is fresh.
 */
export async function check(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const { store } = opened;
  const pad = await opened.pad.store.read();
  needPad(pad.exists, opened);
  const freshness = freshnessOf(pad.state, invocation.now);
  if (freshness.status !== 'fresh') invocation.exitCode = STALE;
  if (pad.notices.length > 0) invocation.exitCode = UNSOUND;
  const { status, updated, ageMs, ttlMs } = freshness;
  // Not damage: the text outside the markers is the person's.
  const problems = [
    ...pad.notices,
    ...oddities(parsePad(tryReadText(store.paths.pad, 'pad') ?? ''), PAD_FILE),
  ];
  invocation.result(
    {
      session: pad.session,
      pad: store.paths.pad,
      state: status,
      updated: updated ?? null,
      ageMs: ageMs ?? null,
      ttlMs: ttlMs ?? null,
      problems,
    },
    [...(pad.conflicted ? [] : [describe(freshness)]), ...problems].join('\n'),
  );
}

function describe({ status, updated, ageMs, ttlMs }: Freshness): string {
  if (status === 'missing') return 'no state block yet; run: scratchpad assemble';
  if (updated === undefined) return 'stale: the state block has no valid timestamp; run: scratchpad assemble';
  const age =
    ageMs === undefined ? 'of unknown age' : ageMs < 0 ? 'from the future' : `${spellAge(ageMs)} old`;
  const ttl = ttlMs === undefined ? 'no valid TTL' : `TTL ${spellDuration(ttlMs)}`;
  return `${status}: the state block is ${age} (${ttl}, updated ${updated})${status === 'stale' ? '; run: scratchpad assemble' : ''}`;
}

type ContextOptions = Takes<'hostSession', 'explain'>;

/** Prints the injection block, or nothing when there is nothing to say. */
export async function context(invocation: Invocation, options: ContextOptions = {}): Promise<void> {
  if (options.hostSession !== undefined && !options.explain)
    throw misuse('--host-session needs --explain', {
      expected: `scratchpad context --explain --host-session ${options.hostSession}`,
    });
  const opened = await openSession(invocation);
  const { pad, store, workspace } = opened;
  if (options.explain) return explain(invocation, store.paths.data, options.hostSession);
  const { text, freshness, notices } = await padContext(pad);
  invocation.warn(notices);
  if (!workspace.exists) invocation.note('there is no scratchpad here; create one with: scratchpad init');
  if (freshness.status === 'stale') {
    const age = freshness.ageMs === undefined ? 'of unknown age' : `${spellAge(freshness.ageMs)} old`;
    invocation.note(`the state block is stale (${age}) and left out; run: scratchpad assemble`);
  }
  const { status, updated, ageMs } = freshness;
  invocation.result(
    {
      session: store.paths.session,
      context: text,
      state: status,
      updated: updated ?? null,
      ageMs: ageMs ?? null,
    },
    text,
  );
}

/** What hooks showed the model in a host session. @throws ScratchpadError `refused` if there was nothing */
function explain(invocation: Invocation, data: string, wanted: string | undefined): void {
  const known = remembered(data).filter(({ memory }) => memory.ledger !== undefined);
  const found = known.find(({ session }) => wanted === undefined || session === wanted);
  const ledger = found?.memory.ledger;
  if (found === undefined || ledger === undefined) {
    throw refused('no hook has shown a model anything in that session', {
      expected:
        known.length === 0
          ? 'a session with hooks'
          : `one of ${known.map(({ session }) => session).join(', ')}`,
      found: wanted,
      next: 'install the hooks of your host: scratchpad install --help',
    });
  }
  const told = toldIn(ledger);
  const began = new Date(ledger.began).toISOString();
  const held = ledger.heldBack.map(({ text, reason }) => ({ text: text, reason }));
  const lines = [
    `session ${found.session}, window since ${began} (${ledger.by})`,
    ...told.map(({ at, text }) => `  ${at}  ${text}`),
    ...(held.length === 0 ? [] : ['not told at the last event:']),
    ...held.map(({ text, reason }) => `  ${text}\n      ${reason}`),
  ];
  const value = { hostSession: found.session, began, by: ledger.by, told, heldBack: held };
  invocation.result(value, lines.join('\n'));
}

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
