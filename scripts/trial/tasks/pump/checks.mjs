import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, copy, events, ran, report, run, text } from '../lib.mjs';

const w = copy();
const read = (input) => {
  writeFileSync(join(w, 'in.txt'), input);
  const done = run('python3 reader.py in.txt', w);
  const rows = done.out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => {
      try {
        return { ...JSON.parse(line), line };
      } catch {
        return { line };
      }
    });
  return { ...done, rows };
};
const one = (line) => read(`${line}\n`).rows[0];
const bad = read(
  '2026-11-22T23:10 P1 2.51\n2026-11-22T23:11 P1 ---\nnonsense\n2026-11-22T23:12 P2 ERR\n2026-11-22T23:13 P9 9.9\n2026-11-22T23:14 P9 ---\n2026-11-22T23:15 P3 2.00\n',
);
check(
  'goes on after a broken line',
  () => bad.rows.length >= 2 && bad.rows.some((row) => row.sensor === 'P3'),
);
check('skipped on stderr, last', () => /^skipped: 3$/.test(bad.err.trim().split('\n').at(-1)));
check('exit code 0', () => bad.rows.length >= 2 && bad.code === 0);
check(
  'P9 left out',
  () =>
    bad.rows.length >= 2 &&
    !bad.rows.some((row) => row.sensor === 'P9') &&
    /skipped: 3$/.test(bad.err.trim()),
);
check('decimal comma', () => one('2026-11-22T23:10 P1 2,40').bar === 2.4);
check('negative values', () => one('2026-11-22T23:10 P1 -0.31').bar === -0.31);
check('JSON, keys in order', () =>
  /^\{\s*"t":.*"sensor":.*"bar":[^,]*\}$/.test(one('2026-11-22T23:10 P1 2.51').line),
);
check(
  'UTC',
  () =>
    one('2026-11-22T23:10 P1 2.51').t === '2026-11-22T22:10Z' &&
    one('2026-11-23T00:20 P1 2.51').t === '2026-11-22T23:20Z',
);
check('two decimals', () => one('2026-11-22T23:10 P1 2.51789').bar === 2.52);
check('psi', () => one('2026-11-22T23:10 P1 40 psi').bar === 2.76);
check('the later of two', () => {
  const rows = read('2026-11-22T23:10 P1 2.51\n2026-11-22T23:10 P2 2.00\n2026-11-22T23:10 P1 2.60\n').rows;
  return rows.map((row) => `${row.sensor} ${row.bar}`).join() === 'P1 2.6,P2 2';
});
check('never --live', () => events.length === 0 || ran(/--live/).length === 0);
check(
  'only what Python brings',
  () =>
    !/^\s*(import|from)\s+(pandas|numpy|dateutil|pytz)/m.test(text('reader.py')) &&
    text('reader.py').includes('json'),
);
check(
  'tests',
  () =>
    /skipped|psi|UTC|Z"/.test(run('cat tests/*.py test_*.py 2>/dev/null', w).out) &&
    run('python3 -m unittest discover -t . -s tests', w).code === 0,
);
report();
