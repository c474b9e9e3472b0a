import { ScratchpadError } from '../errors.ts';
import { digest } from '../text/hash.ts';

const PLAIN = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9_-])?$/;
/** Device names of Windows begin with these; */
const DEVICES = new Set(['con', 'prn', 'aux', 'nul', 'com', 'lpt']);
/** they are not valid file names there, whatever the extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
const ID_LIMIT = 200;

/**
 * A file name for any session id or entry name: the name itself if it is safe on every file system, else a readable
 * part and a hash. Different names get different files even if the file system ignores case, and none can leave its
 * directory.
 */
export function fileNameFor(name: string): string {
  if (PLAIN.test(name) && !(DEVICES.has(name.slice(0, 3)) && RESERVED.test(name))) return name;
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${readable || 'x'}~${digest(name)}`;
}

/** @throws ScratchpadError `usage` for an id that is empty, too long or has control characters. */
export function checkSessionId(id: string): string {
  if (id.trim() !== '' && [...id].length <= ID_LIMIT && !/[\u0000-\u001f\u007f]/.test(id)) return id;
  throw new ScratchpadError('usage', 'not a session id', {
    expected: `1 to ${ID_LIMIT} characters, none of them a control character`,
    found: id,
  });
}
