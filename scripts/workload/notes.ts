import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The built program. */
export const PROGRAM = join(import.meta.dirname, '../../bin/scratchpad.js');

const SYLLABLES = 'ka lo mi ter ran po ses vi dor en al qu sta ble ing con'.split(' ');
const VOCABULARY = 50_000;
/** Lines of a note. */
const LINES = 10;

/** A made-up word by how common it is: 0 is the most common one. */
export function word(rank: number): string {
  let out = '';
  for (let rest = rank + 17; rest > 0; rest = Math.floor(rest / 16)) out += SYLLABLES[rest % 16];
  return out;
}

/** One common word and three telling ones. */
export const QUERY = [40, 300, 1500, 9000].map(word).join(' ');

/** Queries about words of any frequency. */
export const QUERIES = [QUERY, [2, 700].map(word).join(' '), [90, 4000, 20_000].map(word).join(' ')];

/**
 * Writes daily notes of ten lines each and a `MEMORY.md` into a workspace, words by Zipf's law, always the same.
 *
 * @param passages lines in all
 * @returns the lines of the notes, in the order of their files
 */
export function writeNotes(root: string, passages: number): string[] {
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const all: string[] = [];
  for (let file = 0; file * LINES < passages; file++) {
    const date = new Date(Date.UTC(2000, 0, 1) + (file % 9000) * 864e5).toISOString().slice(0, 10);
    const lines = Array.from({ length: LINES }, () => {
      const words = Array.from({ length: 8 + Math.floor(random() * 20) }, () =>
        word(Math.min(VOCABULARY, Math.floor(Math.exp(random() * Math.log(VOCABULARY))))),
      );
      return words.join(' ');
    });
    const folder = join(root, 'memory', `${date.slice(0, 4)}-${Math.floor(file / 9000)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${date}.md`), `# ${date}\n\n${lines.map((line) => `- ${line}\n`).join('')}`);
    all.push(...lines);
  }
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'MEMORY.md'), '# Memory\n\n- the pad is made of paper\n');
  return all;
}
