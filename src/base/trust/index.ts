import { dirname, join, resolve } from 'node:path';
import siphash from 'siphash';
import { attempt, failure } from '../errors.ts';
import {
  DATA_DIR,
  encodeBytes,
  ensureFolder,
  hearDataFolders,
  isOwn,
  keepForProcess,
  PAD_FILE,
  remove,
  resolveRealPath,
  stateFolder,
  tryList,
  tryReadJson,
  tryReadText,
  tryStat,
  writeAtomically,
  writeNew,
} from '../fs/index.ts';
import { listTrackedPaths, type Tracked } from '../git/index-file.ts';
import { findGitPlace, folderInGit } from '../git/place.ts';

type Key = readonly [number, number, number, number];

const KEY_LINE = /^([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{8})\n$/;

/**
 * A keyed digest (SipHash-2-4) of a text that only this user's processes can compute, because the key is in
 * the user's own state folder. A file from a clone or an archive cannot carry a valid one. Node's HMAC would
 * do as well, but loading `node:crypto` costs a hook 3 ms; a long text, for which that is less, is sealed by its digest.
 * @param purpose what the text is, so that a seal cannot be reused for another purpose
 * @returns `undefined` if there is no place for a key, such as without a home directory
 */
export function computeSeal(purpose: string, text: string, env: NodeJS.ProcessEnv): string | undefined {
  const key = loadKey(env);
  return (
    key && siphash.hash_hex(key, encodeBytes(`${purpose}\0${text.length > LONG ? hashSha256(text) : text}`))
  );
}

/** In UTF-16 units: about a millisecond of SipHash. */
const LONG = 8192;

function hashSha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

const known = keepForProcess(new Map<string, Key>());

function loadKey(env: NodeJS.ProcessEnv): Key | undefined {
  const folder = stateFolder(env);
  if (folder === undefined) return undefined;
  const path = join(folder, 'key');
  const key = known.get(path) ?? readKey(path) ?? makeKey(folder, path);
  if (key) known.set(path, key);
  return key;
}

function readKey(path: string): Key | undefined {
  const words = KEY_LINE.exec(tryReadText(path, 'lock') ?? '')?.slice(1);
  return words?.map((word) => Number.parseInt(word, 16)) as unknown as Key | undefined;
}

function makeKey(folder: string, path: string): Key | undefined {
  // Another process may be quicker, or the folder not writable.
  attempt(() => {
    ensureFolder(folder, 0o700);
    const words = [...crypto.getRandomValues(new Uint32Array(4))];
    writeNew(path, `${words.map((word) => word.toString(16).padStart(8, '0')).join('')}\n`);
  });
  return readKey(path);
}

/** What a person has approved in one workspace, kept in a file outside the workspace. */
export interface Approval {
  /** Real path. */
  workspace: string;
  /** Whether its pad and settings count as the person's own, on which branches, and what git then had of them. */
  content?: 'approved';
  branches?: readonly string[];
  /** Object ids. */
  blobs?: readonly string[];
  /** Whether the person has git track the pad: then each branch has its own version of it. */
  tracked?: boolean;
  /** Digest of the commands as approved (`config/trust.ts`); empty if there were none. */
  digest: string;
  /** The digest of each command by its key: changing one leaves the others approved. */
  each?: Readonly<Record<string, string>>;
  /** ISO 8601. */
  approved: string;
}

function getApprovalFile(workspace: string, env: NodeJS.ProcessEnv): string | undefined {
  const [folder, name] = [stateFolder(env), computeSeal('approval', workspace, env)];
  return folder === undefined || name === undefined ? undefined : join(folder, 'trust', `${name}.json`);
}

/** Whether there is such a file, and no other user can have written it. */
export function isOnlyMine(path: string): boolean {
  const stats = tryStat(path);
  const me = process.getuid?.();
  return stats !== undefined && (me === undefined || (stats.uid === me && (stats.mode & 0o022) === 0));
}

/** The approval of a workspace. A file that other users could have written does not count. */
export function readApproval(workspace: string, env: NodeJS.ProcessEnv): Approval | undefined {
  const file = getApprovalFile(workspace, env);
  if (file === undefined || !isOnlyMine(file)) return undefined;
  const found = tryReadJson(file, 'record') as Partial<Approval> | null | undefined;
  return found?.workspace === workspace && typeof found.digest === 'string'
    ? ({ approved: '', ...found } as Approval)
    : undefined;
}

/**
 * Records that a person vouches for the content of a workspace, by its real path: for what git has of it now, and for
 * all that it will have on this branch.
 * @param at epoch milliseconds
 * @throws ScratchpadError `environment` if it cannot be written
 */
export function approveContent(workspace: string, at: number, env: NodeJS.ProcessEnv, tracked?: true): void {
  const before = readApproval(workspace, env) ?? { workspace, digest: '', approved: '' };
  const branch = findGitPlace(workspace)?.branch;
  const ids = listTrackedPaths(workspace, [PAD_FILE, DATA]).flatMap(({ id }) => id ?? []);
  const branches = [...new Set([...(before.branches ?? []), ...(branch === undefined ? [] : [branch])])];
  const blobs = [...new Set([...(before.blobs ?? []), ...ids])].slice(-MOST_BLOBS);
  const content = { content: 'approved', branches: branches.slice(-MOST_BRANCHES), blobs } as const;
  const isTracked = tracked ?? before.tracked ?? false;
  writeApproval({ ...before, ...content, tracked: isTracked, approved: new Date(at).toISOString() }, env);
}

const [MOST_BRANCHES, MOST_BLOBS] = [100, 500];

/** @throws ScratchpadError `environment` if it cannot be written */
export function writeApproval(approval: Approval, env: NodeJS.ProcessEnv): string {
  const file = getApprovalFile(approval.workspace, env);
  if (file === undefined) {
    throw failure('there is no place to keep the approval', {
      expected: 'HOME or XDG_STATE_HOME in the environment',
      found: 'neither',
    });
  }
  ensureFolder(dirname(file), 0o700);
  writeAtomically(file, `${JSON.stringify(approval, null, 2)}\n`, { mode: 0o600 });
  return file;
}

/** @throws ScratchpadError `environment` if it cannot be removed */
export function removeApproval(workspace: string, env: NodeJS.ProcessEnv): boolean {
  const file = getApprovalFile(workspace, env);
  return file !== undefined && remove(file);
}

/** `untrusted`: it was not made here, or git wrote it, or it is another user's, and the person has not approved it. */
export type FileOwner = 'own' | 'untrusted';

export interface Provenance {
  /** Plan, notes, refs and state of every session: if untrusted, they are not shown to a model. */
  spaces: FileOwner;
  /** `.scratchpad/config.yaml`: if untrusted, its settings do not apply. */
  settings: FileOwner;
  /** Whether the files may be written; those of another user may not. */
  writable: boolean;
  /** Whether git put what is somebody else's in the place of a pad that was made here. */
  isReplaced?: boolean;
  /** What is not used, and why. */
  withheld?: string;
  /** The same for the start of a session: one line that says how to change that, too. */
  note?: string;
}

const DATA = `${DATA_DIR}/`;
const SETTINGS = `${DATA_DIR}/config.yaml`;
/** In `.scratchpad`: a seal of the workspace's path, which shows that it was made here, and one of the pad's text. */
const MADE = 'made';
const WRITTEN = 'written';
/** Files that say nothing to anybody, and of which a stranger's count for nothing. */
const MUTE = new Set(['.gitignore', MADE, WRITTEN].map((name) => DATA + name));
const OWN: Provenance = { spaces: 'own', settings: 'own', writable: true };

/**
 * Who wrote the pad and the settings of a workspace. They are the person's own if they were made here and git has not
 * written them, or if the person approved them (`scratchpad trust`).
 * @param root the folder that holds SCRATCHPAD.md
 */
export function judgeProvenance(root: string, env: NodeJS.ProcessEnv = process.env): Provenance {
  const workspace = resolveReal(root);
  const stranger = isForeign(workspace, env);
  const tracked = stranger ? [] : listTrackedPaths(workspace, [PAD_FILE, DATA]);
  const isMade = !stranger && isMadeHere(workspace, env);
  if (isMade && tracked.length === 0) return OWN;
  const approval = readApproval(workspace, env);
  if (stranger && approval?.content === 'approved') return OWN;
  const foreign = foreignOf(workspace, tracked, env);
  const isUnknown = !isMade && approval?.content !== 'approved' ? untrackedIn(workspace, tracked) : [];
  const all = [...foreign, ...isUnknown];
  const settings = stranger || all.some((path) => path === SETTINGS || path === DATA);
  const spaces = stranger || all.some((path) => path !== SETTINGS && !MUTE.has(path));
  if (!settings && !spaces) return OWN;
  const what = [...(spaces ? [PAD_FILE] : []), ...(settings ? [SETTINGS] : [])].join(' and ');
  const why = stranger ? 'of another user' : foreign.length > 0 ? 'from the repository' : NOT_MADE;
  const withheld = `${what}, ${why}`;
  return {
    spaces: spaces ? 'untrusted' : 'own',
    settings: settings ? 'untrusted' : 'own',
    writable: !stranger,
    isReplaced: isMade && spaces && approval?.tracked !== true,
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
    .filter((path) => path !== PAD_FILE || !isAsWritten(workspace, env));
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

/** An archive may bring nothing but the copies in its `.git`, of which the next command makes a pad. */
function listCopies(workspace: string): string[] {
  const folder = folderInGit(workspace);
  return folder === undefined ? [] : tryList(folder).filter((name) => name.endsWith('.jsonl'));
}

const resolveReal = (root: string): string => resolveRealPath(root) ?? resolve(root);

/** Whether this user may write to a workspace: it is their own, or they have approved it. */
export function mayWrite(root: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const workspace = resolveReal(root);
  return !isForeign(workspace, env) || readApproval(workspace, env)?.content === 'approved';
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
  const seal = computeSeal(MADE, workspace, env);
  if (seal === undefined) return true;
  const isIn = (folder: string | undefined): boolean =>
    folder !== undefined && tryReadText(join(folder, MADE), 'lock')?.trim() === seal;
  return isIn(join(workspace, DATA_DIR)) || isIn(folderInGit(workspace));
}

function isAsWritten(workspace: string, env: NodeJS.ProcessEnv): boolean {
  const text = tryReadText(join(workspace, PAD_FILE), 'pad');
  const seal = text === undefined ? undefined : computeSeal(WRITTEN, workspace + text, env);
  return seal !== undefined && writtenIn(workspace).includes(seal);
}

const writtenIn = (workspace: string): string[] =>
  (tryReadText(join(workspace, DATA_DIR, WRITTEN), 'record') ?? '').split('\n').filter(Boolean);

/** Records a text that was written into SCRATCHPAD.md: where git has it, it is known to be the person's own. */
export function sealPad(root: string, text: string, env: NodeJS.ProcessEnv): void {
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
  if (tryStat(data)) attempt(() => markAsMade(data, workspace, env));
}

/** @param folder `.scratchpad`, or where it has a second copy */
export function markAsMade(folder: string, root: string, env: NodeJS.ProcessEnv): void {
  const seal = computeSeal(MADE, resolveReal(root), env);
  if (seal !== undefined) writeAtomically(join(folder, MADE), `${seal}\n`, { mode: 0o600 });
}

// Whatever makes the folder: an entry, a setting, a session.
hearDataFolders((root) => {
  const isNew = tryStat(join(root, PAD_FILE)) === undefined && listCopies(resolveReal(root)).length === 0;
  if (isNew) attempt(() => markAsMade(join(root, DATA_DIR), root, process.env));
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
