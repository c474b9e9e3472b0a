import { misuse, refused } from '../base/errors.ts';
import { padContext } from '../core/context.ts';
import { remembered } from '../hosts/session-memory.ts';
import { toldIn } from '../ledger/ledger.ts';
import { spellAge } from '../pad/freshness.ts';
import type { Invocation, Takes } from './invocation.ts';
import { openSession } from './open.ts';

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
