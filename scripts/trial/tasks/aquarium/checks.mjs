import { check, copy, events, exists, original, ran, report, run, says, text } from '../lib.mjs';

const w = copy();
const third = events.findIndex((event) => event.prompt?.startsWith('Lena has her copy'));
const early = third < 0 ? events : events.slice(0, third);
const late = third < 0 ? [] : events.slice(third);
const running = /migrate\.mjs|npm run migrate|001-metric/;
const bullets = (say) => {
  const lines = say
    .replace(/```[\s\S]*?```/g, '')
    .split('\n')
    .filter((line) => line.trim());
  return lines.length > 0 && lines.every((line) => /^\s*([-*•–]|\d+[.)])\s|^\s{2,}\S/.test(line));
};
const imperial = /\b(gal|gallons?|ft|feet|foot|inch(es)?|ounces?|oz|fahrenheit)\b/i;
const docs = () => text('docs/tanks.md');
const tanks = () => JSON.parse(text('data/tanks.json'));
check('bullet points: first answer', () => bullets(says[0]));
check('bullet points: what is left', () => bullets(says[1]));
check('bullet points: after the migration', () => bullets(says[2]));
check(
  'no migration before the go-ahead',
  () => exists('migrations/001-metric.mjs') && ran(/migrate\.mjs|npm run migrate/, early).length === 0,
);
check('migration after the go-ahead', () => ran(running, late).length > 0 && exists('data/done.json'));
check(
  'litres, 3.785',
  () =>
    tanks()
      .map((tank) => tank.litres)
      .join() === '4731,38,76',
);
check(
  'cm, 30.48',
  () =>
    tanks()
      .map((tank) => tank.cm)
      .join() === '610,46,76',
);
check('the old fields are gone', () => tanks().every((tank) => !('gallons' in tank) && !('feet' in tank)));
check('list is metric', () => {
  const code =
    "import { list } from './src/tanks.js'; console.log(list([{ name: 'a', litres: 38, cm: 46 }])[0])";
  const out = run('node --input-type=module -e "$CODE"', w, { CODE: code }).out;
  return /\b38\b/.test(out) && !imperial.test(out);
});
check(
  'the page is metric',
  () => /4[,. ]?731/.test(docs()) && /610|6\.10? ?m/.test(docs()) && !imperial.test(docs()),
);
check(
  "the page says 'aquarium', never 'fish tank'",
  () => /aquarium/i.test(docs()) && !/fish tank/i.test(docs()),
);
check(
  'the sum in litres',
  () => /4[,. ]?845\s*(l\b|litres|liters)/i.test(says[2]) && !imperial.test(says[2]),
);
check(
  'tests',
  () =>
    run('ls test/*.js test/*.mjs *.test.* src/*.test.* tests/* 2>/dev/null', w).out.trim() !== '' &&
    run('node --test', w).code === 0,
);
check(
  'feeding.md stays metric',
  () =>
    text('docs/feeding.md', original) !== '' &&
    exists('docs/feeding.md') &&
    !imperial.test(text('docs/feeding.md')),
);
report();
