/**
 * All files are read and written through this module. Nothing else in `src` opens a file of a workspace
 * (`biome.json` forbids importing `node:fs` elsewhere). For every file:
 * - only regular files are opened, without waiting: a pipe or a device is refused by its type;
 * - in `.scratchpad` no link is followed, in any component of the path; elsewhere `within` names the folders
 *   that links must stay in;
 * - a file larger than its kind allows (`kinds.ts`) is not opened;
 * - a file is replaced as a whole: written beside its target, flushed, renamed;
 * - `.scratchpad` is created for this user only, and ignored by git.
 * Functions whose names begin with `try` treat what cannot be read as missing; the others throw a
 * `ScratchpadError` of kind `environment` that says what to do.
 */
export type { Stats } from 'node:fs';
export { decodeBytes, encodeBytes, sequenceLength } from './bytes.ts';
export {
  type Draft,
  type DraftOptions,
  draftFile,
  flushDirectory,
  type Replaced,
  temporaryOf,
  temporaryPath,
  writeAll,
} from './draft.ts';
export {
  ensureFolder,
  linkOrCopy,
  list,
  move,
  remove,
  removeIfEmpty,
  removeTree,
  sweepTemporary,
  tryList,
  tryRemove,
  tryRemoveTree,
} from './folders.ts';
export { type Bounds, DATA_DIR, isInside, PAD_FILE, placeOf, realPathOf, upward } from './guard.ts';
export { ioError } from './io-error.ts';
export { type FileKind, LARGEST } from './kinds.ts';
export { type Held, holderOf, type Lock, tryLock, withLock } from './lock.ts';
export {
  bytesAt,
  type OpenFile,
  openFile,
  readAt,
  readBytes,
  readText,
  readWhole,
  tryReadBytes,
  tryReadJson,
  tryReadText,
} from './read.ts';
export {
  exists,
  freeBytes,
  isExecutable,
  isOwn,
  isWritable,
  linkStatOf,
  linkTarget,
  lookAtDisk,
  statOf,
  tryStat,
} from './stats.ts';
export {
  isTerminal,
  readArgument,
  readArgumentBytes,
  readSome,
  readStdin,
  readStdinBytes,
  write,
} from './stdio.ts';
export { homeOf, processIsGone, processStat, wordsOfProcess } from './system.ts';
export {
  append,
  cut,
  cutQuietly,
  flush,
  openForAppending,
  openNew,
  setMode,
  sizeOf,
  touch,
  writeAtomically,
  writeNew,
} from './write.ts';
