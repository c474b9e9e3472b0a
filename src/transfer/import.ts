import type { Pad } from '../core/context.ts';
import { FileEntries } from '../entries/file-entries.ts';
import { ScratchpadError } from '../errors.ts';
import { ensureFolder, writeAtomically } from '../fs/index.ts';
import { type Limits, usageOf } from '../pad/budget.ts';
import { SPACE_NAMES, type SpaceName } from '../pad/markers.ts';
import { withSpaces } from '../session/compose.ts';
import { FileStore } from '../session/file-store.ts';
import type { Spaces } from '../session/journal.ts';
import { thousands } from '../text/counts.ts';
import { countCharacters } from '../text/shorten.ts';
import { readTrail, trailFrom, writeTrail } from '../trail/store.ts';
import { type Row, unpack } from './archive.ts';
import type { Parcel } from './foreign.ts';

export interface Imported {
  sessions: number;
  entries: number;
  trails: number;
  warnings: string[];
}

/**
 * Imports an archive into a workspace. A new session comes with its history. For an existing one the texts
 * are merged without dropping anything, and entries with the same name are kept beside the existing ones.
 * @throws ScratchpadError `refused` for an incomplete archive, before anything is changed
 */
export async function importArchive(pad: Pad, path: string): Promise<Imported> {
  for await (const _ of unpack(path));
  const done: Imported = { sessions: 0, entries: 0, trails: 0, warnings: [] };
  let primary = '';
  const rows = unpack(path);
  for (let next = await rows.next(); !next.done; ) {
    const row = next.value;
    next = await rows.next();
    if (row.type === 'head') primary = row.primary;
    else if (row.type === 'session') await takeSession(pad, nameHere(pad, row.session, primary), row, done);
    else if (row.type === 'trail') takeTrail(pad, row.trail, done);
    else if (row.type === 'entry') {
      const pieces: Buffer[] = [];
      for (; !next.done && next.value.type === 'piece'; next = await rows.next())
        pieces.push(Buffer.from(next.value.base64, 'base64'));
      const entries = new FileEntries(storeOf(pad, nameHere(pad, row.session, primary)).paths, pad.now);
      await takeEntry(entries, row.name, Buffer.concat(pieces), row.origin, done);
    }
  }
  return done;
}

/**
 * Imports another tool's memory into a session: as much as the limits of its spaces allow, and everything as
 * entries.
 */
export async function importParcel(pad: Pad, session: string, parcel: Parcel): Promise<Imported> {
  const done: Imported = { sessions: 0, entries: 0, trails: 0, warnings: [] };
  const store = storeOf(pad, session);
  const entries = new FileEntries(store.paths, pad.now, pad.mayMake);
  for (const { name, content } of parcel.entries)
    await takeEntry(entries, name, Buffer.from(content), `import: ${parcel.from}`, done);
  const names = parcel.entries.map(({ name }) => name).join(', ');
  const { revisions } = await store.change(({ spaces }) => {
    const { limits } = pad.config;
    const first = spaces.plan.split('\n').filter((line) => line.trim() !== '').length + 1;
    const steps = parcel.plan.map((step, k) => `${first + k}. ${step}`);
    return [
      spaceChange('plan', added('plan', spaces.plan, steps, limits, names, done)),
      spaceChange('notes', added('notes', spaces.notes, parcel.notes, limits, names, done)),
    ];
  }, 'restore');
  done.sessions = revisions.length > 0 ? 1 : 0;
  return done;
}

/** The lines that fit into a space. */
function added(
  space: 'plan' | 'notes',
  before: string,
  lines: readonly string[],
  limits: Limits,
  entries: string,
  { warnings }: Imported,
): string {
  let content = before;
  for (const [k, line] of lines.entries()) {
    const longer = content === '' ? line : `${content}\n${line}`;
    if (countCharacters(longer) > limits[space]) {
      const left = lines.length - k;
      warnings.push(
        `${space} has no room for ${thousands(left)} of ${thousands(lines.length)} lines: all of them are in the entries ${entries}`,
      );
      break;
    }
    content = longer;
  }
  return content;
}

async function takeSession(
  pad: Pad,
  session: string,
  { spaces: theirs, journal }: Extract<Row, { type: 'session' }>,
  done: Imported,
): Promise<void> {
  const store = storeOf(pad, session);
  const { exists, revision, spaces: before, document } = await store.read();
  // A pad that `init` has just made has no history that could be lost.
  const isNew = revision === 0 && SPACE_NAMES.every((space) => before[space] === '');
  if (isNew && journal !== undefined) {
    // In step with the history, or its empty spaces would count as an edit.
    if (exists) writeAtomically(store.paths.pad, withSpaces(document, session, theirs));
    ensureFolder(store.paths.dir);
    writeAtomically(store.paths.journal, journal);
  }
  const { spaces, revisions } = await store.change(
    ({ spaces: ours }) =>
      SPACE_NAMES.map((space) => spaceChange(space, isNew ? theirs[space] : joined(space, ours, theirs))),
    'restore',
  );
  for (const space of SPACE_NAMES) {
    const { used, limit } = usageOf(space, spaces[space], pad.config.limits);
    if (used > limit)
      done.warnings.push(
        `${space} of ${session} is now over its limit: ${thousands(used)} of ${thousands(limit)}`,
      );
  }
  const came = isNew && (await store.history()).revisions.length > 0;
  if (!exists || came || revisions.length > 0) done.sessions += 1;
}

/** Our text followed by each of their lines that it lacks, so that importing again adds nothing. */
function joined(space: SpaceName, ours: Spaces, theirs: Spaces): string {
  const known = new Set(ours[space].split('\n'));
  const news = theirs[space].split('\n').filter((line) => !known.has(line));
  return [...(ours[space] === '' ? [] : [ours[space]]), ...news].join('\n');
}

async function takeEntry(
  entries: FileEntries,
  name: string,
  content: Buffer,
  origin: string,
  done: Imported,
): Promise<void> {
  const here = (await entries.list()).find((entry) => entry.name === name);
  if (here !== undefined) {
    const pieces: Buffer[] = [];
    for await (const piece of entries.bytes(name)) pieces.push(piece);
    if (Buffer.concat(pieces).equals(content)) return;
  }
  const free = here === undefined ? name : `${[...name].slice(0, 180).join('')} (imported)`;
  await entries.write(free, content, { origin });
  done.entries += 1;
  if (free !== name)
    done.warnings.push(`the entry ${name} exists here with different content: the imported one is ${free}`);
}

function takeTrail({ root }: Pad, json: string, done: Imported): void {
  const record = trailFrom(json, root);
  if (record === undefined || readTrail(root, record.session) !== undefined) return;
  writeTrail(root, record);
  done.trails += 1;
}

const nameHere = ({ config }: Pad, session: string, primary: string): string =>
  session === primary ? config.primarySession : session;

function storeOf({ root, config, env, now, mayMake }: Pad, session: string): FileStore {
  return new FileStore(root, session, {
    primary: config.primarySession,
    now,
    env,
    ...(mayMake && { mayMake }),
  });
}

const spaceChange = (space: SpaceName, content: string) =>
  ({ kind: 'space', space, content, op: 'import' }) as const;

export function notImportable(path: string): ScratchpadError {
  return new ScratchpadError('refused', 'unknown format: nothing was changed', {
    where: path,
    expected:
      'a file of scratchpad export, a folder with task_plan.md, issues of beads (JSONL), or an export of claude-mem (JSON)',
  });
}
