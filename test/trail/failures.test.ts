import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCheck } from '../../src/trail/checks.ts';
import { segmentsOf } from '../../src/trail/shell.ts';

/** What the programs printed over the same small cart: one test passes, one or two fail. */
const printed = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../fixtures/check-outputs', `${name}.txt`), 'utf8');

const OUTPUTS: [name: string, command: string, failing: string[]][] = [
  ['ava', 'npx ava', ['cart › gives a discount', 'is free']],
  ['biome', 'npx biome lint src', ['src/bad.js:1 lint/suspicious/noDebugger']],
  ['bun', 'bun test', ['cart > gives a discount', 'cart > empty > is free']],
  ['cargo', 'cargo test', ['tests::free', 'tests::discount']],
  ['cargobuild', 'cargo build', ['src/lib.rs:1 error[E0308]: mismatched types']],
  ['deno', 'deno test', ['gives a discount']],
  ['eslint', 'npx eslint src', ["src/bad.js:1 Unexpected 'debugger' statement (no-debugger)"]],
  ['go', 'go test ./...', ['TestDiscount/vip', 'TestFree']],
  ['gojson', 'go test -json ./...', ['TestDiscount/vip', 'TestFree']],
  ['jest', 'npx jest', ['cart › gives a discount of 10 % (vip)', 'cart › empty › is free']],
  ['minitest', 'bundle exec rake test', ['CartTest#test_discount', 'CartTest#test_free']],
  ['mocha', 'npx mocha', ['cart > gives a discount', 'cart > empty > is free']],
  ['nodetest', 'node --test', ['gives a discount of 10 % (vip)', 'is free']],
  ['nodetest24', 'node --test', ['gives a discount of 10 % (vip)', 'is free']],
  ['phpunit', 'vendor/bin/phpunit', ['CartTest::testFree', 'CartTest::testDiscount']],
  ['phpunitdox', 'vendor/bin/phpunit --testdox', ['Discount', 'Free']],
  ['playwright', 'npx playwright test', ['pw/p.spec.ts:2:58 › cart › gives a discount']],
  ['pytest', 'pytest', ['test_cart.py::test_discount[2]', 'test_cart.py::TestEmpty::test_free']],
  ['pytestq', 'pytest -q --tb=no', ['test_cart.py::test_discount[2]', 'test_cart.py::TestEmpty::test_free']],
  ['rspec', 'bundle exec rspec', ['Cart discounts', 'Cart empty is free']],
  [
    'tsc',
    'npx tsc --noEmit',
    ["src/app/[id]/route.ts:1 error TS2322: Type 'string' is not assignable to type 'number'."],
  ],
  [
    'unittest',
    'python -m unittest',
    ['test_free (test_u.CartTest.test_free)', 'test_discount (test_u.CartTest.test_discount)'],
  ],
  [
    'vitest',
    'npx vitest run',
    ['t/v.vtest.mjs > cart > gives a discount', 't/v.vtest.mjs > cart > empty > is free'],
  ],
];

describe.each(OUTPUTS)('what %s printed', (name, command, failing) => {
  const read = (line: string, exit: number) =>
    readCheck(segmentsOf(line), exit === 0 ? 'ok' : 'failed', exit, printed(name), '/home/ana/cart');

  test('names what failed', () => {
    expect(read(command, 1)).toMatchObject({ command, outcome: 'failed' });
    expect(read(command, 1)?.failing.map((one) => one.name)).toEqual(failing);
  });

  test('shows the failure where a pipe hides the exit status', () => {
    expect(read(`${command} 2>&1 | tail -60`, 0)?.outcome).toBe('failed');
  });
});

describe('a pipe hides the exit status', () => {
  const outcome = (line: string, output: string, exit = 0): string | undefined =>
    readCheck(segmentsOf(line), exit === 0 ? 'ok' : 'failed', exit, output, '/home/ana/cart')?.outcome;

  const banner = '\n> cart@1.0.0 build\n> tsc -p tsconfig.json\n\n';

  test.each([
    ['npm run build 2>&1 | tail -5', banner, 0, 'passed'],
    [
      'npm run build 2>&1 | tail -5',
      `${banner}src/a.ts(3,1): error TS2304: Cannot find name 'x'.\n`,
      0,
      'failed',
    ],
    ['npm run build 2>&1 | tail -5', `${banner}some words\n`, 0, undefined],
    ['npx tsc --noEmit 2>&1 | grep "error TS"', '', 1, 'passed'],
    ['npx tsc --noEmit 2>&1 | grep -E "error" | head -5', '', 0, 'passed'],
    ['npx tsc --noEmit 2>&1 | grep "error TS" | wc -l', '11\n', 0, undefined],
    ['npx tsc --noEmit 2>&1 | grep -v error', '', 1, undefined],
    ['npx tsc --noEmit 2>&1 | grep cart.ts', '', 1, undefined],
    ['npm test 2>&1 | grep -i error', '', 1, undefined],
    ['npm test 2>&1 | grep -iE "fail|error"', '', 1, 'passed'],
    ['npm test 2>&1 | tail -3', '', 0, undefined],
  ])('%s', (line, output, exit, expected) => {
    expect(outcome(line, output, exit)).toBe(expected);
  });
});
