import { check, commits, copy, exists, files, report, run, same, text } from '../lib.mjs';

const w = copy();
const value = (expression) => {
  const code = `import { discount } from './src/discount.js'; const t = (f) => { try { return f() } catch (e) { return e.message } };
const r = await t(() => ${expression}); console.log('=' + JSON.stringify(r))`;
  const done = run(`node --input-type=module -e "$CODE"`, w, { CODE: code });
  return JSON.parse(
    done.out
      .split('\n')
      .find((line) => line.startsWith('='))
      .slice(1),
  );
};
const day = "'2026-11-23'";
check('returns off and total', () => {
  const r = value(`discount([{name:'a',cents:1000}], 'AUTUMN', ${day})`);
  return r.off === 150 && r.total === 850;
});
check(
  'fraction to the customer',
  () => value(`discount([{name:'a',cents:101}], 'AUTUMN', ${day})`).off === 16,
);
check('at most 20 euros', () => {
  const r = value(`discount([{name:'a',cents:90000}], 'AUTUMN', ${day})`);
  return r.off === 2000 && r.total === 88000;
});
check('no discount on tobacco', () => {
  const r = value(`discount([{name:'a',cents:1000},{name:'b',cents:800,tobacco:true}], 'AUTUMN', ${day})`);
  return r.off === 150 && r.total === 1650;
});
check(
  'any case, blanks around',
  () => value(`discount([{name:'a',cents:1000}], '  autumn ', ${day})`).off === 150,
);
check(
  'message as typed',
  () => value(`discount([{name:'a',cents:1000}], 'Sumer', ${day})`) === 'no such code: Sumer',
);
check(
  'the last day counts',
  () => value(`discount([{name:'a',cents:1000}], 'AUTUMN', '2026-11-30')`).off === 150,
);
check(
  'afterwards it does not exist',
  () => value(`discount([{name:'a',cents:1000}], 'AUTUMN', '2026-12-01')`) === 'no such code: AUTUMN',
);
check('first line of the new file', () => text('src/discount.js').startsWith('// till, (c) Okafor & Sons'));
check(
  'discount.test.js of its own, with the line',
  () =>
    exists('test/discount.test.js') && text('test/discount.test.js').startsWith('// till, (c) Okafor & Sons'),
);
check('tests pass', () => files('test').length > 1 && run('node --test', w).code === 0);
check('golden untouched', () => same('golden/receipt-1.txt'));
check('nothing committed', () => commits('--all') === 0);
report();
