import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRandom } from '../../scripts/random.ts';
import { ScratchpadError } from '../../src/base/errors.ts';
import { readText } from '../../src/base/fs/index.ts';
import { parsePad } from '../../src/pad/document.ts';
import { closeMarker, openMarker, parseMarker, unescapeMarkers } from '../../src/pad/markers.ts';
import { createPadText } from '../../src/session/compose.ts';
import { FileStore } from '../../src/session/file-store.ts';
import { runs } from '../helpers/runs.ts';
import { testDir } from '../helpers/test-dir.ts';

const HANG_MS = 2000;
let random = createRandom(1);
const below = (n: number): number => Math.floor(random() * n);
const pick = <T>(choices: readonly [T, ...T[]]): T => choices[below(choices.length)] ?? choices[0];

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
        !parseMarker(piece) &&
        !/^(?:revision|ttl|scratchpad|session|updated|expires|tokens):/.test(piece),
    );

test('any pad and journal is read and written again: no crash, no word lost', {
  timeout: 3_600_000,
}, async () => {
  let damaged = 0;
  const seeds = fc.integer({ min: 0, max: 2 ** 31 });
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      random = createRandom(seed);
      if (await survives()) damaged += 1;
    }),
    { numRuns: runs(40) },
  );
  expect(damaged).toBeGreaterThan(10);
});

/** One pad with its journal, random or damaged. @returns whether the pad was damaged */
async function survives(): Promise<boolean> {
  const store = new FileStore(testDir(), 'main');
  const { pad, journal, recovered, conflicts } = store.paths;
  if (below(3) > 0) {
    for (let n = below(4); n >= 0; n -= 1) {
      await store.change(({ spaces }) => [
        { space: 'notes', content: `${spaces.notes}${line()}\n`, op: 'append' },
        { space: 'plan', content: `1. ${line()}`, op: 'set' },
      ]);
    }
  } else writeFileSync(pad, createPadText('main'));
  const kind = below(4);
  if (kind === 0) writeFileSync(pad, randomPad());
  else if (kind < 3) writeFileSync(pad, mutate(readFileSync(pad)));
  if (kind > 1 && existsSync(journal)) writeFileSync(journal, mutate(readFileSync(journal)));
  const old = new Date(Date.now() - 60_000);
  for (const file of [pad, journal]) if (existsSync(file)) utimesSync(file, old, old);
  const before = readText(pad, 'pad') ?? '';
  const from = process.cpuUsage();
  try {
    await store.read();
    const done = await store.change(({ spaces }) => [
      { space: 'notes', content: `${spaces.notes}\nlast words`, op: 'append' },
    ]);
    await store.history();
    const after = await store.read();
    expect(after.spaces.notes.endsWith('last words')).toBe(true);
    // A state block from elsewhere is no damage; a head that is no YAML stays as somebody wrote it, and is named.
    const fine = /was not assembled here|the front matter is not valid YAML/;
    expect(after.notices.filter((notice) => !fine.test(notice))).toEqual([]);
    expect(after.spaces).toEqual(done.spaces);
    const kept = new Set(words(`${readText(pad, 'pad')}\n${allText(recovered)}\n${allText(conflicts)}`));
    // If both the pad and the journal were damaged, they contradict each other; then the words may be only in the
    // history.
    const told = kind > 1 ? readFileSync(journal, 'utf8') : '';
    const isKept = (piece: string): boolean =>
      kept.has(piece) || told.includes(JSON.stringify(piece).slice(1, -1));
    expect(words(before).filter((piece) => !isKept(piece))).toEqual([]);
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
  }
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1000).toBeLessThan(HANG_MS);
  return parsePad(before).problems.length > 0;
}
