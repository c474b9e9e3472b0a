import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../random.ts';

const SYLLABLES = 'ka lo mi ter ran po ses vi dor en al qu sta ble ing con'.split(' ');
const TOPICS =
  'deploy cluster timezone token expiry login page upload test flaky pool connection leak image overlay rollback'.split(
    ' ',
  );
const VOCABULARY = 50_000;
/** Lines of a note. */
export const LINES = 10;

/** A made-up word by how common it is: 0 is the most common one. */
export function drawWord(rank: number): string {
  let out = '';
  for (let rest = rank + 17; rest > 0; rest = Math.floor(rest / 16)) out += SYLLABLES[rest % 16];
  return out;
}

export const drawTopic = (k: number): string => TOPICS[k % TOPICS.length] ?? '';

/** One common word and three telling ones. */
export const QUERY = [40, 300, 1500, 9000].map(drawWord).join(' ');

/**
 * A workspace with daily notes of ten lines, words by Zipf's law, always the same; each sixth line has a word that our
 * conversations are about. It is kept for the next run: if thousands of files were deleted on ext4 in the last
 * minutes, creating one takes up to a millisecond longer.
 */
export function makeWorkspace(passages: number): string {
  const root = join(tmpdir(), `scratchpad-bench-${process.getuid?.() ?? 0}`, String(passages));
  if (existsSync(join(root, 'memory'))) return root;
  const random = createRandom(12_345);
  const drawNotes = (): string =>
    drawWord(Math.min(VOCABULARY, Math.floor(Math.exp(random() * Math.log(VOCABULARY)))));
  for (let file = 0; file * LINES < passages; file++) {
    const date = new Date(Date.UTC(2000, 0, 1) + (file % 9000) * 864e5).toISOString().slice(0, 10);
    const lines = Array.from({ length: LINES }, (_, n) => {
      const words = Array.from({ length: 8 + Math.floor(random() * 20) }, drawNotes);
      if ((file * LINES + n) % 6 === 0) words.splice(2, 0, drawTopic((file * LINES + n) / 6));
      return `- ${words.join(' ')}\n`;
    });
    const folder = join(root, 'writing', `${date.slice(0, 4)}-${Math.floor(file / 9000)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${date}.md`), `# ${date}\n\n${lines.join('')}`);
  }
  renameSync(join(root, 'writing'), join(root, 'memory'));
  writeFileSync(join(root, 'MEMORY.md'), '# Memory\n\n- the pad is made of paper\n');
  return root;
}
