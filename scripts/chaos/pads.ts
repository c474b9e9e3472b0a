import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScratchpadError } from '../../src/errors.ts';
import { readText } from '../../src/fs/index.ts';
import { parsePad } from '../../src/pad/document.ts';
import { closeMarker, markerOf, openMarker, unescapeMarkers } from '../../src/pad/markers.ts';
import { newPad } from '../../src/session/compose.ts';
import { FileStore } from '../../src/session/file-store.ts';
import { randomFrom } from '../random.ts';
import { freshDir, numbers, removeAll, report } from './harness.ts';

/**
 * Random and mutated pads and journals: reading and writing must not crash, hang or lose text. Every line of the pad must be in the pad afterwards, or kept in `recovered/` or `conflicts/`.
 *
 *     npx tsx scripts/chaos/pads.ts [pads] [seed]
 */
const [pads = 0, seed = 0] = numbers(1000, 1);
const HANG_MS = 2000;
const random = randomFrom(seed);
const below = (n: number): number => Math.floor(random() * n);
const pick = <T>(choices: readonly [T, ...T[]]): T => choices[below(choices.length)] ?? choices[0];
const failures: string[] = [];

const regions = ['plan', 'notes', 'refs', 'state'] as const;
const line = (): string =>
  pick([
    () => openMarker(pick(regions)),
    () => closeMarker(pick(regions)),
    () => pick(['## Plan', '## Notes', '## Refs', '# Title', '## Time Context', '## Mine']),
    () =>
      pick(['---', '--- ', '---js', 'revision: 2', 'key: [', '- a: b', '# remark', 'ttl: 30m', '&a [*a,*a]']),
    () => pick(['```', '~~~~', '- item', '1. ~~step~~ DONE', '2. step <-- current', '> quote', '', '  ']),
    () => `words ${below(1e6)}`,
    () =>
      String.fromCodePoint(
        ...Array.from({ length: below(12) }, () =>
          pick([0, 7, 27, 0x2028, 0xfeff, 0x301, 0x1f600, below(0xd7ff)]),
        ),
      ).replaceAll('\n', ''),
    () => pick(['a', ' ', '#', '~~', '<!--', '\t']).repeat(pick([10, 1000, 50_000])),
  ])();
const randomPad = (): Buffer => {
  const text = Array.from(
    { length: below(40) },
    () => line() + pick(['\n', '\n', '\n', '\r\n', '\r', '']),
  ).join('');
  return Buffer.from(pick(['', '', '\ufeff', '---\n']) + text);
};

/** Kinds of damage: flipped bits, truncation, duplicated, lost and foreign pieces. */
function mutate(bytes: Buffer): Buffer {
  let out = bytes;
  for (let k = below(4) + 1; k > 0; k -= 1) {
    const [a, b] = [below(out.length + 1), below(out.length + 1)].sort((x, y) => x - y) as [number, number];
    const piece = out.subarray(a, Math.min(b, a + 400));
    out = pick([
      () => Buffer.concat([out.subarray(0, a), Buffer.from([below(256)]), out.subarray(a + 1)]),
      () => out.subarray(0, a),
      () => Buffer.concat([out.subarray(0, a), out.subarray(a + piece.length)]),
      () => Buffer.concat([out.subarray(0, b), piece, out.subarray(b)]),
      () => Buffer.concat([out.subarray(0, a), Buffer.from(`${line()}\n`), out.subarray(a)]),
      () => Buffer.concat([out.subarray(0, a), Buffer.alloc(below(600)), out.subarray(a)]),
    ])();
  }
  return out;
}

const allText = (dir: string): string =>
  existsSync(dir)
    ? readdirSync(dir)
        .map((name) => readText(join(dir, name), 'pad') ?? '')
        .join('\n')
    : '';
