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
import { findFolderInGit, findGitPlace } from '../git/place.ts';
import { DATA, identifyFolder, readApproval, SETTINGS } from './approval.ts';
import { computeSeal } from './seal.ts';

/** `untrusted`: not made here, written by git, or another user's, and not approved by the person. */
type FileOwner = 'own' | 'untrusted';

export interface Provenance {
  /** Plan, notes, refs and state of every session: if untrusted, they are not shown to a model. */
  spaces: FileOwner;
  /** `.scratchpad/config.yaml`: if untrusted, its settings do not apply. */
  settings: FileOwner;
  /** Whether git replaced a pad that was made here by somebody else's. */
  isReplaced?: boolean;
  /** The untrusted files, and why they are. */
  withheld?: string;
  /** `withheld` for a model, with the command that approves the files. */
  note?: string;
}

/** Checked only without a second copy, which shows better what is ours. */
const JOURNAL = `${DATA}sessions/main/journal.jsonl`;
/** File in `.scratchpad`: seals that show that the workspace was made here. */
const MADE = 'made';
/** File in `.scratchpad`: seals of the texts that this program wrote. */
const WRITTEN = 'written';
/** File beside the second copies: seals of the texts that git put here. */
const FOREIGN = 'foreign';
/** Files without content for anybody: a stranger's have no effect. */
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
  const foreign = [...listForeign(workspace, tracked, env), ...restored];
  if (isMade) rememberForeign(workspace, foreign, env);
  const untrusted = isKnown ? foreign : [...foreign, ...listUntracked(workspace, tracked)];
  const settings = untrusted.some((path) => path === SETTINGS || path === DATA);
  const spaces = untrusted.some((path) => path !== SETTINGS && !MUTE.has(path));
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

/** The tracked paths that git may have written: neither approved, nor the pad as this program wrote it last. */
function listForeign(workspace: string, tracked: readonly Tracked[], env: NodeJS.ProcessEnv): string[] {
  if (tracked.length === 0) return [];
  const approval = readApproval(workspace, env);
  const branch = findGitPlace(workspace)?.branch;
  if (branch !== undefined && approval?.branches?.includes(branch)) return [];

  const isApprovedBlob = ({ id }: Tracked): boolean =>
    id !== undefined && approval?.blobs?.includes(id) === true;
  const isOurPad = ({ path }: Tracked): boolean =>
    path === PAD_FILE && isWritten(workspace, tryReadText(join(workspace, PAD_FILE), 'pad'), env);
  return tracked.filter((file) => !isApprovedBlob(file) && !isOurPad(file)).map(({ path }) => path);
}

/**
 * The files that git put here and no longer tracks, as after `git reset` on a branch that has them: their content is in
 * the repository, and this program has not written it.
 */
