import { refusal } from '../base/errors.ts';
import { PAD_FILE, tryReadText } from '../base/fs/index.ts';
import { redactSecrets, stripInvisible } from '../base/safety/index.ts';
import { formatAge, formatDuration } from '../base/text/durations.ts';
import { collapseLines, formatCount, shorten } from '../base/text/strings.ts';
import { readPadContext } from '../core/context.ts';
import { listMemories } from '../hosts/session-memory.ts';
import { listTold } from '../ledger/ledger.ts';
import { measureUsage } from '../pad/budget.ts';
import { parsePad, warnOfTextOutside } from '../pad/document.ts';
import { type Freshness, judgeFreshness } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { countDone, findCurrentStep, parseSteps } from '../pad/steps.ts';
import { defineCommand } from './command.ts';
import { type Invocation, paint } from './invocation.ts';
import { openSession, requirePad } from './open.ts';
import { NO_PAD } from './spaces.ts';

const DAMAGED = 1;
const STALE = 4;
const RENEW = '; run: scratchpad assemble';

/** Exits 1 if the file is damaged, else 4 unless the block is fresh. */
export const check = defineCommand({
  examples: ['scratchpad check', 'scratchpad check --quiet || scratchpad assemble'],
  run: async (call) => {
    const opened = await openSession(call);
    const { store } = opened;
    const snapshot = await opened.pad.store.read();

    requirePad(snapshot.exists, opened);
    const freshness = judgeFreshness(snapshot.state ?? snapshot.elsewhere, call.now);
    const { status, updated = null, ageMs = null, ttlMs = null } = freshness;

    if (status !== 'fresh') call.exitCode = STALE;
    if (snapshot.notices.length > 0) call.exitCode = DAMAGED;
    // A remark is no damage: the text outside the markers is the person's.
    const remarks = warnOfTextOutside(parsePad(tryReadText(store.paths.pad, 'pad') ?? ''), PAD_FILE);
    const problems = [...snapshot.notices, ...remarks];
    // `--quiet` asks for the exit code alone.
    call.report(
      { session: snapshot.session, pad: store.paths.pad, state: status, updated, ageMs, ttlMs, problems },
      [!snapshot.conflicted && describeFreshness(freshness), problems],
    );
  },
});

function describeFreshness({ status, updated, ageMs, ttlMs }: Freshness): string {
  if (status === 'missing') return `no state block yet${RENEW}`;
  if (updated === undefined || ageMs === undefined)
    return `stale: the state block has no valid timestamp${RENEW}`;

  const age = ageMs < 0 ? 'from the future' : `${formatAge(ageMs)} old`;
  const ttl = ttlMs === undefined || ttlMs < 0 ? 'no valid TTL' : `TTL ${formatDuration(ttlMs)}`;

  return `${status}: the state block is ${age} (${ttl}, updated ${updated})${status === 'fresh' ? '' : RENEW}`;
}

export const context = defineCommand({
  takes: {
    '--explain': 'show what hooks told the model in its current context window, what they left out, and why',
  },
  examples: ['scratchpad context', 'scratchpad context --explain'],
  run: async (call, { explain }) => {
    const { pad, store, workspace } = await openSession(call);
    if (explain) return explainTold(call, store.paths.data);

    const { text, freshness, notices } = await readPadContext(pad);
    const { status, updated = null, ageMs = null } = freshness;

    call.warn(notices);
    if (!workspace.exists) call.note(NO_PAD);
    if (status === 'stale') {
      const age = ageMs === null ? 'of unknown age' : `${formatAge(ageMs)} old`;
      call.note(`the state block is stale (${age}) and left out; run: scratchpad assemble`);
    }

    call.print({ session: store.paths.session, context: text, state: status, updated, ageMs }, text);
  },
});

/** What hooks showed the model in its newest window. @throws ScratchpadError `refused` if there was nothing */
function explainTold(call: Invocation, data: string): void {
  const newest = listMemories(data).find(({ memory }) => memory.ledger !== undefined);
  const ledger = newest?.memory.ledger;
  if (newest === undefined || ledger === undefined)
    throw refusal('no hook has shown a model anything here', {
      next: 'install the hooks of your host: scratchpad install --help',
    });

  const { session } = newest;
  const lines = listTold(ledger);
  const began = new Date(ledger.began).toISOString();
  const heldBack = ledger.heldBack.map(({ text, reason }) => ({ text, reason }));
  call.print({ hostSession: session, began, by: ledger.by, told: lines, heldBack }, [
    `session ${session}, window since ${began} (${ledger.by})`,
    lines.map(({ at, text, why }) => `  ${at}  ${text}${why === undefined ? '' : `\n      ${why}`}`),
    heldBack.length > 0 && 'not told at the last event:',
    heldBack.map(({ text, reason }) => `  ${text}\n      ${reason}`),
  ]);
}

const STEP_CHARACTERS = 48;
const NEARLY_FULL_PERCENT = 90;

/** Prints nothing where there is no pad: an error must not break a shell prompt. */
export const line = defineCommand({
  examples: [
    "PS1='$(scratchpad line 2>/dev/null) \\$ '",
    '/statusline run scratchpad line   # in Claude Code',
  ],
  run: async (call) => {
    const { pad, config } = await openSession({ ...call, warn: () => undefined });
    const { exists, spaces, state, seen } = await pad.store.read();
    if (!exists) return;

    const steps = parseSteps(spaces.plan);
    const done = countDone(steps);
    const current = findCurrentStep(steps);
    const { status, ageMs } = judgeFreshness(state, call.now);
    const others = seen?.others.length ?? 0;
    const parts = [
      steps.length > 0 && paint('bold', `${done}/${steps.length}`),
      current && shorten(redactSecrets(collapseLines(stripInvisible(current.text))), STEP_CHARACTERS),
      others > 0 &&
        paint('dim', `${steps.length > 0 ? '' : 'no plan here, '}${formatCount(others, 'other plan')}`),
      ...SPACE_NAMES.map((space) => measureUsage(space, spaces[space], config.limits))
        .map(({ space, used, limit }) => ({ space, percent: Math.round((used * 100) / limit) }))
        .map(
          ({ space, percent }) => percent >= NEARLY_FULL_PERCENT && paint('yellow', `${space} ${percent} %`),
        ),
      status === 'stale' &&
        paint('dim', `state ${ageMs === undefined ? 'stale' : `${formatAge(ageMs)} old`}`),
    ];

    const text = parts.filter((part) => part).join(paint('dim', ' · '));
    const plan = { done, steps: steps.length, current: current?.text ?? null };
    call.printExact({ line: text, plan }, text === '' ? '' : `${text}\n`);
  },
});
