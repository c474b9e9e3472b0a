import { join, resolve } from 'node:path';
import { attempt } from '../errors.ts';
import { decodeText, openFile, readBytesFrom, tryList, tryReadText, tryStat } from '../fs/index.ts';
import { findGitPlace, type GitPlace, readGitConfig } from './place.ts';

/**
 * Whether a repository holds a file's content as an object: then git wrote the file, or the person gave it to git. What
 * somebody typed into an ignored file is in no object.
 */
export function isInRepository(folder: string, bytes: Buffer): boolean {
  const place = findGitPlace(folder);
  return place !== undefined && (hasBlob(place, bytes) || hasLargeFile(place, bytes));
}

/** The id that git gives to a file's content. @param digits length of the repository's ids: 64 for SHA-256 */
export function hashObject(bytes: Buffer, digits = 40): string {
  return hash(digits === 64 ? 'sha256' : 'sha1', `blob ${bytes.length}\0`, bytes);
}

function hash(algorithm: string, ...parts: readonly (string | Buffer)[]): string {
  // It takes milliseconds to load.
  const made = process.getBuiltinModule('node:crypto').createHash(algorithm);
  for (const part of parts) made.update(part);
  return made.digest('hex');
}

function hasBlob(place: GitPlace, bytes: Buffer): boolean {
  const digits = usesSha256(place) ? 64 : 40;
  const ids = listStoredForms(bytes).map((form) => hashObject(form, digits));
  return ids.some((id) => hasObject(join(place.commonDir, 'objects'), id));
}

export const usesSha256 = (place: GitPlace): boolean =>
  /objectformat\s*=\s*"?sha256/i.test(readGitConfig(place));

/** The contents that git's attributes and `core.autocrlf` turn into such a file. */
function listStoredForms(bytes: Buffer): Buffer[] {
  const texts = [bytes.toString('latin1'), Buffer.from(decodeText(bytes).text).toString('latin1')];
  const forms = texts.flatMap((text) => {
    const unexpanded = text.replace(/\$Id:[^$\n]*\$/g, '$Id$');
    return [text, unexpanded].flatMap((each) => [each, each.replaceAll('\r\n', '\n')]);
  });
  return [...new Set(forms)].map((form) => Buffer.from(form, 'latin1'));
}

/** Stores name further ones that they borrow from, and may name each other, or themselves. */
const MOST_STORES = 20;

function hasObject(store: string, id: string): boolean {
  const stores = new Set([store]);
  // A set grows while it is walked.
  for (const each of stores) {
    if (tryStat(join(each, id.slice(0, 2), id.slice(2)))) return true;

    const packs = join(each, 'pack');
    const indexes = tryList(packs).filter((name) => name.endsWith('.idx'));
    if (indexes.some((name) => attempt(() => isInPack(join(packs, name), id)))) return true;

    const named = (tryReadText(join(each, 'info', 'alternates'), 'git') ?? '').split('\n').filter(Boolean);
    for (const other of named) if (stores.size < MOST_STORES) stores.add(resolve(each, other));
  }

  return false;
}

/** Looks an id up in the index of a pack (gitformat-pack(5)), whose ids are sorted. */
function isInPack(path: string, id: string): boolean {
  const file = openFile(path, 'index');
  if (file === undefined) return false;

  try {
    const wanted = Buffer.from(id, 'hex');
    const isFirstVersion = readBytesFrom(file.fd, 0, 4).readUInt32BE() !== 0xff744f63;
    const fanout = isFirstVersion ? 0 : 8;
    // Each row of the first version begins with an offset.
    const [skipped, size] = isFirstVersion ? [4, wanted.length + 4] : [0, wanted.length];
    const first = wanted[0] ?? 0;
    const from = first === 0 ? 0 : readBytesFrom(file.fd, fanout + (first - 1) * 4, 4).readUInt32BE();
    const count = readBytesFrom(file.fd, fanout + first * 4, 4).readUInt32BE() - from;
    const rows = readBytesFrom(file.fd, fanout + 1024 + from * size, count * size);

    for (let at = skipped; at < rows.length; at += size)
      if (rows.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0) return true;

    return false;
  } finally {
    file.close();
  }
}

/** Git LFS keeps what it puts in the place of a pointer. */
function hasLargeFile({ commonDir }: GitPlace, bytes: Buffer): boolean {
  const folder = join(commonDir, 'lfs', 'objects');
  if (tryStat(folder) === undefined) return false;

  const id = hash('sha256', bytes);
  return tryStat(join(folder, id.slice(0, 2), id.slice(2, 4), id)) !== undefined;
}
