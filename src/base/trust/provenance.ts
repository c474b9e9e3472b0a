import { join, resolve } from 'node:path';
import { attempt } from '../errors.ts';
import {
  DATA_DIR,
  encodeBytes,
  ensureFolder,
  isOwn,
  keepForProcess,
  onDataFolder,
  PAD_FILE,
  resolveRealPath,
  tryList,
  tryReadText,
  tryStat,
  writeAtomically,
} from '../fs/index.ts';
import { listTrackedPaths, type Tracked } from '../git/index-file.ts';
import { hashObject, isInRepository } from '../git/objects.ts';
import { findGitPlace, folderInGit } from '../git/place.ts';
import { DATA, identifyFolder, readApproval, SETTINGS } from './approval.ts';
import { computeSeal } from './seal.ts';

/** `untrusted`: it was not made here, or git wrote it, or it is another user's, and the person has not approved it. */
type FileOwner = 'own' | 'untrusted';

export interface Provenance {
  /** Plan, notes, refs and state of every session: if untrusted, they are not shown to a model. */
  spaces: FileOwner;
  /** `.scratchpad/config.yaml`: if untrusted, its settings do not apply. */
  settings: FileOwner;
  /** Whether git put what is somebody else's in the place of a pad that was made here. */
  isReplaced?: boolean;
  withheld?: string;
  /** The same for the start of a session: one line that says how to change that, too. */
  note?: string;
}

/** Checked only where it has no second copy, which shows better what is ours. */
const JOURNAL = `${DATA}sessions/main/journal.jsonl`;
/** In `.scratchpad`: a seal of the workspace's path, which shows that it was made here, and one of the pad's text. */
const MADE = 'made';
const WRITTEN = 'written';
/** In the folder of the second copies: seals of texts that git has put here. */
const FOREIGN = 'foreign';
/** Files that say nothing to anybody, and of which a stranger's count for nothing. */
const MUTE = new Set(['.gitignore', MADE, WRITTEN].map((name) => DATA + name));
const OWN: Provenance = { spaces: 'own', settings: 'own' };

/**
 * Who wrote the pad and the settings of a workspace. They are the person's own if they were made here and git has not
 * written them, or if the person approved them (`scratchpad trust`).
 * @param root the folder that holds SCRATCHPAD.md
 */
export function judgeProvenance(root: string, env: NodeJS.ProcessEnv = process.env): Provenance {
  const workspace = resolveReal(root);
  if (isForeign(workspace, env))
    return isApproved(workspace, env) ? OWN : withhold(true, true, 'of another user');

  const tracked = listTrackedPaths(workspace, [PAD_FILE, DATA]);
  const isMade = isMadeHere(workspace, env);
  const restored = listRestored(workspace, tracked, env);
  if (isMade && tracked.length + restored.length === 0) return OWN;

  const approval = readApproval(workspace, env);
  const isKnown = isMade || approval?.content === 'approved';
  const foreign = [...foreignOf(workspace, tracked, env), ...restored];
  if (isMade) rememberForeign(workspace, foreign, env);
  const all = isKnown ? foreign : [...foreign, ...untrackedIn(workspace, tracked)];
  const settings = all.some((path) => path === SETTINGS || path === DATA);
  const spaces = all.some((path) => path !== SETTINGS && !MUTE.has(path));
  if (!settings && !spaces) return OWN;

  const origin = foreign.length > 0 ? 'from the repository' : NOT_MADE;
  const isReplaced = isKnown && spaces && approval?.tracked !== true;
  return { ...withhold(spaces, settings, origin), isReplaced };
}

function withhold(spaces: boolean, settings: boolean, why: string): Provenance {
  const what = [...(spaces ? [PAD_FILE] : []), ...(settings ? [SETTINGS] : [])].join(' and ');
  const withheld = `${what}, ${why}`;
  return {
    spaces: spaces ? 'untrusted' : 'own',
    settings: settings ? 'untrusted' : 'own',
    withheld,
    note: `(Not used until the person runs \`scratchpad trust\`: ${withheld}.)`,
  };
}

const NOT_MADE = 'not made here but copied, moved, unpacked or written by hand';

/** What git tracks and may have written: neither approved, nor the pad as this program wrote it last. */
function foreignOf(workspace: string, tracked: readonly Tracked[], env: NodeJS.ProcessEnv): string[] {
  if (tracked.length === 0) return [];
  const approval = readApproval(workspace, env);
  const branch = findGitPlace(workspace)?.branch;
  if (branch !== undefined && approval?.branches?.includes(branch)) return [];
  return tracked
    .filter(({ id }) => id === undefined || !approval?.blobs?.includes(id))
    .map(({ path }) => path)
    .filter(
      (path) =>
        path !== PAD_FILE || !isWritten(workspace, tryReadText(join(workspace, PAD_FILE), 'pad'), env),
    );
}

