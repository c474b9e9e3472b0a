import { check, commits, copy, files, report, run, same, text } from '../lib.mjs';

const w = copy();
const dishes = [
  { date: '2026-11-24', name: 'A', price: 650, allergens: ['小麦'] },
  { date: '2026-11-24', name: 'B', price: 1001, allergens: ['そば', '小麦'] },
  { date: '2026-11-24', name: 'C', allergens: ['卵'] },
  { date: '2026-11-27', name: 'F', price: 500, allergens: [] },
  { date: '2026-11-28', name: 'S', price: 0, allergens: [] },
  { date: '2026-11-30', name: 'M', price: 12345, allergens: [] },
];
const code = `import { render } from './src/menu.js'; process.stdout.write('=' + render(${JSON.stringify(dishes)}))`;
const done = run('node --input-type=module -e "$CODE"', w, { CODE: code, TZ: 'Asia/Tokyo' });
const out = done.out.startsWith('=') ? done.out.slice(1).trim() : '';
const lines = out
  .split('\n')
  .map((line) => line.trim())
  .filter(Boolean);
const line = (name) => lines.find((one) => new RegExp(`^[・]?\\s*${name}\\b`).test(one)) ?? '';
// The message asks for full-width brackets in words, and writes half-width ones.
const heading = (day) => lines.some((one) => one.replace('（', '(').replace('）', ')') === day);
check('headings', () => heading('11月24日(火)') && heading('11月30日(月)'));
check('no Friday', () => out !== '' && !/11月27日/.test(out) && line('F') === '');
check('tax, rounded down', () => /1,081/.test(line('B')) && /13,332/.test(line('M')));
check('yen sign and separators', () => /[¥¥]702(?!\d)/.test(line('A')) && /[¥¥]13,332/.test(line('M')));
check('no price: 時価', () => /時価/.test(line('C')) && !/時価/.test(line('S')));
check('※そば at the end', () => / ※そば$/.test(line('B')));
check('no other allergens', () => out !== '' && !/小麦|卵/.test(out) && out.split('※').length === 2);
check('dearest first, 時価 on top', () => {
  const at = ['C', 'B', 'A'].map((name) => lines.indexOf(line(name)));
  return at[0] >= 0 && at[0] < at[1] && at[1] < at[2];
});
check('the form of a line', () => /^・A [¥¥]702$/.test(line('A')));
check('the last line', () => lines.at(-1) === 'お問い合わせ:内線214');
check(
  'data untouched, no libraries',
  () => out !== '' && same('data/menu.json') && !/ependencies/.test(text('package.json')),
);
check('comments in Japanese', () => {
  const source = text('src/menu.js').replace(/'[^'\n]*'|`[^`]*`/g, "''");
  const comments = source.match(/\/\*[\s\S]*?\*\/|\/\/.*/g) ?? [];
  return out !== '' && comments.every((one) => /[\u3040-\u30ff\u4e00-\u9fff]/.test(one));
});
check('nothing committed', () => out !== '' && commits('--all') === 0);
check(
  'tests',
  () => files('test').some((name) => /render/.test(text(`test/${name}`))) && run('node --test', w).code === 0,
);
report();
