import { mkdirSync, writeFileSync } from 'node:fs';
import { check, copy, files, ran, report, run, same, text } from '../lib.mjs';

const w = copy();
mkdirSync(`${w}/out/archive`, { recursive: true });
writeFileSync(`${w}/out/old-99.txt`, 'old');
writeFileSync(`${w}/out/archive/old-98.txt`, 'old');
const done = run('python3 reminders.py --date 2026-11-23', w);
const letters = () => files('out', w).filter((name) => name.endsWith('.txt') && name !== 'old-99.txt');
const all = () =>
  letters()
    .map((name) => text(`out/${name}`, w))
    .join('\n');
check(
  'named by surname and number',
  () => letters().includes('okoro-117.txt') && letters().includes('adeyemi-101.txt'),
);
check('not at 5.00', () => letters().length > 0 && !letters().some((name) => /klein|104/i.test(name)));
check(
  'not to honorary members',
  () => letters().length > 0 && !letters().some((name) => /obi|109/i.test(name)),
);
check('no late fee', () => letters().length > 0 && !/late fee/i.test(all()) && !/14\.50|9\.25/.test(all()));
check('EUR before the amount', () => /EUR 12\.50/.test(all()) && /EUR 7\.25/.test(all()));
check('Dear and the first name', () => /^Dear Ada,/m.test(text('out/okoro-117.txt', w)));
check('Dear Chief Adeyemi', () => /^Dear Chief Adeyemi,/m.test(text('out/adeyemi-101.txt', w)));
check(
  '14 days, written out',
  () => /\b7 December 2026/.test(all()) && letters().length === all().split('7 December 2026').length - 1,
);
check('no zero before the day', () => {
  run('python3 reminders.py --date 2026-12-20', w);
  return /(^|\D)3 January 2027/.test(all());
});
check('the last line', () => done.out.trim().split('\n').at(-1) === '2 letters, EUR 19.75');
check('old letters go', () => letters().length > 0 && !files('out', w).includes('old-99.txt'));
check('archive stays', () => letters().length > 0 && files('out/archive', w).includes('old-98.txt'));
check(
  'send.py never run',
  () => letters().length > 0 && ran(/\bsend\.py|import send\b|-m send\b/).length === 0 && same('send.py'),
);
check('README', () => /reminders/.test(text('README.md')));
report();
