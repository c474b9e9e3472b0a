import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawFindings } from '../../scripts/trial/findings.ts';
import { testDir } from '../helpers/test-dir.ts';

interface Drawn {
  findings: Record<string, string>;
}

/** What mends each fault, whatever the seed: a file, and its text before and after. */
const MENDED: Record<string, [file: string, before: RegExp, after: string]> = {
  gateway: ['src/window.js', /payload\.subarray\(0, LIMITS\.frame\)/, 'payload'],
  ledger: ['src/cents.js', /parseFloat\(text\)/, "parseFloat(text.replace(',', '.'))"],
  limits: ['src/settings.js', /modern\(\{(.*), \.\.\.own \}\)/, '({ ...modern({$1 }), ...own })'],
};
/** The requirement that only a mended program keeps. */
const PROGRAM: Record<string, string> = {
  gateway: 'longer frames are read',
  ledger: 'the total is right',
  billing: 'the bill is right',
  limits: "the tenant's value wins",
};

describe('the tasks of investigation', () => {
  const tasks = drawFindings(join(testDir(), 'a'), 7);
  const others = drawFindings(join(testDir(), 'b'), 8);

  it.each(tasks)('$name: another seed draws other answers', ({ name, findings }) => {
    const other = others.find((one) => one.name === name);
    expect(Object.values(findings ?? {})).toHaveLength(4);
    expect(findings).not.toEqual(other?.findings);
  });

  it.each(tasks)('$name: nothing is granted before anything is done', ({ name, folder }) => {
    const kept = checked(folder, join(folder, 'project'));
    expect(kept[PROGRAM[name] ?? '']).not.toBe(true);
    expect(Object.values(kept).filter(Boolean).length).toBeLessThanOrEqual(1);
  });

  it.each(tasks.filter(({ name }) => name in MENDED))(
    '$name: what mends the fault is granted',
    ({ name, folder }) => {
      const work = join(testDir(), 'work');
      cpSync(join(folder, 'project'), work, { recursive: true });
      const [file, before, after] = MENDED[name] ?? ['', /$/, ''];
      const text = readFileSync(join(work, file), 'utf8');
      expect(text).toMatch(before);
      writeFileSync(join(work, file), text.replace(before, after));
      expect(checked(folder, work)[PROGRAM[name] ?? '']).toBe(true);
    },
  );

  it('billing: without the line of the fault the bill is right', () => {
    const { folder } = tasks.find(({ name }) => name === 'billing') ?? { folder: '' };
    const { findings } = JSON.parse(readFileSync(join(folder, 'task.json'), 'utf8')) as Drawn;
    const step = findings['the step']?.replaceAll('\\b', '') ?? '';
    const work = join(testDir(), 'work');
    cpSync(join(folder, 'project'), work, { recursive: true });
    const file = join(work, 'src/steps', `${step}.js`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^ +if \(order\.region.*\n/m, ''));
    expect(checked(folder, work)['the bill is right']).toBe(true);
  });
});

function checked(task: string, work: string): Record<string, boolean> {
  const done = spawnSync(process.execPath, [join(task, 'checks.mjs'), work], { encoding: 'utf8' });
  return JSON.parse(done.stdout) as Record<string, boolean>;
}
