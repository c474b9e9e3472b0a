import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parsePad } from '../../src/pad/document.ts';
import { FileStore } from '../../src/session/file-store.ts';
import { copyProgram, freshDir, freshWorkspace, numbers, removeAll, report, start } from './rig.ts';
import { fill, fillNames, mount } from './small-disk.ts';

/**
 * A failing disk: every file system call of a write fails in turn, with several errors, once or from then on; a
 * small tmpfs that is full except for a few pages and inodes; one that is read-only. The pad must stay intact, the
 * error must be clear, and the next run with enough room must work.
 *
 *     npx tsx scripts/chaos/disk.ts [every]     (every how many calls one fails: 1 for all)
 */
const [every = 1] = numbers(4);
const program = copyProgram();
const FAULT = join(import.meta.dirname, 'fault.cjs');

interface Tally {
  figures: { tried: number; refused: number; acknowledged: number; 'refused, yet there': number };
  failures: string[];
}
const tally = (): Tally => ({
  figures: { tried: 0, refused: 0, acknowledged: 0, 'refused, yet there': 0 },
  failures: [],
});

/** One append that may fail, then a check, then one that must not. */
async function strain(
  { figures, failures }: Tally,
  root: string,
  when: string,
  env: Record<string, string>,
  makeRoom: () => void,
): Promise<number | null> {
  const store = new FileStore(root, 'main');
  const before = await store.read();
  const textBefore = readPad(store.paths.pad);
  const { code, stderr } = await start([program, 'notes', 'append', 'strained'], root, env).ended;
  if (code === 77) return code;
  figures.tried += 1;
  if (code === 0) figures.acknowledged += 1;
  else {
    figures.refused += 1;
    if (code !== 3) failures.push(`${when}: exit code ${code}: ${stderr.trim()}`);
    if (!/where: /.test(stderr) || /\n\s+at /.test(stderr)) {
      failures.push(`${when}: not a clear error: ${stderr.trim()}`);
    }
    if (readPad(store.paths.pad) !== textBefore) failures.push(`${when}: refused, and the file has changed`);
  }
  const text = readPad(store.paths.pad) ?? '';
  if (parsePad(text).problems.length > 0) failures.push(`${when}: torn file`);
  makeRoom();
  const after = await start([program, 'notes', 'append', 'with room'], root).ended;
  if (after.code !== 0)
    failures.push(`${when}: the next run failed with ${after.code}: ${after.stderr.trim()}`);
  const { spaces } = await store.read();
  // If not even the journal's last line can be removed, the change is left to the next run.
  const stands = code !== 0 && env.FAULT_STAYS === '1' && spaces.notes.includes('strained');
  if (stands) figures['refused, yet there'] += 1;
  const strained = code === 0 || stands ? 'strained' : '';
  const lines = [before.spaces.notes, strained, 'with room'].filter((part) => part !== '');
  if (spaces.notes !== lines.join('\n')) failures.push(`${when}: notes are ${JSON.stringify(spaces.notes)}`);
  return code;
}

function readPad(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

{
  const calls = tally();
  for (const fault of ['ENOSPC', 'EIO', 'EROFS', 'EACCES']) {
    for (const stays of ['0', '1']) {
      for (const prepared of [0, 1]) {
        for (let at = 1; at < 300; at += every) {
          const root = freshWorkspace('fault');
          if (prepared > 0) await start([program, 'notes', 'append', 'before'], root).ended;
          const env = {
            NODE_OPTIONS: `--require=${FAULT}`,
            FAULT: fault,
            FAULT_AT: String(at),
            FAULT_STAYS: stays,
          };
          const when = `${fault} at call ${at}${stays === '1' ? ' and on' : ''}, prepared ${prepared}`;
          if ((await strain(calls, root, when, env, () => undefined)) === 77) break;
          rmSync(root, { recursive: true });
        }
      }
    }
  }
  report('errors at each file system call', calls.figures, calls.failures);
}

{
  const dir = freshDir('disk');
  if (!mount(dir, 'size=256k,nr_inodes=64'))
    console.log('full and read-only disk: skipped, mounting is not permitted');
  else {
    try {
      const full = tally();
      for (const prepared of [0, 1]) {
        for (let free = 0; free < 14; free += 1) {
          const root = join(dir, `pages-${prepared}-${free}`);
          mkdirSync(root);
          if (prepared > 0) await start([program, 'notes', 'append', 'before'], root).ended;
          const filler = join(dir, 'filler');
          fill(filler, free);
          await strain(full, root, `${free} pages free, prepared ${prepared}`, {}, () => rmSync(filler));
          rmSync(root, { recursive: true });
        }
        for (let free = 0; free < 10; free += 1) {
          const root = join(dir, `names-${prepared}-${free}`);
          mkdirSync(root);
          if (prepared > 0) await start([program, 'notes', 'append', 'before'], root).ended;
          const filler = join(dir, 'names');
          fillNames(filler, free);
          await strain(full, root, `${free} names free, prepared ${prepared}`, {}, () =>
            rmSync(filler, { recursive: true }),
          );
          rmSync(root, { recursive: true });
        }
      }
      report('a full disk', full.figures, full.failures);

      const closed = tally();
      for (const prepared of [0, 1]) {
        const root = join(dir, `closed-${prepared}`);
        mkdirSync(root);
        if (prepared > 0) await start([program, 'notes', 'append', 'before'], root).ended;
        execFileSync('mount', ['-o', 'remount,ro', dir]);
        await strain(closed, root, `read-only, prepared ${prepared}`, {}, () =>
          execFileSync('mount', ['-o', 'remount,rw', dir]),
        );
      }
      report('a read-only disk', closed.figures, closed.failures);
    } finally {
      execFileSync('umount', [dir]);
    }
  }
}
removeAll();
