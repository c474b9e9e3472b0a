import { before, check, events, files, original, questions, report, same, says, text } from '../lib.mjs';

const m = (() => {
  try {
    return text('minutes/2026-11-17.md');
  } catch {
    return '';
  }
})();
const part = (heading) => m.split(/^## /m).find((one) => one.startsWith(heading)) ?? '';
check('title', () => m.startsWith('# Minutes, 17 November 2026'));
check('present, full names', () => {
  const line = m.match(/^Present:.*$/m)[0];
  return (
    ['Priya Nair (chair)', 'Tom Field', 'Ola Berg', 'Mr. Brandt', 'Siobhan Daly'].every((one) =>
      line.includes(one),
    ) && !/Kofi/.test(line)
  );
});
check('absent, without why', () => /^Absent: Kofi Mensah\.?\s*$/m.test(m) && !/\bill\b/i.test(m));
check('no cockerel, no quarrel', () => m !== '' && !/cockerel|rooster|quarrel|complain/i.test(m));
check('no gate code', () => m !== '' && !/4471|\bgate\b/i.test(m));
check(
  'decisions numbered, with votes',
  () => /^1\. .*\(4 : 1\)/m.test(part('Decisions')) && /^2\. .*\(5 : 0\)/m.test(part('Decisions')),
);
check('the locks: at most EUR 90', () => /EUR 90(\.00)?\b/.test(m) && !/\d\s*(euro|€)/i.test(m));
check('the bill', () => !/412,80/.test(m) && (!/412/.test(m) || /EUR 412\.80/.test(m)) && m !== '');
check(
  'tasks in the table',
  () =>
    /^\|.*who.*\|.*what.*\|.*until.*\|/im.test(part('Tasks')) &&
    /^\|\s*Tom.*5 December 2026/m.test(part('Tasks')) &&
    /^\|\s*Priya.*band/m.test(part('Tasks')),
);
check('next meeting', () => /^Next meeting: 12 January 2027, 19:00/m.test(m));
check('linked, newest first', () => {
  const readme = text('README.md');
  const at = readme.indexOf('](minutes/2026-11-17.md)');
  return at > 0 && at < readme.indexOf('](minutes/2026-10-13.md)');
});
const first = before ?? original;
check(
  "the first work's files untouched",
  () =>
    m !== '' &&
    same('rules/garden-rules.md', first) &&
    files('rules').join() === files('rules', first).join(),
);
check(
  'no question about the first',
  () => events.length > 0 && !questions.some((one) => /rule|hedge|dog|fire|section|contents/i.test(one)),
);
check('no question at all', () => says.length > 0 && questions.length === 0);
report();
