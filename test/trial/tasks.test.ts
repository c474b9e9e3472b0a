import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assertTasks, digestTasks, loadTasks, readFrozen, type Task } from '../../scripts/trial/tasks.ts';
import { testDir } from '../helpers/test-dir.ts';

const SOLUTIONS = join(import.meta.dirname, '../fixtures/trial-solutions');
const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;

type Step = ['write', string, string] | ['bash', string] | ['say', string];

/** Plays a solution in the task's project and gives what the checks say. */
function played(task: Task, steps: readonly Step[]): Record<string, boolean> {
  const dir = testDir();
  const work = join(dir, 'work');
  cpSync(join(task.folder, 'project'), work, { recursive: true });
  const identity = {
    GIT_AUTHOR_NAME: 'p',
    GIT_AUTHOR_EMAIL: 'p@x',
    GIT_COMMITTER_NAME: 'p',
    GIT_COMMITTER_EMAIL: 'p@x',
  };
  const env = { ...process.env, ...identity, HOME: dir, PYTHONDONTWRITEBYTECODE: '1' };
  const sh = (command: string): void =>
    void spawnSync('sh', ['-c', command], { cwd: work, env, timeout: 30_000 });
  sh('git init -q -b main && git add -A && git commit -qm "state before"');
  if (task.branch) sh(`git switch -qc ${task.branch}`);
  if (task.between) sh(task.between);
  const before = join(dir, 'before');
  cpSync(work, before, { recursive: true });
  const [opening, ...prompts] = task.second.map(({ text }) => ({ prompt: text }));
  const events: object[] = [opening ?? {}];
  for (const [kind, first, content = ''] of steps) {
    if (kind === 'say') events.push({ say: first }, ...prompts.splice(0, 1));
    else events.push({ call: kind, arg: first });
    if (kind === 'bash') sh(first);
    if (kind === 'write') {
      mkdirSync(dirname(join(work, first)), { recursive: true });
      writeFileSync(join(work, first), content);
    }
  }
  const session = join(dir, 'session.json');
  writeFileSync(session, JSON.stringify({ events, before }));
  const done = spawnSync(process.execPath, [join(task.folder, 'checks.mjs'), work, session], {
    encoding: 'utf8',
    env,
  });
  return JSON.parse(done.stdout) as Record<string, boolean>;
}

describe('the tasks of the trial', { timeout: 240_000 }, () => {
  it('are as they were frozen: a change of a task makes a new version of the trial', () => {
    expect(digestTasks()).toEqual(readFrozen()?.digests);
    expect(assertTasks()).toBe('version 4');
  });

  it('are ten, of ten kinds', () => {
    const kinds = loadTasks().map(({ kind }) => kind);
    expect(kinds).toHaveLength(10);
    expect(new Set(kinds).size).toBe(10);
  });

  it('hold a log of 300 lines in a message with rules', () => {
    const pump = loadTasks().find(({ name }) => name === 'pump');
    expect(pump?.first[0]?.text.split('\n').length).toBeGreaterThan(300);
  });

  it.each(loadTasks())(
    '$name: its recorded session is cut off at the first edit after the last message',
    ({ first, recorded, restart }) => {
      const isMessage = (step: object): boolean => 'say' in step || 'person' in step;
      expect(recorded.filter(isMessage)).toHaveLength(first.length - 1);
      const after = recorded.slice(recorded.findLastIndex(isMessage) + 1);
      const edits = after.filter((step) => step.edit ?? step.write);
      expect(edits).toHaveLength(restart === 'compaction' ? 0 : 1);
      const end = Object.keys(recorded.at(-1) ?? {})[0];
      expect(restart === 'compaction' ? ['summary'] : ['edit', 'write']).toContain(end);
      expect(after.some((step) => step.notes)).toBe(true);
    },
  );

  // They are frozen: one of Node and one of Python shows that they run here, all with RUNS.
  const isSample = ({ name }: Task): boolean => ['thin', 'letters'].includes(name);
  const all = process.env.RUNS !== undefined || assertTasks() !== `version ${readFrozen()?.version}`;
  describe.each(loadTasks().filter((task) => all || isSample(task)))('$name', (task) => {
    const needsPython = ['letters', 'pump', 'warteliste', 'labels'].includes(task.name);
    const solutions = JSON.parse(readFileSync(join(SOLUTIONS, `${task.name}.json`), 'utf8')) as Record<
      string,
      Step[]
    >;

    it.skipIf(needsPython && !hasPython)('grants all to a solution that keeps all', () => {
      const kept = played(task, solutions.good ?? []);
      expect(Object.keys(kept).length).toBeGreaterThanOrEqual(8);
      expect(Object.keys(kept).length).toBeLessThanOrEqual(14);
      expect(Object.entries(kept).filter(([, is]) => !is)).toEqual([]);
    });

    it.skipIf((needsPython && !hasPython) || (!all && needsPython))(
      'grants a sloppy solution under half',
      () => {
        const kept = Object.values(played(task, solutions.sloppy ?? []));
        expect(kept.filter(Boolean).length).toBeLessThan(kept.length / 2);
      },
    );
  });
});
