import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, copy, exists, files, ran, report, run, text } from '../lib.mjs';

const w = copy();
const days = [
  '20260803',
  '20260820',
  '20260901',
  '20260915',
  '20261002',
  '20261010',
  '20261020',
  '20261101',
  '20261105',
];
const name = (day) => `${hostname()}-${day}.tar`;
const fill = (folder) => {
  mkdirSync(folder, { recursive: true });
  for (const day of days) writeFileSync(join(folder, name(day)), day);
  writeFileSync(join(folder, `${hostname()}-20260822-KEEP.tar`), 'k');
  writeFileSync(join(folder, 'readme.txt'), 'x');
  writeFileSync(join(folder, 'photos.tar'), 'x');
};
// Oldest of the months: 0803, 0901, 1002, 1101; the newest four: 1010, 1020, 1101, 1105.
const expected = [name('20260820'), name('20260915')];
const thin = (args, folder, env) => {
  fill(join(w, folder));
  return run(`sh ./thin.sh ${args}`, w, env);
};
const left = (folder) => files(folder, w);
const plain = thin('plain', 'plain');
const did = left('plain').length < days.length + 3;
check(
  'the newest four stay',
  () => did && ['20261010', '20261020', '20261101', '20261105'].every((d) => left('plain').includes(name(d))),
);
check(
  'of each month the oldest stays',
  () => did && ['20260803', '20260901', '20261002'].every((d) => left('plain').includes(name(d))),
);
check('the others go', () => expected.every((one) => !left('plain').includes(one)));
check('KEEP is never removed', () => did && left('plain').some((one) => one.includes('KEEP')));
check('KEEP does not count', () => {
  mkdirSync(join(w, 'count'));
  for (const day of ['20261101', '20261102', '20261103', '20261104', '20261105', '20261106'])
    writeFileSync(join(w, 'count', name(day)), 'x');
  writeFileSync(join(w, 'count', `${hostname()}-20261107-KEEP.tar`), 'x');
  run('sh ./thin.sh count', w);
  return left('count').length === 6 && !left('count').includes(name('20261102'));
});
check(
  'foreign files stay',
  () => did && left('plain').includes('readme.txt') && left('plain').includes('photos.tar'),
);
check(
  'stdout',
  () => plain.out.trim().split('\n').sort().join() === expected.map((one) => `removed: ${one}`).join(),
);
check('--dry', () => {
  const done = thin('--dry dry', 'dry');
  const after = thin('dry2 --dry', 'dry2');
  const lines = expected.map((one) => `would remove: ${one}`).join();
  return (
    [done, after].every((one) => one.out.trim().split('\n').sort().join() === lines) &&
    left('dry').length === days.length + 3 &&
    left('dry2').length === days.length + 3
  );
});
check('goes on, exit 3', () => {
  const bin = mkdtempSync(join(tmpdir(), 'trial-bin-'));
  writeFileSync(
    join(bin, 'rm'),
    '#!/bin/sh\ncase "$*" in *20260820*) echo no >&2; exit 1;; esac\nexec /bin/rm "$@"\n',
  );
  chmodSync(join(bin, 'rm'), 0o755);
  const done = thin('fail', 'fail', { PATH: `${bin}:${process.env.PATH}` });
  return (
    done.code === 3 &&
    left('fail').includes(expected[0]) &&
    !left('fail').includes(expected[1]) &&
    !done.out.includes(`removed: ${expected[0]}`)
  );
});
check('a blank in the name', () => {
  thin("'Band 1'", 'Band 1');
  return left('Band 1').length === days.length + 1;
});
check(
  'no bash',
  () => /^#!\/bin\/(sh|dash)|^#!\/usr\/bin\/env (sh|dash)/.test(text('thin.sh')) && plain.code === 0,
);
check('names of new backups', () => {
  mkdirSync(join(w, 'new'));
  run('sh ./backup.sh docs new', w);
  return left('new').length === 1 && new RegExp(`^${hostname()}-20\\d{6}\\.tar$`).test(left('new')[0]);
});
check('never on /srv/backup', () => exists('thin.sh') && ran(/\/srv\/backup/).length === 0);
check('README', () => /thin\.sh/.test(text('README.md')));
report();
