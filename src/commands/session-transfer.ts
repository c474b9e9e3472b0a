import { misuse, refused } from '../base/errors.ts';
import { thousands } from '../base/text/counts.ts';
import { changesFrom } from '../core/adopt.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { appendScratchpadEntries } from '../transcript/append-entries.ts';
import { readScratchpadEntries, type Spaces } from '../transcript/entries.ts';
import type { Invocation } from './invocation.ts';
import { needPad, openSession } from './open.ts';
import { fileArgument } from './reach.ts';
import { sessionsOf } from './session.ts';

/** Restores an archived or deleted session, or rebuilds the spaces of this one from a file. */
export async function restore(
  invocation: Invocation,
  session: string | undefined,
  { from }: { from?: string },
): Promise<void> {
  if ((session === undefined) === (from === undefined)) {
    throw misuse('it is unclear what to restore: nothing was changed', {
      expected: 'the id of a session that was archived or deleted, or --from FILE',
      found: session === undefined ? 'neither' : 'both',
    });
  }
  if (from !== undefined) return restoreFrom(invocation, from);
  const sessions = await sessionsOf(invocation);
  const info = await sessions.bringBack(session ?? '');
  invocation.done(info, `restored: ${info.session}: ${info.pad}`);
}

/**
 * Rebuilds the spaces from the scratchpad entries of a host's session file or of a scratchpad journal. A space
 * without an entry stays as it is.
 */
async function restoreFrom(invocation: Invocation, from: string): Promise<void> {
  const path = fileArgument(from, invocation);
  const found = await readScratchpadEntries(path);
  const restored = SPACE_NAMES.filter((space) => found[space] !== undefined);
  if (restored.length === 0) {
    throw refused('that session holds no scratchpad', {
      where: path,
      expected: 'custom entries under openclaw:scratchpad',
      found: 'none',
      next: { to: 'an agent writes them', command: 'scratchpad session persist --to FILE' },
    });
  }
  const { store, config } = await openSession(invocation);
  const { changes, warnings } = changesFrom(found, config.limits);
  const done = await store.change(() => changes, 'restore');
  invocation.warn([...done.notices, ...warnings]);
  const usage = restored.map((space) => usageOf(space, done.spaces[space], config.limits));
  invocation.done(
    { restored, usage, revision: done.revision, warnings },
    usage.map(describeUsage).join('\n'),
  );
}

/** Appends the spaces to a host's session file, so that the host's own store carries them. */
export async function persist(invocation: Invocation, options: { to: string }): Promise<void> {
  const opened = await openSession(invocation);
  const { exists, spaces, notices } = await opened.store.read();
  needPad(exists, opened);
  invocation.warn(notices);
  const path = fileArgument(options.to, invocation);
  const ours: Spaces = { notes: spaces.notes, plan: spaces.plan, refs: refsOf(spaces.refs) };
  const done = await appendScratchpadEntries(path, ours, invocation.now);
  const { written } = done;
  invocation.done(
    done,
    written.length === 0
      ? 'nothing to write: the session is already up to date'
      : `wrote ${written.join(', ')} (${thousands(written.length)} entries) to ${path}`,
  );
}