/**
 * What git put here and tracks no longer, as after `git reset` on a branch that has it: its content is in the
 * repository, and this program has not written it.
 */
function listRestored(workspace: string, tracked: readonly Tracked[], env: NodeJS.ProcessEnv): string[] {
  const copies = folderInGit(workspace);
  const hasCopy = copies !== undefined && tryStat(join(copies, 'main.jsonl')) !== undefined;
  return [PAD_FILE, SETTINGS, ...(hasCopy ? [] : [JOURNAL])].filter((path) => {
    if (tracked.some((each) => each.path === path || each.path === DATA)) return false;

    const text = tryReadText(join(workspace, path), 'journal');
    if (!text?.trim() || isWritten(workspace, text, env)) return false;

    const bytes = encodeBytes(text);
    if (!isInRepository(workspace, bytes) && !isKnownForeign(workspace, text, env)) return false;

    const approval = readApproval(workspace, env);
    return approval?.tracked !== true && !approval?.blobs?.includes(hashObject(bytes));
  });
}

/** Objects go with `git gc`: what was seen to be git's once is remembered, beside the copies. */
function rememberForeign(workspace: string, paths: readonly string[], env: NodeJS.ProcessEnv): void {
  const folder = folderInGit(workspace);
  if (folder === undefined || tryStat(folder) === undefined) return;

  const before = readLines(join(folder, FOREIGN));
  const added = paths
    .filter((path) => path === PAD_FILE || path === SETTINGS)
    .map((path) => computeSeal(FOREIGN, tryReadText(join(workspace, path), 'journal') ?? '', env))
    .filter((seal) => seal !== undefined && !before.includes(seal));
  if (added.length === 0) return;

  const lines = [...before, ...added].slice(-MOST_TEXTS);
  attempt(() => writeAtomically(join(folder, FOREIGN), `${lines.join('\n')}\n`, { durable: false }));
}

function isKnownForeign(workspace: string, text: string, env: NodeJS.ProcessEnv): boolean {
  const folder = folderInGit(workspace);
  const seal = computeSeal(FOREIGN, text, env);
  return folder !== undefined && seal !== undefined && readLines(join(folder, FOREIGN)).includes(seal);
}

/** What there is of a pad that git does not track. */
function untrackedIn(workspace: string, tracked: readonly Tracked[]): string[] {
  const names = tryList(join(workspace, DATA_DIR)).map((name) => DATA + name);
  const pad = tryStat(join(workspace, PAD_FILE)) ? [PAD_FILE] : [];
  const left = [...pad, ...names].filter(
    (name) =>
      !MUTE.has(name) &&
      !tracked.some(({ path }) => path === name || path.startsWith(`${name}/`) || path === DATA),
  );
  return [...left, ...listCopies(workspace)];
}

/** The copies of journals in a repository's own folder: an archive may bring nothing else, and they may be all that is left. */
export function listCopies(root: string): string[] {
  const folder = folderInGit(root);
  return folder === undefined ? [] : tryList(folder).filter((name) => name.endsWith('.jsonl'));
}

const resolveReal = (root: string): string => resolveRealPath(root) ?? resolve(root);

/** Whether this user may write to a workspace: it is their own, or they have approved it. */
export function mayWrite(root: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const workspace = resolveReal(root);
  return !isForeign(workspace, env) || isApproved(workspace, env);
}

/** @param text of SCRATCHPAD.md: whether the person has approved just this one */
export function isApproved(root: string, env: NodeJS.ProcessEnv, text?: string): boolean {
  const { content, blobs } = readApproval(resolveReal(root), env) ?? {};
  return (
    content === 'approved' && (text === undefined || blobs?.includes(hashObject(encodeBytes(text))) === true)
  );
}

/**
 * Whether a workspace or the scratchpad in it belongs to another user, judged as git does for a repository. A folder
 * that only root can write may hold the user's own scratchpad, like the working directory of a container.
 */
function isForeign(workspace: string, env: NodeJS.ProcessEnv): boolean {
  if (![join(workspace, PAD_FILE), join(workspace, DATA_DIR)].every((path) => isOwn(path, env))) return true;
  if (isOwn(workspace, env)) return false;
  const stats = tryStat(workspace);
  return stats === undefined || stats.uid !== 0 || (stats.mode & 0o022) !== 0;
}

/** Whether a workspace was made here. Without a place for a key nothing can be recorded, and nobody is asked. */
export function isMadeHere(root: string, env: NodeJS.ProcessEnv): boolean {
  const workspace = resolveReal(root);
  if (computeSeal(MADE, workspace, env) === undefined) return true;

  return [join(workspace, DATA_DIR), folderInGit(workspace)].some(
    (folder) => folder !== undefined && isMarked(folder, workspace, env),
  );
}

