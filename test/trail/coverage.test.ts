import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trailOf } from '../../src/trail/index.ts';
import { testDir } from '../helpers/test-dir.ts';
import { ClaudeSession } from './claude-session.ts';

const root = testDir();
const PYTEST = 'FAILED tests/test_vat.py::test_half - assert 1 == 2\n1 failed, 3 passed in 0.12s';
const VITEST = ' FAIL  src/cart.test.ts > cart > adds up\n Tests  1 failed (3)';
const CARGO = 'test tests::half ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed';
const TSC = "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.";

async function failing(first: [string, string], then: [string, string, number?]): Promise<number> {
  const talk = new ClaudeSession({ cwd: root })
    .person('go')
    .bash(first[0], first[1], 1)
    .bash(...then);
  const path = join(root, 's.jsonl');
  writeFileSync(path, talk.text);
  const { facts } = await trailOf(path, Date.UTC(2026, 1, 5, 18));
  return facts.filter(({ kind, open }) => kind === 'failing' && open).length;
}

test.each<[[string, string], [string, string, number?]]>([
  [
    ['python -m pytest -q', PYTEST],
    ['ruff check .', 'All checks passed!'],
  ],
  [
    ['python -m pytest -q', PYTEST],
    ['npm test', 'Tests  3 passed (3)'],
  ],
  [
    ['python -m pytest -q', PYTEST],
    ['pytest tests/test_other.py -q', '2 passed in 0.01s'],
  ],
  [
    ['python -m pytest -q', PYTEST],
    ['npx jest', 'FAIL a.test.js\n  ● cart › adds up\n\nTests: 1 failed', 1],
  ],
  [
    ['cargo test', CARGO],
    ['cargo check', '    Finished dev'],
  ],
  [
    ['npx vitest run', VITEST],
    ['cd api && pytest -q', '3 passed in 0.1s'],
  ],
  [
    ['npx tsc --noEmit', TSC],
    ['npm run build', '> vite build\n✓ built in 1.2s'],
  ],
  [
    ['go test ./...', '--- FAIL: TestTotal (0.0s)\nFAIL'],
    ['go test ./cmd/...', 'ok  \tcmd\t0.1s'],
  ],
])('after %j a pass of %j leaves the failure', async (first, then) => {
  expect(await failing(first, then)).toBeGreaterThan(0);
});

test.each<[[string, string], [string, string, number?]]>([
  [
    ['python -m pytest -q', PYTEST],
    ['python -m pytest -q', '4 passed in 0.1s'],
  ],
  [
    ['python -m pytest -q tests/test_vat.py', PYTEST],
    ['pytest -q', '4 passed in 0.1s'],
  ],
  [
    ['python -m pytest -q', PYTEST],
    ['pytest -q -k test_half', '1 passed in 0.1s'],
  ],
  [
    ['python -m pytest -q', PYTEST],
    ['make check', 'ok'],
  ],
  [
    ['npx vitest run src/cart.test.ts', VITEST],
    ['npm test', 'Tests  3 passed (3)'],
  ],
  [
    ['npx tsc --noEmit', TSC],
    ['npm run typecheck', '> tsc -p .'],
  ],
  [
    ['npx tsc --noEmit', TSC],
    ['npm run build', '> cart@1.0.0 build\n> tsc -p tsconfig.json && vite build'],
  ],
  [
    ['cargo build', 'error[E0308]: mismatched types\n --> src/lib.rs:1:32'],
    ['cargo test', 'test result: ok. 2 passed'],
  ],
  [
    ['go test ./cmd/...', '--- FAIL: TestTotal (0.0s)\nFAIL'],
    ['mise run test', 'ok  \tcmd\t0.1s'],
  ],
])('after %j a pass of %j ends it', async (first, then) => {
  expect(await failing(first, then)).toBe(0);
});

test('an error without a column is named', async () => {
  const mypy = 'app/x.py:3: error: Incompatible return value type  [return-value]\nFound 1 error in 1 file';
  expect(await failing(['mypy app', mypy], ['ls', ''])).toBe(1);
});
