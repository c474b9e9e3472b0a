import { dirname, join, resolve } from 'node:path';
import siphash from 'siphash';
import { failed, tried } from '../errors.ts';
import {
  DATA_DIR,
  encodeBytes,
  ensureFolder,
  isOwn,
  ofProcess,
  PAD_FILE,
  realPathOf,
  remove,
  tryReadJson,
  tryReadText,
  tryStat,
  writeAtomically,
  writeNew,
} from '../fs/index.ts';
import { trackedBelow } from '../git/index-file.ts';

type Key = readonly [number, number, number, number];

const KEY_LINE = /^([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{8})\n$/;

/**
 * A keyed digest (SipHash-2-4) of a text that only this user's processes can compute, because the key is in
 * the user's own state folder. A file from a clone or an archive cannot carry a valid one. Node's HMAC would
 * do as well, but loading `node:crypto` costs a hook 3 ms; a long text, for which that is less, is sealed by its digest.
 * @param purpose what the text is, so that a seal cannot be reused for another purpose
 * @returns `undefined` if there is no place for a key, such as without a home directory
 */
export function sealOf(purpose: string, text: string, env: NodeJS.ProcessEnv): string | undefined {
  const key = keyOf(env);
  return key && siphash.hash_hex(key, encodeBytes(`${purpose}\0${text.length > LONG ? sha256(text) : text}`));
}

/** In UTF-16 units: about a millisecond of SipHash. */
const LONG = 8192;

function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

const known = ofProcess(new Map<string, Key>());

function keyOf(env: NodeJS.ProcessEnv): Key | undefined {
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
  tried(() => {
    ensureFolder(folder, 0o700);
    const words = [...crypto.getRandomValues(new Uint32Array(4))];
    writeNew(path, `${words.map((word) => word.toString(16).padStart(8, '0')).join('')}\n`);
  });
  return readKey(path);
}

/** The user's own state folder (XDG base directory specification); `undefined` without a home. */
export function stateFolder(env: NodeJS.ProcessEnv): string | undefined {
  const home = env.HOME || env.USERPROFILE;
  const state = env.XDG_STATE_HOME || (home ? join(home, '.local', 'state') : undefined);
  return state === undefined ? undefined : join(state, 'scratchpad');
}

/** What a person has approved in one workspace, kept in a file outside the workspace. */
export interface Approval {
  /** Real path. */
  workspace: string;
  /** Why its pad and settings count as the person's own: they were created here, or approved. */
  content?: 'made' | 'approved';
  /** Digest of the commands as approved (`config/trust.ts`); empty if there were none. */
  digest: string;
  /** The digest of each command by its key: changing one leaves the others approved. */
  each?: Readonly<Record<string, string>>;
  /** ISO 8601. */
  approved: string;
}

function fileOf(workspace: string, env: NodeJS.ProcessEnv): string | undefined {
  const [folder, name] = [stateFolder(env), sealOf('approval', workspace, env)];
  return folder === undefined || name === undefined ? undefined : join(folder, 'trust', `${name}.json`);
}

/** The approval of a workspace. A file that other users could have written does not count. */
export function readApproval(workspace: string, env: NodeJS.ProcessEnv): Approval | undefined {
  const file = fileOf(workspace, env);
  const stats = file && tryStat(file);
  if (!stats) return undefined;
  const me = process.getuid?.();
  if (me !== undefined && (stats.uid !== me || (stats.mode & 0o022) !== 0)) return undefined;
  const found = tryReadJson(file, 'record') as Partial<Approval> | null | undefined;
  return found?.workspace === workspace && typeof found.digest === 'string'
    ? ({ approved: '', ...found } as Approval)
    : undefined;
}

/**
 * Records that the content of a workspace, by its real path, is the person's own, at a time in epoch milliseconds.
 * @throws ScratchpadError `environment` if it cannot be written
 */
export function approveContent(
  workspace: string,
  content: 'made' | 'approved',
  at: number,
  env: NodeJS.ProcessEnv,
): void {
  const before = readApproval(workspace, env) ?? { workspace, digest: '', approved: '' };
  if (before.content === content || before.content === 'approved') return;
  writeApproval({ ...before, approved: new Date(at).toISOString(), content }, env);
}

/** @throws ScratchpadError `environment` if it cannot be written */
export function writeApproval(approval: Approval, env: NodeJS.ProcessEnv): string {
  const file = fileOf(approval.workspace, env);
  if (file === undefined) {
    throw failed('there is no place to keep the approval', {
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
  const file = fileOf(workspace, env);
  return file !== undefined && remove(file);
}

/** `untrusted`: it came with a clone or belongs to another user, and the person has not approved it. */
export type Whose = 'own' | 'untrusted';

export interface Provenance {
  /** Plan, notes, refs and state of every session: if untrusted, they are not shown to a model. */
  spaces: Whose;
  /** `.scratchpad/config.yaml`: if untrusted, its settings do not apply. */
  settings: Whose;
  /** Whether the files may be written; those of another user may not. */
  writable: boolean;
  /** For the start of a session: one line that says what is not shown or used, and how to change that. */
  note?: string;
}

const DATA = `${DATA_DIR}/`;
const SETTINGS = `${DATA_DIR}/config.yaml`;
const OWN: Provenance = { spaces: 'own', settings: 'own', writable: true };

/**
 * Who wrote the pad and the settings of a workspace. A file that git tracks may have come with a clone; a
 * file of another user was not written by this person either. Both count as the person's own once they were
 * approved (`scratchpad trust`), or if the pad was created here.
 * @param root the folder that holds SCRATCHPAD.md
 */
export function provenanceOf(root: string, env: NodeJS.ProcessEnv = process.env): Provenance {
  const workspace = realOf(root);
  const stranger = belongsToAnother(workspace, env);
  const tracked = stranger ? [] : trackedBelow(workspace, [PAD_FILE, DATA]);
  if (!stranger && tracked.length === 0) return OWN;
  const approval = readApproval(workspace, env)?.content;
  // Having created a pad here once does not vouch for a pad that another user has put in its place.
  if (approval === 'approved' || (approval === 'made' && !stranger)) return OWN;
  const settings = stranger || tracked.includes(SETTINGS) || tracked.includes(DATA);
  const spaces = stranger || tracked.some((path) => path !== SETTINGS && path !== `${DATA}.gitignore`);
  if (!settings && !spaces) return OWN;
  const what = [...(spaces ? [PAD_FILE] : []), ...(settings ? [SETTINGS] : [])].join(' and ');
  const why = stranger ? 'of another user' : 'from the repository';
  return {
    spaces: spaces ? 'untrusted' : 'own',
    settings: settings ? 'untrusted' : 'own',
    writable: !stranger,
    note: `(Not used until the person runs \`scratchpad trust\`: ${what}, ${why}.)`,
  };
}

const realOf = (root: string): string => realPathOf(root) ?? resolve(root);

/** Whether this user may write to a workspace: it is their own, or they have approved it. */
export function mayWrite(root: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const workspace = realOf(root);
  return !belongsToAnother(workspace, env) || readApproval(workspace, env)?.content === 'approved';
}

/**
 * Whether a workspace or the scratchpad in it belongs to another user, judged as git does for a repository. A folder
 * that only root can write may hold the user's own scratchpad, like the working directory of a container.
 */
function belongsToAnother(workspace: string, env: NodeJS.ProcessEnv): boolean {
  if (![join(workspace, PAD_FILE), join(workspace, DATA_DIR)].every((path) => isOwn(path, env))) return true;
  if (isOwn(workspace, env)) return false;
  const stats = tryStat(workspace);
  return stats === undefined || stats.uid !== 0 || (stats.mode & 0o022) !== 0;
}

/**
 * Records that a workspace is the person's own, so that their content stays theirs once git tracks it. Does nothing if
 * the workspace is untrusted, or if nothing can be recorded.
 */
export function claim(root: string, now: number, env: NodeJS.ProcessEnv = process.env): void {
  const workspace = realOf(root);
  // Creating a pad does not vouch for settings beside it that came with a clone.
  if (belongsToAnother(workspace, env) || trackedBelow(workspace, [PAD_FILE, DATA]).length > 0) return;
  // Without a record the person is asked once git tracks it.
  tried(() => approveContent(workspace, 'made', now, env));
}

/**
 * The files of a workspace that git tracks and the person has not approved: they came with a clone.
 * @param paths relative to the workspace; a path that ends in `/` covers everything below it
 * @returns paths relative to the workspace
 */
export function untrustedFiles(root: string, paths: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const workspace = realOf(root);
  const tracked = trackedBelow(workspace, paths);
  return tracked.length === 0 || readApproval(workspace, env)?.content === 'approved' ? [] : tracked;
}
