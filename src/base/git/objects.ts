import { join, resolve } from 'node:path';
import { attempt } from '../errors.ts';
import { decodeText, openFile, readBytesFrom, tryList, tryReadText, tryStat } from '../fs/index.ts';
import { findGitPlace, type GitPlace, readGitConfig } from './place.ts';

/** Whether a repository holds this content as an object: then git wrote the file, or the person added it. */
export function isInRepository(folder: string, bytes: Buffer): boolean {
  const place = findGitPlace(folder);
  return place !== undefined && (hasBlob(place, bytes) || hasLargeFile(place, bytes));
}

/** The id that git gives to a file's content. @param digits length of the repository's ids: 64 for SHA-256 */
export const hashObject = (bytes: Buffer, digits = 40): string =>
  hash(digits === 64 ? 'sha256' : 'sha1', `blob ${bytes.length}\0`, bytes);

function hash(algorithm: string, ...parts: readonly (string | Buffer)[]): string {
  // `node:crypto` takes milliseconds to load.
  const digest = process.getBuiltinModule('node:crypto').createHash(algorithm);
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

function hasBlob(place: GitPlace, bytes: Buffer): boolean {
  const digits = hasSha256Ids(place) ? 64 : 40;
  const ids = listStoredForms(bytes).map((form) => hashObject(form, digits));
  return ids.some((id) => hasObject(join(place.commonDir, 'objects'), id));
}

export const hasSha256Ids = (place: GitPlace): boolean =>
  /objectformat\s*=\s*"?sha256/i.test(readGitConfig(place));

/** The contents that git may store for a file: its attributes and `core.autocrlf` change a file at checkout. */
function listStoredForms(bytes: Buffer): Buffer[] {
  const texts = [bytes.toString('latin1'), Buffer.from(decodeText(bytes).text).toString('latin1')];
  const forms = texts.flatMap((text) => {
    const unexpanded = text.replace(/\$Id:[^$\n]*\$/g, '$Id$');
    return [text, unexpanded].flatMap((each) => [each, each.replaceAll('\r\n', '\n')]);
  });
  return [...new Set(forms)].map((form) => Buffer.from(form, 'latin1'));
}

/** A store of objects may borrow from others, which may name each other. */
const MOST_STORES = 20;

function hasObject(store: string, id: string): boolean {
  const stores = new Set([store]);
  // The loop also visits the stores that it adds.
  for (const folder of stores) {
    if (tryStat(join(folder, id.slice(0, 2), id.slice(2)))) return true;

    const packs = join(folder, 'pack');
    const indexes = tryList(packs).filter((name) => name.endsWith('.idx'));
    if (indexes.some((name) => attempt(() => isInPack(join(packs, name), id)))) return true;

    const alternates = tryReadText(join(folder, 'info', 'alternates'), 'git') ?? '';
    for (const other of alternates.split('\n').filter(Boolean))
      if (stores.size < MOST_STORES) stores.add(resolve(folder, other));
  }

  return false;
}

/** Looks an id up in the index of a pack, of version 2 (gitformat-pack(5)). */
function isInPack(path: string, id: string): boolean {
  const file = openFile(path, 'index');
  if (file === undefined) return false;

  try {
    const wanted = Buffer.from(id, 'hex');
    const size = wanted.length;
    const firstByte = wanted[0] ?? 0;
    /** How many ids begin with this byte or a lower one: a table of 256 numbers after a head of 8 bytes. */
    const countUpTo = (byte: number): number =>
      byte < 0 ? 0 : readBytesFrom(file.fd, 8 + byte * 4, 4).readUInt32BE();
    const first = countUpTo(firstByte - 1);
    const ids = readBytesFrom(file.fd, 8 + 1024 + first * size, (countUpTo(firstByte) - first) * size);

    for (let offset = 0; offset < ids.length; offset += size)
      if (ids.compare(wanted, 0, size, offset, offset + size) === 0) return true;

    return false;
  } finally {
    file.close();
  }
}

/** Git LFS keeps the contents for which the repository has only pointers. */
function hasLargeFile({ commonDir }: GitPlace, bytes: Buffer): boolean {
  const folder = join(commonDir, 'lfs', 'objects');
  if (tryStat(folder) === undefined) return false;

  const id = hash('sha256', bytes);
  return tryStat(join(folder, id.slice(0, 2), id.slice(2, 4), id)) !== undefined;
}
