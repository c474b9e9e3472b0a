import { fileURLToPath } from 'node:url';

/** Path of a transcript under `test/fixtures/transcripts/`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/transcripts/${name}`, import.meta.url));
}
