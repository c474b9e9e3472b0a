import { join } from 'node:path';
import siphash from 'siphash';
import { encodeBytes, ensureFolder, tryReadText, writeNew } from '../fs/index.ts';

type Key = readonly [number, number, number, number];

const KEY_LINE = /^([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{8})\n$/;

/**
 * A keyed digest (SipHash-2-4) of a text that only this user's processes can compute, because the key is in
 * the user's own state folder. A file from a clone or an archive cannot carry a valid one. Node's HMAC would
 * do as well, but loading `node:crypto` costs a hook 3 ms.
 * @param purpose what the text is, so that a seal cannot be reused for another purpose
 * @returns `undefined` if there is no place for a key, such as without a home directory
 */
export function sealOf(purpose: string, text: string, env: NodeJS.ProcessEnv): string | undefined {
  const key = keyOf(env);
  return key && siphash.hash_hex(key, encodeBytes(`${purpose}\0${text}`));
}

let known: { path: string; key: Key } | undefined;

function keyOf(env: NodeJS.ProcessEnv): Key | undefined {
  const folder = stateFolder(env);
  if (folder === undefined) return undefined;
  const path = join(folder, 'key');
  if (known?.path === path) return known.key;
  const key = readKey(path) ?? makeKey(folder, path);
  if (key) known = { path, key };
  return key;
}

function readKey(path: string): Key | undefined {
  const words = KEY_LINE.exec(tryReadText(path, 'lock') ?? '')?.slice(1);
  return words?.map((word) => Number.parseInt(word, 16)) as unknown as Key | undefined;
}

function makeKey(folder: string, path: string): Key | undefined {
  try {
    ensureFolder(folder, 0o700);
    const words = crypto.getRandomValues(new Uint32Array(4));
    writeNew(path, `${[...words].map((word) => word.toString(16).padStart(8, '0')).join('')}\n`);
  } catch {
    // Another process was quicker, or the folder is not writable.
  }
  return readKey(path);
}

/** The user's own state folder (XDG base directory specification); `undefined` without a home. */
export function stateFolder(env: NodeJS.ProcessEnv): string | undefined {
  const home = env.HOME || env.USERPROFILE;
  const state = env.XDG_STATE_HOME || (home ? join(home, '.local', 'state') : undefined);
  return state === undefined ? undefined : join(state, 'scratchpad');
}
