import { misuse, refused } from '../base/errors.ts';
import { counted, thousands } from '../base/text/counts.ts';
import { adoptSpaces, changesFrom } from '../core/adopt.ts';
import { type SessionInfo, Sessions } from '../core/sessions.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import { parseDuration } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { FileStore } from '../session/file-store.ts';
import { appendScratchpadEntries, readScratchpadEntries, type Spaces } from '../transcript/entries.ts';
import { fileArgument, type Invocation, type Takes } from './invocation.ts';
import { needPad, openSession } from './open.ts';
import { localTimes } from './terminal.ts';

export async function list(invocation: Invocation): Promise<void> {
  const all = await (await sessionsOf(invocation)).list();
  const local = await timesOf(invocation);
  invocation.result(all, all.map((each) => row(each, local)).join('\n') || 'no sessions yet');
}

export async function show(called: Invocation, session: string | undefined): Promise<void> {
  const invocation = session === undefined ? called : { ...called, options: { ...called.options, session } };
  const { store, pad } = await openSession(invocation);
  const info = await (await sessionsOf(invocation)).info(store.paths.session);
  const { spaces } = await store.read();
  const usage = SPACE_NAMES.map((space) => usageOf(space, spaces[space], pad.config.limits));
  const entries = await new FileEntries(store.paths).list();
  const names = entries.map(({ name }) => name);
  const listed = names.length === 0 ? [] : [`entries: ${names.join(', ')}`];
  invocation.result(
    { ...info, usage, names },
    [row(info, await timesOf(invocation)), info.pad, ...usage.map(describeUsage), ...listed].join('\n'),
  );
}

export async function fork(invocation: Invocation, parent: string, child: string): Promise<void> {
  report(invocation, await (await sessionsOf(invocation)).fork(parent, child));
}

export interface SpawnOptions {
  copyNotepad?: boolean;
  inherit?: string[];
}

export async function spawn(
  invocation: Invocation,
  parent: string,
  child: string,
  options: SpawnOptions,
): Promise<void> {
  report(invocation, await (await sessionsOf(invocation)).spawn(parent, child, options));
}

export async function archive(invocation: Invocation, session: string): Promise<void> {
  const path = await (await sessionsOf(invocation)).archive(session);
  invocation.done(
    { session, archive: path },
    `archived: ${path}\nrestore with: scratchpad session restore ${JSON.stringify(session)}`,
  );
}

type PruneOptions = Takes<'olderThan', 'dryRun'>;

export async function prune(
  invocation: Invocation,
  { olderThan, dryRun = false }: PruneOptions,
): Promise<void> {
  const idle = olderThan === undefined ? {} : { olderThanMs: parseDuration(olderThan, '--older-than') };
  const archived = await (await sessionsOf(invocation)).prune({ ...idle, dryRun });
  const local = await timesOf(invocation);
  const rows = archived.map(
    ({ session, updated, archive: path }) =>
      `${local(updated).slice(0, 10)}  ${session}${path === null ? '' : `  ${path}`}`,
  );
  if (archived.length > 0) invocation.note(dryRun ? 'would be archived:' : 'archived:');
  invocation.result({ dryRun, archived }, rows.join('\n') || 'no session has been idle that long');
}

type DeleteOptions = Takes<never, 'yes' | 'forGood'>;

/**
 * Moves a session to the archive; with `--for-good` deletes it permanently. The primary one includes text a person
 * wrote in SCRATCHPAD.md outside the spaces, so its name alone is not enough.
 */
async function deleteSession(
  invocation: Invocation,
  session: string,
  { yes = false, forGood = false }: DeleteOptions,
): Promise<void> {
  const sessions = await sessionsOf(invocation);
  const archive = (await sessions.delete(session, { forGood, primary: yes })) ?? null;
  const what = `${session}, its pad and its entries`;
  invocation.done(
    { deleted: session, archive },
    archive === null
      ? `permanently deleted: ${what}`
      : `deleted: ${what}\nrestore with: scratchpad session restore ${JSON.stringify(session)}`,
  );
}

type AdoptOptions = Takes<never, 'replace'>;

/** Takes over the content of another session, such as that of a removed work tree, and archives it. */
export async function adopt(
  invocation: Invocation,
  session: string,
  { replace = false }: AdoptOptions,
): Promise<void> {
  const { workspace, config, pad, store } = await openSession(invocation);
  const sessions = await sessionsOf(invocation);
  await sessions.info(session);
  if (session === config.primarySession || session === store.paths.session) {
    throw misuse('a session cannot take over itself or the primary one', { found: session });
  }
  const from = new FileStore(workspace.root, session, { primary: config.primarySession });
  const done = await adoptSpaces((await from.read()).spaces, pad.store, config.limits, replace);
  invocation.warn(done.notices);
  const archive = await sessions.archive(session);
  const spaces = [...new Set(done.revisions.map(({ space }) => space))].join(', ') || 'nothing new';
  invocation.done(
    { adopted: session, archive, revision: done.revision },
    `taken over from ${session}: ${spaces}\nrestore with: scratchpad session restore ${JSON.stringify(session)}`,
  );
}

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
  const { exists, spaces, notices } = await opened.pad.store.read();
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

async function sessionsOf(invocation: Invocation): Promise<Sessions> {
  const { workspace, config, pad } = await openSession(invocation);
  return new Sessions(workspace.root, {
    primary: config.primarySession,
    now: () => pad.now(),
    archiveMs: config.archive.age,
  });
}

async function timesOf(invocation: Invocation): Promise<(at: string) => string> {
  const { config } = await openSession(invocation);
  return localTimes(config);
}

function report(invocation: Invocation, info: SessionInfo): void {
  invocation.done(info, `${info.session}: ${info.pad}`);
}

function row(
  { session, updated, entries, parent, primary }: SessionInfo,
  local: (at: string) => string,
): string {
  const more = [
    primary ? 'primary' : '',
    parent === null ? '' : `from ${parent}`,
    entries === 0 ? '' : counted(entries, 'entry', 'entries'),
  ].filter((part) => part !== '');
  const tail = more.length === 0 ? '' : `  (${more.join(', ')})`;
  return `${local(updated)}  ${session}${tail}`;
}

export { deleteSession as delete };