function listRestored(workspace: string, tracked: readonly Tracked[], env: NodeJS.ProcessEnv): string[] {
  const copies = findFolderInGit(workspace);
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

/** Records seals of texts that came from git, beside the second copies: `git gc` removes the objects that show it. */
function rememberForeign(workspace: string, paths: readonly string[], env: NodeJS.ProcessEnv): void {
  const folder = findFolderInGit(workspace);
  if (folder === undefined || tryStat(folder) === undefined) return;

  for (const path of paths.filter((each) => each === PAD_FILE || each === SETTINGS)) {
    const seal = computeSeal(FOREIGN, tryReadText(join(workspace, path), 'journal') ?? '', env);
    const seals = readLines(join(folder, FOREIGN));
    if (seal !== undefined && !seals.includes(seal)) writeSeals(join(folder, FOREIGN), [...seals, seal]);
  }
}

const writeSeals = (path: string, seals: readonly string[]): void =>
  void attempt(() => writeAtomically(path, `${seals.slice(-MOST_SEALS).join('\n')}\n`, { durable: false }));

/** Seals of older texts stay: branches may hold them. */
const MOST_SEALS = 500;

function isKnownForeign(workspace: string, text: string, env: NodeJS.ProcessEnv): boolean {
  const folder = findFolderInGit(workspace);
  const seal = computeSeal(FOREIGN, text, env);
  return folder !== undefined && seal !== undefined && readLines(join(folder, FOREIGN)).includes(seal);
}

function listUntracked(workspace: string, tracked: readonly Tracked[]): string[] {
  const names = tryList(join(workspace, DATA_DIR)).map((name) => DATA + name);
  const pad = tryStat(join(workspace, PAD_FILE)) ? [PAD_FILE] : [];
  const isTracked = (name: string): boolean =>
    tracked.some(({ path }) => path === name || path.startsWith(`${name}/`) || path === DATA);
  const untracked = [...pad, ...names].filter((name) => !MUTE.has(name) && !isTracked(name));
  return [...untracked, ...listCopies(workspace)];
}

/** The copies of journals in a repository's own folder: an archive may bring nothing else of a pad. */
export function listCopies(root: string): string[] {
  const folder = findFolderInGit(root);
  return folder === undefined ? [] : tryList(folder).filter((name) => name.endsWith('.jsonl'));
}

const resolveReal = (root: string): string => resolveRealPath(root) ?? resolve(root);

/** Whether this user may write to a workspace: it is their own, or they have approved it. */
export function mayWrite(root: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const workspace = resolveReal(root);
  return !isForeign(workspace, env) || isApproved(workspace, env);
}

/** Whether the person has approved the content of a workspace. @param text asks for this text of SCRATCHPAD.md alone */
export function isApproved(root: string, env: NodeJS.ProcessEnv, text?: string): boolean {
  const { content, blobs = [] } = readApproval(resolveReal(root), env) ?? {};
  if (content !== 'approved') return false;
  return text === undefined || blobs.includes(hashObject(encodeBytes(text)));
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

/** Whether a workspace was made here. Without a place for a key nothing can be recorded, and each one counts. */
export function isMadeHere(root: string, env: NodeJS.ProcessEnv): boolean {
  const workspace = resolveReal(root);
  if (computeSeal(MADE, workspace, env) === undefined) return true;

  return [join(workspace, DATA_DIR), findFolderInGit(workspace)].some(
    (folder) => folder !== undefined && isMarked(folder, workspace, env),
  );
}

/** Whether `markFolder` has marked a folder; without a place for a key, each one counts. */
export function isMarked(folder: string, root: string, env: NodeJS.ProcessEnv, mark = MADE): boolean {
  const seals = tryReadText(join(folder, mark), 'lock')?.trim().split('\n') ?? [];
  const expected = computeMarks(folder, root, env, mark);
  return expected.length === 0 || expected.some((seal) => seals.includes(seal));
}

/** The seals of a workspace's path and of the folder itself, which stays the same when it is moved. */
function computeMarks(folder: string, root: string, env: NodeJS.ProcessEnv, mark: string): string[] {
  const identities = [resolveReal(root), identifyFolder(folder) ?? []].flat();
  return identities.flatMap((identity) => computeSeal(mark, identity, env) ?? []);
}

function isWritten(workspace: string, text: string | undefined, env: NodeJS.ProcessEnv): boolean {
  const seal = text === undefined ? undefined : computeSeal(WRITTEN, workspace + text, env);
  return seal !== undefined && readLines(join(workspace, DATA_DIR, WRITTEN)).includes(seal);
}

const readLines = (path: string): string[] => (tryReadText(path, 'record') ?? '').split('\n').filter(Boolean);

/** Records a text of SCRATCHPAD.md or the settings as the person's own, also when git has it. */
export function sealText(root: string, text: string, env: NodeJS.ProcessEnv): void {
  const workspace = resolveReal(root);
  const path = join(workspace, DATA_DIR, WRITTEN);
  const seal = computeSeal(WRITTEN, workspace + text, env);
  const seals = readLines(path);
  if (seal === undefined || seals.at(-1) === seal) return;
  writeSeals(path, [...seals.filter((each) => each !== seal), seal]);
}

/**
 * Records that a workspace is made here, before anything is written into it. Does nothing if files of a pad are there
 * already.
 * @param how `adopts`: the person makes a workspace of an existing SCRATCHPAD.md; `creates`: `.scratchpad` is created
 */
export function claim(
  root: string,
  env: NodeJS.ProcessEnv = process.env,
  { adopts = false, creates = false } = {},
): void {
  const workspace = resolveReal(root);
  if (isForeign(workspace, env)) return;
  const tracked = listTrackedPaths(workspace, [PAD_FILE, DATA]);
  const existing = listUntracked(workspace, tracked).filter((path) => !adopts || path !== PAD_FILE);
  if (existing.length > 0 || tracked.some(({ path }) => path !== SETTINGS && !MUTE.has(path))) return;

  const data = join(workspace, DATA_DIR);
  if (adopts || creates) attempt(() => ensureFolder(data));
  if (tryStat(data)) attempt(() => markFolder(data, workspace, env));
  else claimants.set(workspace, env);
}

/** The environments whose keys will mark folders once they are made: a program may pass an environment of its own. */
const claimants = keepForProcess(new Map<string, NodeJS.ProcessEnv>());

/** @param folder `.scratchpad`, or where it has a second copy */
export function markFolder(folder: string, root: string, env: NodeJS.ProcessEnv, mark = MADE): void {
  writeMarks(folder, computeMarks(folder, root, env, mark), mark);
}

function writeMarks(folder: string, seals: readonly string[], mark = MADE): void {
  if (seals.length > 0) writeAtomically(join(folder, mark), `${seals.join('\n')}\n`, { mode: 0o600 });
}

// An entry, a setting or a session may be the first to make the folder.
onDataFolder((root) => {
  const isNew = tryStat(join(root, PAD_FILE)) === undefined && listCopies(resolveReal(root)).length === 0;
  if (!isNew) return;

  const folder = join(root, DATA_DIR);
  const claimant = claimants.get(resolveReal(root)) ?? process.env;
  // Commands of the same person check it with the key of their own environment.
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
  return listForeign(workspace, listTrackedPaths(workspace, paths), env);
}
