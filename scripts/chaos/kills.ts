import { rmSync } from 'node:fs';
import { createRandom, pickOne } from '../random.ts';
import { NO_SUCH_CALL, planFault, readNumbers, removeAll, report } from './harness.ts';
import { ENTRIES, make, OTHERS, SPACES, Witness } from './witness.ts';

/**
 * Kills the program with SIGKILL while it changes spaces and entries: first at random times, then before and in the
 * middle of its file system calls. Every acknowledged change (exit code 0 seen) must be there, nothing torn, and the
 * next command must work.
 *
 *     npm run build && npx tsx scripts/chaos/kills.ts [kills] [every] [seed]     (every how many calls: 1 for all)
 */
const [kills = 0, every = 1, seed = 0] = readNumbers(100, 5, 1);
const KINDS = [...SPACES, ...ENTRIES, ...OTHERS];
const random = createRandom(seed);
const failures: string[] = [];
const countOutcomes = () => ({ tried: 0, killed: 0, acknowledged: 0, 'files left behind, at most': 0 });
const listLeft = (figures: ReturnType<typeof countOutcomes>, count: number): void => {
  figures['files left behind, at most'] = Math.max(figures['files left behind, at most'], count);
};

{
  const figures = countOutcomes();
  let witness = new Witness(failures);
  // The typical time of a whole run: most kills are aimed at its second half, where the writing is.
  let typical = (await witness.try('first', make(SPACES[0]))).ms;
  for (let tried = 0; tried < kills; tried += 1) {
    if (tried % 25 === 0) witness = new Witness(failures);
    await witness.prepare();
    const before = witness.acknowledged;
    const change = make(pickOne(KINDS, random), random() < 0.5 ? 'a' : '../b');
    const when = `random kill ${tried} of ${change.args.slice(0, 2).join(' ')}`;
    const { code, ms } = await witness.try(when, change, {}, typical * (0.3 + random() * 0.8));
    figures.tried += 1;
    if (code === null) figures.killed += 1;
    else typical = typical * 0.9 + ms * 0.1;
    if (tried % 5 === 4) listLeft(figures, await witness.recover(when));
    figures.acknowledged += witness.acknowledged - before;
  }
  report('SIGKILL at random times', figures, failures);
}

{
  const before = failures.length;
  const figures = countOutcomes();
  for (const fault of ['kill', 'half']) {
    for (const [place, kind] of KINDS.entries()) {
      // For the spaces: a first write, an ordinary one, and one that takes over the lock of a dead process.
      for (const prepared of place < SPACES.length ? [0, 1, 2] : [1]) {
        for (let at = 1 + (place % every); ; at += every) {
          const witness = new Witness(failures);
          if (prepared > 0 && !SPACES.includes(kind)) await witness.prepare();
          else if (prepared > 0) await witness.try('before', make(SPACES[0]));
          if (prepared > 1) await witness.try('a dead lock', make(SPACES[0]), planFault('kill', 20));
          const change = make(kind);
          const when = `${fault} at call ${at} of ${change.args.slice(0, 2).join(' ')}, prepared ${prepared}`;
          const { code } = await witness.try(when, change, planFault(fault, at));
          if (code !== NO_SUCH_CALL) {
            figures.tried += 1;
            if (code === null) figures.killed += 1;
            listLeft(figures, await witness.recover(when));
            figures.acknowledged += witness.acknowledged;
          }
          rmSync(witness.root, { recursive: true, force: true });
          if (code === NO_SUCH_CALL) break;
          if (at > 2000) throw new Error(`${when}: no end of calls`);
        }
      }
    }
  }
  report('SIGKILL before and in the middle of file system calls', figures, failures.slice(before));
}
removeAll();
