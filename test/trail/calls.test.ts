import { expect, test } from 'vitest';
import { knownCall } from '../../src/trail/calls.ts';

const ROOT = '/home/ana/shop';
const filesOf = (command: string): string[] =>
  knownCall({ type: 'call', id: '1', tool: 'Bash', input: { command }, at: 0 }, ROOT, ROOT).files.map(
    ({ how, path }) => `${how} ${path}`,
  );

test.each([
  ["sed -i 's/a/b/' src/a.ts", ['edit src/a.ts']],
  ["cat > src/b.ts <<'EOF'\nx > y.ts\nEOF", ['edit src/b.ts']],
  ['echo "a > b.ts" >> notes.md', ['edit notes.md']],
  ['printf x >out.txt', ['edit out.txt']],
  ['cd web && cat > index.html <<EOF\nx\nEOF', ['edit web/index.html']],
  ['jq . a.json | tee b.json', ['edit b.json']],
  ['mv a.ts b.ts', ['remove a.ts', 'edit b.ts']],
  ['git mv a.ts b.ts', ['remove a.ts', 'edit b.ts']],
  ['cp a.ts src/j.ts', ['edit src/j.ts']],
  ["perl -pi -e 's/x/y/' src/i.ts", ['edit src/i.ts']],
  ['rm src/e.ts', ['remove src/e.ts']],
  ['cat src/h.ts', ['read src/h.ts']],
  ['npm test > test.log 2>&1', []],
  ['cat src/h.ts 2>/dev/null', ['read src/h.ts']],
  ['echo "see src/h.ts"', []],
  ['cp *.ts old', []],
])('%s', (command, files) => {
  expect(filesOf(command)).toEqual(files);
});
