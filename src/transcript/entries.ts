export { appendScratchpadEntries, type Persisted } from './append-entries.ts';
export type { Spaces } from './entry-keys.ts';
export { readScratchpadEntries } from './read-entries.ts';
