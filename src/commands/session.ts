import { refusal, usageError } from '../base/errors.ts';
import { parseDuration } from '../base/text/durations.ts';
import { formatCall } from '../base/text/shell.ts';
import { formatCount, formatThousands } from '../base/text/strings.ts';
import { listArchivedIds, listSessionFolders, listSessionIds } from '../core/session-folders.ts';
import { type SessionInfo, Sessions } from '../core/sessions.ts';
import { clearSpace } from '../core/spaces.ts';
import { describeUsage, measureUsage, parseRefs } from '../pad/budget.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { setRefs } from '../pad/refs.ts';
import { type EditResult, setText } from '../pad/spaces.ts';
import { completeSession } from '../session/actor.ts';
import { getSessionPaths } from '../session/workspace.ts';
import { appendScratchpadEntries, readScratchpadEntries } from '../transcript/entries.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import { type Invocation, refuseAgent, resolveFile } from './invocation.ts';
import { openSession, refuseAnothersPad, requirePad } from './open.ts';
import { makeTimeFormatter } from './print.ts';

const ID = { '<session>': 'its id' };

export const session: CommandDefinition = {
  examples: ['scratchpad session list', 'scratchpad session fork main experiment'],
  verbs: {
    list: defineCommand({
      about: 'list the sessions of this workspace, last changed first',
      isDefault: true,
      takes: { '-n, --limit <n>': 'how many to show (default 100), besides the primary one' },
      run: async (call, { limit = 100 }) => {
        const { sessions, formatTime, folders } = await openSessions(call);
        const listed = await sessions.list({ limit });
        const rows = listed.map(
          (each) => `${formatTime(each.updated)}  ${each.session}${describeSession(each)}`,
        );
        call.print(listed, rows.length > 0 ? rows : 'no sessions yet');
        const older = folders() - limit;
        if (older > 0) call.note(`${older} older: scratchpad session list --limit ${folders()}`);
        call.note('sessions of an agent: scratchpad transcript list');
      },
    }),
    fork: defineCommand({
      about: 'create a session with all spaces and entries of another',
      takes: { '<parent>': 'the session to copy', '<child>': 'id of the new session' },
      run: async (call, { parent, child }) => {
        const { sessions, complete } = await openSessions(call);
        report(call, await sessions.fork(complete(parent), child));
      },
    }),
    spawn: defineCommand({
      about: 'create an empty session',
      takes: {
        '<parent>': 'the session it belongs to',
        '<child>': 'id of the new session',
        '--copy-notepad': "start with the parent's notes",
        '--inherit <names...>': 'let it read these entries of the parent',
      },
      examples: ['scratchpad session spawn main sub-1 --copy-notepad --inherit schema'],
      run: async (call, { parent, child, ...options }) => {
        const { sessions, complete } = await openSessions(call);
        report(call, await sessions.spawn(complete(parent), child, options));
      },
    }),
    archive: defineCommand({
      about: 'move a session to .scratchpad/archive/',
      takes: ID,
      run: async (call, { session: typed }) => {
        const { sessions, complete, refuseRemoval } = await openSessions(call);
        const id = complete(typed);
        refuseRemoval(id);
        const archive = await sessions.archive(id);
        call.report({ session: id, archive }, [`archived: ${archive}`, describeRestore(id)]);
      },
    }),
    prune: defineCommand({
      about: 'archive sessions unchanged for 30 days, but never the primary one',
      takes: {
        '--older-than <duration>': 'unchanged for this long, such as 7d or 12h (default 30d)',
        '--dry-run': 'only list them',
      },
      examples: ['scratchpad session prune --older-than 14d --dry-run'],
      run: async (call, { olderThan, dryRun = false }) => {
        const olderThanMs = olderThan === undefined ? undefined : parseDuration(olderThan, '--older-than');
        const { sessions, formatTime } = await openSessions(call);
        if (!dryRun) refuseAgent(call, 'prune is for a person: nothing was archived');
        const archived = await sessions.prune({ olderThanMs, dryRun });
        const rows = archived.map(({ session: id, updated, archive }) =>
          [formatTime(updated).slice(0, 10), id, archive].filter((cell) => cell !== null).join('  '),
        );

        if (rows.length > 0) call.note(dryRun ? 'would be archived:' : 'archived:');
        call.print({ dryRun, archived }, rows.length > 0 ? rows : 'no session has been idle that long');
      },
    }),
    // The primary one needs --yes: its file has text that a person wrote outside the spaces.
    delete: defineCommand({
      about: 'delete a session with its pad and its entries; session restore brings it back',
      takes: {
        ...ID,
        '--yes': 'required for the primary session, whose pad is SCRATCHPAD.md',
        '--for-good': 'delete it permanently',
      },
      run: async (call, { session: typed, yes: primary = false, forGood = false }) => {
        const { sessions, complete, refuseRemoval } = await openSessions(call);
        // A deletion that nothing takes back needs the whole id.
        const id = forGood ? typed : complete(typed);
        refuseRemoval(id);
        const archive = (await sessions.delete(id, { forGood, primary })) ?? null;
        const what = `${id}, its pad and its entries`;
        call.report(
          { deleted: id, archive },
          archive === null ? `permanently deleted: ${what}` : [`deleted: ${what}`, describeRestore(id)],
        );
      },
    }),
    restore: defineCommand({
      about: 'restore a session that was archived or deleted, or rebuild the spaces from a session file',
      takes: {
        '[session]': 'its id',
        '--from <file>': 'an OpenClaw or pi session, an OpenClaw database, or a scratchpad journal',
      },
      examples: [
        'scratchpad session restore experiment',
        'scratchpad session restore --from ~/.pi/agent/sessions/--home-me-app--/s.jsonl',
      ],
      run: async (call, { session: id, from }) => {
        if (id !== undefined && from === undefined) {
          const { sessions, archived } = await openSessions(call);
          return report(call, await sessions.bringBack(completeSession(id, archived())), 'restored: ');
        }

        if (id === undefined && from !== undefined) return restoreFile(call, from);
        throw usageError('it is unclear what to restore: nothing was changed', {
          expected: 'the id of a session that was archived or deleted, or --from FILE',
          found: id === undefined ? 'neither' : 'both',
        });
      },
    }),
    persist: defineCommand({
      about: 'append the spaces to a session file of OpenClaw or pi',
      takes: { '--to <file>': 'the session file (JSONL)' },
      run: async (call, { to }) => {
        const opened = await openSession(call);
        const { exists, spaces, notices } = await opened.pad.store.read();
        requirePad(exists, opened);
        call.warn(notices);
        if (to === undefined) throw usageError('no session file was given', { expected: '--to FILE' });

        const path = resolveFile(to, call);
        const result = await appendScratchpadEntries(
          path,
          { ...spaces, refs: parseRefs(spaces.refs) },
          call.now,
        );

        const { written } = result;
        call.report(
          result,
          written.length === 0
            ? 'nothing to write: the session is already up to date'
            : `wrote ${written.join(', ')} (${formatThousands(written.length)} entries) to ${path}`,
        );
      },
    }),
  },
};

