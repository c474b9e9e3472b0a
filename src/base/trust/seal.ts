import { join } from 'node:path';
import siphash from 'siphash';
import { attempt } from '../errors.ts';
import {
  encodeBytes,
  ensureFolder,
  keepForProcess,
  linkOrCopy,
  makeTemporaryPath,
  stateFolder,
  tryReadText,
  tryRemove,
  type WriteOptions,
  writeAtomically,
} from '../fs/index.ts';
import { parseJson } from '../text/json.ts';

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
  if (key === undefined) return undefined;

  const content = text.length > LONGEST_HASHED ? hashSha256(text) : text;
  return siphash.hash_hex(key, encodeBytes(`${purpose}\0${content}`));
}

/** In UTF-16 units: about a millisecond of SipHash. */
const LONGEST_HASHED = 8192;

export const hashSha256 = (bytes: string | Buffer): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');

const keys = keepForProcess(new Map<string, Key>());

function loadKey(env: NodeJS.ProcessEnv): Key | undefined {
  const folder = stateFolder(env);
  if (folder === undefined) return undefined;
  const path = join(folder, 'key');
  const key = keys.get(path) ?? readKey(path) ?? makeKey(folder, path);
  if (key) keys.set(path, key);
  return key;
}

function readKey(path: string): Key | undefined {
  const words = KEY_LINE.exec(tryReadText(path, 'lock') ?? '')?.slice(1);
  return words?.map((word) => Number.parseInt(word, 16)) as unknown as Key | undefined;
}

function makeKey(folder: string, path: string): Key | undefined {
  const draft = makeTemporaryPath(path);
  // Another process may be quicker, or the folder not writable. A link never shows a key that is half written.
  attempt(() => {
    ensureFolder(folder, 0o700);
    const words = [...crypto.getRandomValues(new Uint32Array(4))];
    const line = `${words.map((word) => word.toString(16).padStart(8, '0')).join('')}\n`;
    writeAtomically(draft, line, { mode: 0o600 });
    linkOrCopy(draft, path);
  });
  tryRemove(draft);
  return readKey(path);
}

const HEAD = /^\{"seal":"([0-9a-f]{16})","body":/;
const FOOT = '}\n';

/**
 * Writes a JSON file with a seal, which proves to `readSealed` that a process of this user wrote it: a model takes its
 * texts for words of the person. Without a home there is no key, and `readSealed` returns nothing.
 */
export function writeSealed(
  path: string,
  purpose: string,
  value: object,
  options: WriteOptions,
  env = process.env,
): void {
  const body = JSON.stringify(value);
  writeAtomically(path, `{"seal":"${computeSeal(purpose, body, env) ?? ''}","body":${body}${FOOT}`, options);
}

/** The value of a sealed file; `undefined` if there is none, or its seal is not that of its content. */
export function readSealed(path: string, purpose: string, env = process.env): unknown {
  const text = tryReadText(path, 'cache') ?? '';
  const [head, seal] = HEAD.exec(text) ?? [];
  if (head === undefined || !text.endsWith(FOOT)) return undefined;
  const body = text.slice(head.length, -FOOT.length);
  return seal === computeSeal(purpose, body, env) ? parseJson(body) : undefined;
}
