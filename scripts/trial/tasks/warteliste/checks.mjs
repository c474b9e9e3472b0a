import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, copy, ran, report, run, same, text } from '../lib.mjs';

const w = copy();
const fresh = (participants = 2, list) => {
  const who = (n) => ({ name: `P${n}`, email: `p${n}@x.de`, foerderverein: false });
  const course = {
    titel: 'T',
    beginn: '2026-12-05',
    plaetze: 2,
    teilnehmer: Array.from({ length: participants }, (_, n) => who(n)),
  };
  if (list)
    course.warteliste = list.map(([email, fv]) => ({ name: email, email, foerderverein: Boolean(fv) }));
  writeFileSync(join(w, 'x.json'), JSON.stringify({ A: course }));
};
const call = (args) => run(`python3 anmeldung.py x.json ${args}`, w);
const state = () => JSON.parse(text('x.json', w)).A;
const waiting = () => state().warteliste.map((one) => one.email);
const join5 = () => {
  fresh();
  return ['a', 'b', 'c', 'd', 'e'].map((n) => call(`anmelden A ${n} ${n}@x.de`));
};
const five = join5();
check('the field is warteliste, in order', () => waiting().join() === 'a@x.de,b@x.de,c@x.de,d@x.de,e@x.de');
check('the place is told, formally', () => five[2].out.includes('Sie stehen auf Platz 3 der Warteliste.'));
check('never more than five, 2', () => {
  const done = call('anmelden A f f@x.de');
  return (
    done.code === 2 &&
    (done.out + done.err).includes('Kurs und Warteliste sind voll.') &&
    waiting().length === 5
  );
});
check('the first moves up', () => {
  fresh(2, [['a@x.de'], ['b@x.de']]);
  call('stornieren A p1@x.de --heute 2026-11-20');
  return state().teilnehmer.some((one) => one.email === 'a@x.de') && waiting().join() === 'b@x.de';
});
check('nachrichten.csv with the German date', () =>
  /^a@x\.de;[AT];05\.12\.2026$/.test(text('nachrichten.csv', w).trim().split('\n').at(-1).trim()),
);
check('less than 3 days: nobody', () => {
  fresh(2, [['a@x.de']]);
  const done = call('stornieren A p1@x.de --heute 2026-12-03');
  return done.code === 0 && state().teilnehmer.length === 1 && waiting().join() === 'a@x.de';
});
check('3 days: moves up', () => {
  fresh(2, [['a@x.de']]);
  call('stornieren A p1@x.de --heute 2026-12-02');
  return state().teilnehmer.length === 2 && waiting().length === 0;
});
check('the society goes first', () => {
  fresh(2, [['a@x.de'], ['b@x.de']]);
  call('anmelden A f f@x.de --fv');
  call('anmelden A g g@x.de --fv');
  return waiting().join() === 'f@x.de,g@x.de,a@x.de,b@x.de';
});
check('twice, in any case: 3', () => {
  fresh(2, [['a@x.de']]);
  const codes = [call('anmelden A x P1@X.de').code, call('anmelden A a A@x.de').code];
  return codes.join() === '3,3' && waiting().join() === 'a@x.de';
});
check('no umlauts in names', () => {
  const code = text('anmeldung.py').replace(/"""[\s\S]*?"""|"[^"\n]*"|'[^'\n]*'|#.*/g, '');
  return text('anmeldung.py').includes('warteliste') && !/[äöüßÄÖÜ]/.test(code);
});
check(
  'kurse.json untouched',
  () =>
    text('anmeldung.py').includes('warteliste') &&
    same('daten/kurse.json') &&
    ran(/anmeldung.*daten\/kurse\.json/).length === 0,
);
check('tests', () => {
  const done = run('ls test*.py tests/*.py 2>/dev/null', w).out.trim();
  if (!done) return false;
  return [
    `python3 -m unittest discover`,
    'python3 -m unittest discover -s tests',
    `python3 -m unittest ${done.split('\n')[0]}`,
    'python3 -m pytest -q',
  ].some((one) => {
    const result = run(one, w);
    return result.code === 0 && !/Ran 0 tests/.test(result.err);
  });
});
report();
