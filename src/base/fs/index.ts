/**
 * All files are read and written through this module. Nothing else in `src` opens a file of a workspace
 * (`biome.json` forbids importing `node:fs` elsewhere). For every file:
 * - only regular files are opened, without waiting: a pipe or a device is refused by its type;
 * - in `.scratchpad` no link is followed, in any component of the path; elsewhere `within` names the folders
 *   that links must stay in;
 * - a file larger than its kind allows (`LARGEST`) is not opened;
 * - a file is replaced as a whole: written beside its target, flushed, renamed;
 * - `.scratchpad` is created for this user only, and ignored by git.
 * Functions whose names begin with `try` treat what cannot be read as missing; the others throw a
 * `ScratchpadError` of kind `environment` that says what to do.
 */
export type { Stats } from 'node:fs';
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
export { type Bounds, DATA_DIR, ioError, isInside, PAD_FILE, placeOf, realPathOf, upward } from './guard.ts';
export { type Held, holderOf, type Lock, tryLock, withLock } from './lock.ts';
export {
  bytesAt,
  decodeBytes,
  encodeBytes,
  type FileKind,
  LARGEST,
  type OpenFile,
  openFile,
  readAt,
  readBytes,
  readText,
  readWhole,
  sequenceLength,
  tryReadBytes,
  tryReadJson,
  tryReadText,
} from './read.ts';
export {
  exists,
  freeBytes,
  homeOf,
  isExecutable,
  isOwn,
  isTerminal,
  isWritable,
  linkStatOf,
  linkTarget,
  lookAtDisk,
  processIsGone,
  processStat,
  readArgument,
  readArgumentBytes,
  readSome,
  readStdin,
  readStdinBytes,
  statOf,
  tryStat,
  wordsOfProcess,
  write,
} from './system.ts';
export {
  append,
  cut,
  cutQuietly,
  type Draft,
  type DraftOptions,
  draftFile,
  flush,
  flushDirectory,
  openForAppending,
  openNew,
  type Replaced,
  setMode,
  sizeOf,
  temporaryOf,
  temporaryPath,
  touch,
  writeAll,
  writeAtomically,
  writeNew,
} from './write.ts';
