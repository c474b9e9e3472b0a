/** What a process remembers from one call to the next, apart from what could be computed again. */
const remembered: { clear(): void }[] = [];

/** A map or a set that lives as long as the process. */
export function ofProcess<Kept extends { clear(): void }>(kept: Kept): Kept {
  remembered.push(kept);
  return kept;
}

/** From here on it is like another process: for tests that play several in one. */
export function forgetAll(): void {
  for (const kept of remembered) kept.clear();
}
