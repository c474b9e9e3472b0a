import {
  before,
  check,
  commits,
  copy,
  events,
  exists,
  original,
  questions,
  report,
  run,
  same,
  says,
  text,
} from '../lib.mjs';

const w = copy();
const books = [
  { isbn: '1', title: 'Other', author: 'Milan Žert', year: 1990 },
  { isbn: '2', title: 'Žert', author: 'Milan Kundera', year: 1967 },
  { isbn: '3', title: 'Petals of Blood', author: 'Ngũgĩ wa Thiong’o', year: 1977 },
  { isbn: '4', title: 'Blood Milan', author: 'X', year: 1977 },
];
const find = (words) => {
  const code = `import { find } from './src/find.js'; console.log('=' + find(${JSON.stringify(books)}, ${JSON.stringify(words)}).map((b) => b.isbn).join())`;
  return run('node --input-type=module -e "$CODE"', w, { CODE: code })
    .out.split('\n')
    .find((line) => line.startsWith('='))
    ?.slice(1);
};
check('case', () => find('PETALS') === '3');
check('accents', () => find('ngugi') === '3');
check('every word, any order', () => find('blood ngugi') === '3' && find('kundera zert') === '2');
check('year', () => find('1967') === '2' && find('blood 1977')?.split(',').length === 2);
check('title first', () => find('zert') === '2,1');
check('otherwise the order stays', () => find('milan') === '4,1,2');
check('no words, nothing', () => find('') === '' && find('  ') === '');
check(
  'tests',
  () =>
    text('test/find.test.js') !== text('test/find.test.js', original) &&
    run('node --test test/find.test.js', w).code === 0,
);
check('README', () => text('README.md') !== text('README.md', original));
check('nothing committed', () => commits('--all') === 0);
const first = before ?? original;
const untouched = ['src/lend.js', 'src/remind.js', 'holidays.json', 'src/books.js', 'books.json'];
check(
  "the first work's files untouched",
  () => find('zert') !== undefined && untouched.every((path) => same(path, first)),
);
check(
  'nothing of the first added',
  () =>
    exists('src/overdue.js') === exists('src/overdue.js', first) &&
    exists('test/lend.test.js') === exists('test/lend.test.js', first),
);
check(
  'no question about the first',
  () => events.length > 0 && !questions.some((one) => /overdue|remind|lend|holiday|Sato|28|60/i.test(one)),
);
check('no question at all', () => says.length > 0 && questions.length === 0);
report();
