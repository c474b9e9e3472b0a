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
export * from './encodings.ts';
export * from './folders.ts';
export {
  type Bounds,
  DATA_DIR,
  isInside,
  leadsOutside,
  PAD_FILE,
  resolvePlace,
  resolveRealPath,
  walkUpward,
} from './guard.ts';
export {
  acquireLock,
  type HeldLock,
  identifyProcess,
  isProcessAlive,
  type Lock,
  type ProcessId,
  readHolderPid,
  readLockLabel,
  tryLock,
  withLock,
} from './lock.ts';
export * from './process.ts';
export * from './read.ts';
export * from './system.ts';
export * from './write.ts';
