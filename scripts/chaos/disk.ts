import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  fill,
  fillNames,
  makeDirectory,
  makeWorkspace,
  mount,
  NO_SUCH_CALL,
  planFault,
  readNumbers,
  removeAll,
  report,
} from './harness.ts';
import { type Change, ENTRIES, make, SPACES, Witness } from './witness.ts';

/**
 * A failing disk: file system calls of a write fail in turn, with several errors, once or from then on; a small tmpfs
 * that is full except for a few pages and inodes; one that is read-only. What was there must stay, the error must be
 * clear, and the next run with enough room must work.
 *
 *     npm run build && npx tsx scripts/chaos/disk.ts [every]     (every how many calls one fails: 1 for all)
 */
const [every = 1] = readNumbers(4);
const failures: string[] = [];
const countOutcomes = () => ({ tried: 0, refused: 0, acknowledged: 0, 'refused, yet there': 0 });

/** One change that may fail, then those that must not. @returns its exit code */
async function strainDisk(
  figures: ReturnType<typeof countOutcomes>,
  witness: Witness,
  change: Change,
  when: string,
  fault: { env?: Record<string, string>; stays?: boolean; end?: () => void },
): Promise<number | null> {
  const { code, stderr, stands } = await witness.try(when, change, fault.env);
  fault.end?.();
  if (code === NO_SUCH_CALL) return code;
  figures.tried += 1;
  if (code === 0) figures.acknowledged += 1;
  else {
    figures.refused += 1;
    if (code !== 3 || !/where: /.test(stderr) || /\n\s+at /.test(stderr))
      failures.push(`${when}: not a clear error: ${code}: ${stderr.trim()}`);
  }
  // If not even the journal's last line can be removed, the change is left to the next run.
  if (stands && fault.stays !== true) failures.push(`${when}: refused, and there`);
  if (stands) figures['refused, yet there'] += 1;
  await witness.recover(when);
  return code;
}

{
  const figures = countOutcomes();
  for (const error of ['ENOSPC', 'EIO', 'EROFS', 'EACCES']) {
    for (const stays of [false, true]) {
      for (const kind of [SPACES[0], ENTRIES[0]]) {
        for (let at = 1; at < 300; at += every) {
          const witness = new Witness(failures);
          if (at % 2 === 0) await witness.try('before', make(SPACES[0]));
          const when = `${error} at call ${at}${stays ? ' and on' : ''}`;
          const fault = { env: planFault(error, at, stays), stays };
          const code = await strainDisk(figures, witness, make(kind), when, fault);
          rmSync(witness.root, { recursive: true, force: true });
          if (code === NO_SUCH_CALL) break;
        }
      }
    }
  }
  report('errors at file system calls', figures, failures.splice(0));
}

const dir = makeDirectory('disk');
if (!mount(dir, 'size=512k,nr_inodes=96')) {
  console.log('full and read-only disk: skipped, mounting is not permitted');
} else {
  try {
    const [full, closed] = [countOutcomes(), countOutcomes()];
    const makeFresh = (name: string): Witness => {
      mkdirSync(join(dir, name));
      return new Witness(failures, makeWorkspace('', join(dir, name)));
    };
    for (const [place, kind] of [...SPACES.slice(0, 1), ...ENTRIES.slice(0, 6)].entries()) {
      for (let free = 0; free < 14; free += 1) {
        for (const filled of [fill, fillNames]) {
          const witness = makeFresh(`${filled.name}-${place}-${free}`);
          if (place > 0 || free % 2 === 0) await witness.prepare();
          const filler = join(dir, 'filler');
          filled(filler, free);
          const change = make(kind);
          const when = `${filled.name}, ${free} free: ${change.args.slice(0, 2).join(' ')}`;
          await strainDisk(full, witness, change, when, { end: () => rmSync(filler, { recursive: true }) });
          rmSync(witness.root, { recursive: true });
        }
      }
    }
    report('a full disk', full, failures.splice(0));
    const remountDisk = (mode: string): void => void execFileSync('mount', ['-o', `remount,${mode}`, dir]);
    for (const prepared of [false, true]) {
      const witness = makeFresh(`closed-${prepared}`);
      if (prepared) await witness.prepare();
      remountDisk('ro');
      await strainDisk(closed, witness, make(SPACES[0]), `read-only, ${prepared}`, {
        end: () => remountDisk('rw'),
      });
    }
    report('a read-only disk', closed, failures.splice(0));
  } finally {
    execFileSync('umount', [dir]);
  }
}
removeAll();
