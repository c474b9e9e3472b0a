import { basename } from 'node:path';
import { failed, ScratchpadError } from '../errors.ts';

export function ioError(error: unknown, what: string, path: string): unknown {
  // Errors of our own, which have a code too, already do.
  if (!(error instanceof Error) || error instanceof ScratchpadError || !('code' in error)) return error;
  const code = String(error.code);
  const next = new Map([
    ['ENOSPC', 'free some space on that disk and run the command again: nothing was changed'],
    ['EDQUOT', 'free some of your quota and run the command again: nothing was changed'],
    ['EROFS', 'the file system is read-only: make it writable, or name another workspace'],
    ['EACCES', 'check the permissions of the file and its directory'],
    ['EPERM', 'check the permissions of the file and its directory'],
    ['EISDIR', 'a directory is in the place of a file: move it away'],
    ['ENOTDIR', 'a file is in the place of a directory: move it away'],
  ]).get(code);
  return failed(`${what} ${basename(path)}`, { where: path, found: error.message, next, cause: error });
}
