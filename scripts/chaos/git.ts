import { randomFrom } from '../random.ts';
import { Repository } from './git-repository.ts';
import { copyProgram, numbers, removeAll, report } from './harness.ts';

/**
 * Random sequences of git operations, with writes by the built program and by a person between them, in
 * repositories that track the pad and in others. After every step: no acknowledged text is lost, no write adds a
 * text that was not there, a merge combines both sides or is shown as a conflict, and no commit contains a text
 * that was not in its work tree.
 *
 *     npm run build && npx tsx scripts/chaos/git.ts [sequences] [seed] [steps] [side by side]
 */
const [sequences = 0, seed = 0, steps = 0, aside = 1] = numbers(1000, 1, 16, 2);

type Step = (repository: Repository) => Promise<void> | void;

/** Each kind of step with its relative frequency. */
const STEPS: readonly [number, Step][] = [
  [5, (r) => r.writeNote('append')],
  [1, (r) => r.writeNote('prepend')],
  [3, (r) => r.addStep()],
  [2, (r) => r.doStep()],
  [2, (r) => r.addRef()],
  [4, (r) => r.editByHand()],
  [1, (r) => r.undoWrite()],
  [1, (r) => r.undo()],
  [1, (r) => r.hook()],
  [5, (r) => r.commit()],
  [3, (r) => r.branch()],
  [5, (r) => r.checkout()],
  [4, (r) => r.merge()],
  [2, (r) => r.rebase()],
  [2, (r) => r.cherryPick()],
  [2, (r) => r.stash()],
  [2, (r) => r.pop()],
  [1, (r) => r.addWorktree()],
  [1, (r) => r.removeWorktree()],
];
const CHANCES = STEPS.flatMap(([weight, step]) => Array<Step>(weight).fill(step));

const program = copyProgram();
const failures: string[] = [];
const figures = {
  sequences: 0,
  steps: 0,
  acknowledged: 0,
  commits: 0,
  'merges and picks': 0,
  conflicts: 0,
  'refused by git': 0,
  'plans set aside': 0,
  'only in the history': 0,
};

async function sequence(number: number): Promise<void> {
  const random = randomFrom(seed * 1_000_003 + number);
  const tracked = number % 2 === 0;
  const repository = new Repository(program, random, tracked);
  const trace: string[] = [];
  try {
    await repository.begin();
    for (let k = 0; k < steps; k += 1) {
      await CHANCES[Math.floor(random() * CHANCES.length)]?.(repository);
      figures.steps += 1;
    }
    await repository.end();
  } catch (error) {
    trace.push(...repository.trace);
    failures.push(
      `sequence ${number} of seed ${seed}, ${tracked ? 'tracked' : 'not tracked'}: ${(error as Error).message}\n    ${trace.join('\n    ')}`,
    );
  }
  figures.sequences += 1;
  figures.acknowledged += repository.acknowledged.size;
  figures.commits += repository.count.commits;
  figures['merges and picks'] += repository.count.merges;
  figures.conflicts += repository.count.conflicts;
  figures['refused by git'] += repository.count.refused;
  figures['plans set aside'] += repository.count.setAside;
  figures['only in the history'] += repository.count.onlyInHistory;
  repository.remove();
}

let next = 0;
await Promise.all(
  Array.from({ length: aside }, async () => {
    while (next < sequences) {
      const number = next;
      next += 1;
      await sequence(number);
    }
  }),
);
report('git operations with writes between them', figures, failures);
removeAll();
