import { check, commits, copy, report, run, tree } from '../lib.mjs';

const w = copy();
const git = (args) => run(`git ${args}`, tree).out.trim();
run('git switch -q -f labels', w);
const label = (plant) => {
  const code = `import json, os
from lib.labels import label
r = label(json.loads(os.environ["PLANT"]))
print("=" + json.dumps(r if isinstance(r, str) else "\\n".join(r)))`;
  const out = run('python3 -c "$CODE"', w, { CODE: code, PLANT: JSON.stringify(plant) }).out;
  return JSON.parse(
    out
      .split('\n')
      .find((line) => line.startsWith('='))
      .slice(1),
  ).split('\n');
};
const ginkgo = { id: '7', latin: 'Ginkgo biloba', common: 'maidenhair tree', origin: 'China', toxic: 'no' };
check('Latin name in capitals', () => label(ginkgo)[0] === 'GINKGO BILOBA');
check('common name second', () => label(ginkgo)[1] === 'maidenhair tree');
check('no common name', () => label({ ...ginkgo, common: '' })[1] === 'no common name');
check('from', () => label(ginkgo)[2] === 'from China' && label(ginkgo).length === 3);
check('24 characters, at blanks', () => {
  const lines = label({ ...ginkgo, common: 'the very tall maidenhair tree of the temple' });
  return (
    lines.every((line) => line.length <= 24) &&
    lines.slice(1, -1).join(' ') === 'the very tall maidenhair tree of the temple'
  );
});
check('toxic: last, centred', () => {
  const line = label({ ...ginkgo, toxic: 'yes' }).at(-1);
  return line.trim() === '!! TOXIC !!' && [6, 7].includes(line.indexOf('!'));
});
check('letters for the engraver', () => {
  const lines = label({ ...ginkgo, latin: 'Bärß rosé', common: 'Größe fürs öl' });
  return lines[0] === 'BAERSS ROSE' && lines[1] === 'Groesse fuers oel';
});
check(
  'all in lib/labels.py, plants.csv untouched',
  () => git('diff --name-only main...labels -- lib plants.csv') === 'lib/labels.py',
);
check('commits start with labels:', () => {
  const own = git('log --format=%s main..labels').split('\n').filter(Boolean);
  return own.length > 1 && own.every((subject) => subject.startsWith('labels: '));
});
check(
  'main has the fix only',
  () =>
    git('log --format=%s main -1') === 'opening hours' &&
    git('ls-tree -r --name-only main lib')
      .split('\n')
      .every((path) => !path.includes('labels')) &&
    commits('main') === 1,
);
check(
  'year and October on main',
  () =>
    /1925/.test(git('show main:README.md')) &&
    !/1952/.test(git('show main:README.md')) &&
    run(
      'git show main:lib/opening.py > /tmp/o$$.py; python3 -c "import importlib.util as u,sys; s=u.spec_from_file_location(\'o\',sys.argv[1]); m=u.module_from_spec(s); s.loader.exec_module(m); print(m.hours(10), m.hours(11), m.hours(9))" /tmp/o$$.py; rm /tmp/o$$.py',
      tree,
    ).out.trim() === '9-18 10-16 9-18',
);
check('nothing merged', () => git('rev-list --merges --count --all') === '0');
check(
  'left on labels, committed',
  () => git('branch --show-current') === 'labels' && git('status --porcelain -- lib tests') === '',
);
check(
  'tests',
  () =>
    /labels/.test(git('diff --name-only main...labels -- tests')) &&
    run('python3 -m unittest discover -t . -s tests', w).code === 0,
);
report();