/** Whether `markFolder` has marked a folder; without a place for a key, each one counts. */
export function isMarked(folder: string, root: string, env: NodeJS.ProcessEnv, mark = MADE): boolean {
  const seals = tryReadText(join(folder, mark), 'lock')?.trim().split('\n') ?? [];
  const own = computeMarks(folder, root, env, mark);
  return own.length === 0 || own.some((seal) => seals.includes(seal));
}

/** The seals of a workspace's path and of the folder itself, which stays the same folder where it is moved. */
function computeMarks(folder: string, root: string, env: NodeJS.ProcessEnv, mark: string): string[] {
  return [resolveReal(root), identifyFolder(folder)].flatMap(
    (name) => (name === undefined ? undefined : computeSeal(mark, name, env)) ?? [],
  );
}

function isWritten(workspace: string, text: string | undefined, env: NodeJS.ProcessEnv): boolean {
  const seal = text === undefined ? undefined : computeSeal(WRITTEN, workspace + text, env);
  return seal !== undefined && writtenIn(workspace).includes(seal);
}

const writtenIn = (workspace: string): string[] => readLines(join(workspace, DATA_DIR, WRITTEN));

const readLines = (path: string): string[] => (tryReadText(path, 'record') ?? '').split('\n').filter(Boolean);

/** Records what was written into SCRATCHPAD.md or the settings: where git has it, it is known to be the person's own. */
export function sealText(root: string, text: string, env: NodeJS.ProcessEnv): void {
  const workspace = resolveReal(root);
  const seal = computeSeal(WRITTEN, workspace + text, env);
  const before = writtenIn(workspace);
  if (seal === undefined || before.at(-1) === seal) return;
  const seals = [...before.filter((each) => each !== seal), seal].slice(-MOST_TEXTS);
  const path = join(workspace, DATA_DIR, WRITTEN);
  attempt(() => writeAtomically(path, `${seals.join('\n')}\n`, { durable: false }));
}

/** Branches may hold older texts. */
const MOST_TEXTS = 500;

/**
 * Records that a workspace is made here, before anything is written into it. Does nothing where there is something
 * already that this does not vouch for.
 * @param how `adopts`: the person makes a workspace of a SCRATCHPAD.md that is there; `creates`: `.scratchpad`, too
 */
export function claim(
  root: string,
  env: NodeJS.ProcessEnv = process.env,
  { adopts = false, creates = false } = {},
): void {
  const workspace = resolveReal(root);
  if (isForeign(workspace, env)) return;
  const tracked = listTrackedPaths(workspace, [PAD_FILE, DATA]);
  const left = untrackedIn(workspace, tracked).filter((path) => !adopts || path !== PAD_FILE);
  if (left.length > 0 || tracked.some(({ path }) => path !== SETTINGS && !MUTE.has(path))) return;
  const data = join(workspace, DATA_DIR);
  // A folder that is yet to be made is marked then. Without a record the person is asked.
  if (adopts || creates) attempt(() => ensureFolder(data));
  if (tryStat(data)) attempt(() => markFolder(data, workspace, env));
  else claimants.set(workspace, env);
}

/** Whose key marks a folder that is yet to be made: a program may open a workspace with an environment of its own. */
const claimants = keepForProcess(new Map<string, NodeJS.ProcessEnv>());

/** @param folder `.scratchpad`, or where it has a second copy */
export function markFolder(folder: string, root: string, env: NodeJS.ProcessEnv, mark = MADE): void {
  writeMarks(folder, computeMarks(folder, root, env, mark), mark);
}

function writeMarks(folder: string, seals: readonly string[], mark = MADE): void {
  if (seals.length > 0) writeAtomically(join(folder, mark), `${seals.join('\n')}\n`, { mode: 0o600 });
}

// Whatever makes the folder: an entry, a setting, a session.
onDataFolder((root) => {
  const isNew = tryStat(join(root, PAD_FILE)) === undefined && listCopies(resolveReal(root)).length === 0;
  if (!isNew) return;

  const folder = join(root, DATA_DIR);
  const claimant = claimants.get(resolveReal(root)) ?? process.env;
  // The commands of the same person read it, too.
  const seals = [...new Set([claimant, process.env])].flatMap((env) => computeMarks(folder, root, env, MADE));
  attempt(() => writeMarks(folder, seals));
});

/**
 * The files of a workspace that git may have written and the person has not approved: they came with a clone.
 * @param paths relative to the workspace; a path that ends in `/` covers everything below it
 * @returns paths relative to the workspace; one that ends in `/` with everything below it
 */
export function listUntrusted(root: string, paths: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const workspace = resolveReal(root);
  return foreignOf(workspace, listTrackedPaths(workspace, paths), env);
}
