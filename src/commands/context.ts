import { refusal } from '../base/errors.ts';
import { formatAge } from '../base/text/durations.ts';
import { readPadContext } from '../core/context.ts';
import { listMemories } from '../hosts/session-memory.ts';
import { listTold } from '../ledger/ledger.ts';
import { defineCommand } from './command.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';
import { NO_PAD } from './spaces.ts';

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