async function restoreFile(call: Invocation, from: string): Promise<void> {
  const path = resolveFile(from, call);
  const found = await readScratchpadEntries(path);
  const restored = SPACE_NAMES.filter((space) => found[space] !== undefined);
  const invalid = (found.invalid ?? []).join(', ');

  if (restored.length === 0)
    throw refusal('that session holds no scratchpad: nothing was changed', {
      where: path,
      expected: 'custom entries under openclaw:scratchpad: texts, and for refs a list',
      found: invalid === '' ? 'none' : `entries of another form: ${invalid}`,
      next: { to: 'an agent writes them', command: 'scratchpad session persist --to FILE' },
    });

  const { store, config } = await openSession(call);
  const { limits } = config;
  const restore = (space: (typeof restored)[number]): EditResult => {
    if (space !== 'refs') return setText(space, found[space] ?? '', limits);
    return found.refs?.length ? setRefs(found.refs, limits) : clearSpace('refs');
  };
  const edits = restored.map((space) => ({ space, ...restore(space) }));
  const changes = edits.map(({ space, content }) => ({ space, content, op: 'restore' }));
  const warnings = edits.flatMap((each) => each.warnings);
  const { notices, spaces, revision } = await store.change(() => changes, 'restore');

  if (invalid !== '') call.warn([`entries of another form were not restored: ${invalid}`]);
  call.warn([...notices, ...warnings]);
  const usage = restored.map((space) => measureUsage(space, spaces[space], limits));
  call.report({ restored, usage, revision, warnings }, usage.map(describeUsage));
}

async function openSessions(call: Invocation) {
  const { workspace, config, pad } = await openSession(call);
  const { primarySession: primary, archive } = config;
  const sessions = new Sessions(workspace.root, { primary, now: () => pad.now(), archiveMs: archive.age });
  return {
    sessions,
    formatTime: makeTimeFormatter(config),
    folders: () => listSessionFolders(workspace.root).length,
    /** Refuses an agent the pad of another session: a copy of it is read like the pad itself. */
    complete: (typed: string): string => {
      const id = completeSession(typed, [primary, ...listSessionIds(workspace.root)]);
      if (id !== primary) refuseAnothersPad(workspace.root, id, call.env);
      return id;
    },
    /** An agent's commands remove no pad that is everybody's, nor one of another session. */
    refuseRemoval: (id: string): void => {
      if (id === primary) refuseAgent(call, 'this session is for a person to remove: nothing was changed');
      else refuseAnothersPad(workspace.root, id, call.env);
    },
    archived: () => listArchivedIds(getSessionPaths(workspace.root, primary, primary)),
  };
}

function report(call: Invocation, info: SessionInfo, what = ''): void {
  call.report(info, `${what}${info.session}: ${info.pad}`);
}

const describeRestore = (id: string): string => `restore with: ${formatCall('session', 'restore', id)}`;

function describeSession({ entries, parent, primary }: SessionInfo): string {
  const facts = [
    primary && 'primary',
    parent !== null && `from ${parent}`,
    entries > 0 && formatCount(entries, 'entry', 'entries'),
  ].filter((fact) => fact !== false);

  return facts.length === 0 ? '' : `  (${facts.join(', ')})`;
}