/** What counts as text: neither the markers nor the lines of the front matter, whatever their prefix. */
const words = (text: string): string[] =>
  unescapeMarkers(text)
    .split(/[\r\n]+/)
    .map((piece) => piece.replace(/^\ufeff?(?:# |[-*+] )?/, '').trim())
    .filter(
      (piece) =>
        piece !== '' &&
        !markerOf(piece) &&
        !/^(?:revision|ttl|scratchpad|session|updated|expires|tokens):/.test(piece),
    );

const figures = { tried: 0, damaged: 0, refused: 0, 'slowest ms': 0 };
const base = existsSync('/dev/shm') ? '/dev/shm' : undefined;
let root = freshDir('pads', base);
for (let k = 0; k < pads; k += 1) {
  rmSync(root, { recursive: true, force: true });
  root = freshDir('pads', base);
  const store = new FileStore(root, 'main');
  const { pad, journal, recovered, conflicts } = store.paths;
  if (below(3) > 0) {
    for (let n = below(4); n >= 0; n -= 1) {
      await store.change(({ spaces }) => [
        { kind: 'space', space: 'notes', content: `${spaces.notes}${line()}\n`, op: 'append' },
        { kind: 'space', space: 'plan', content: `1. ${line()}`, op: 'set' },
      ]);
    }
  } else writeFileSync(pad, newPad('main'));
  const kind = below(4);
  if (kind === 0) writeFileSync(pad, randomPad());
  else if (kind < 3) writeFileSync(pad, mutate(readFileSync(pad)));
  if (kind > 1 && existsSync(journal)) writeFileSync(journal, mutate(readFileSync(journal)));
  const old = new Date(Date.now() - 60_000);
  for (const file of [pad, journal]) if (existsSync(file)) utimesSync(file, old, old);
  const before = readText(pad, 'pad') ?? '';
  const journalBefore = existsSync(journal) ? readFileSync(journal) : Buffer.alloc(0);
  if (parsePad(before).problems.length > 0) figures.damaged += 1;
  const from = Date.now();
  figures.tried += 1;
  try {
    await store.read();
    const done = await store.change(({ spaces }) => [
      { kind: 'space', space: 'notes', content: `${spaces.notes}\nlast words`, op: 'append' },
    ]);
    await store.history();
    const after = await store.read();
    if (!after.spaces.notes.endsWith('last words'))
      failures.push(`pad ${k}: the acknowledged line is not there`);
    // A state block from elsewhere is no damage.
    const [damage] = after.notices.filter((notice) => !notice.includes('was not assembled here'));
    if (damage !== undefined) failures.push(`pad ${k}: still damaged: ${damage}`);
    if (JSON.stringify(after.spaces) !== JSON.stringify(done.spaces))
      failures.push(`pad ${k}: reads other than it was written`);
    const kept = new Set(words(`${readText(pad, 'pad')}\n${allText(recovered)}\n${allText(conflicts)}`));
    const lost = words(before).filter((piece) => !kept.has(piece));
    // If both the pad and the journal were damaged, they contradict each other; then the words may be only in the
    // history.
    const told = kind > 1 ? readFileSync(journal, 'utf8') : '';
    const gone = lost.filter((piece) => !told.includes(JSON.stringify(piece).slice(1, -1)));
    if (gone.length > 0) failures.push(`pad ${k}: lost ${JSON.stringify(gone[0])?.slice(0, 120)}`);
  } catch (error) {
    if (error instanceof ScratchpadError) figures.refused += 1;
    else
      failures.push(
        `pad ${k}: ${error instanceof Error ? error.stack?.split('\n').slice(0, 3).join(' | ') : String(error)}`,
      );
  }
  const ms = Date.now() - from;
  figures['slowest ms'] = Math.max(figures['slowest ms'], ms);
  if (ms > HANG_MS) failures.push(`pad ${k}: took ${ms} ms`);
  if (failures.length > 0 && process.env.CHAOS_KEEP) {
    writeFileSync(join(process.env.CHAOS_KEEP, 'SCRATCHPAD.md'), Buffer.from(before));
    writeFileSync(join(process.env.CHAOS_KEEP, 'journal.jsonl'), journalBefore);
    break;
  }
}
report('random and mutated pads and journals', figures, failures);
removeAll();
