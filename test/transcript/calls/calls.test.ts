import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CallFacts, callFacts } from '../../../src/transcript/calls/index.ts';
import type { CallOutcome } from '../../../src/transcript/event.ts';

const ROOT = '/home/ana/cart';
const WHERE = { root: ROOT, cwd: ROOT };

const bash = (command: string, text = '', exit = 0, outcome?: CallOutcome): CallFacts =>
  callFacts(
    { type: 'call', id: '1', tool: 'Bash', input: { command }, at: 0 },
    {
      type: 'result',
      id: '1:result',
      call: '1',
      at: 1,
      text,
      outcome: outcome ?? (exit === 0 ? 'ok' : 'failed'),
    },
    WHERE,
  );

/** What the programs printed over the same small cart: one test passes, one or two fail. */
const printed = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/check-outputs', `${name}.txt`), 'utf8');

const OUTPUTS: [name: string, command: string, totals: string | undefined, failing: string[]][] = [
  ['ava', 'npx ava', '2 tests failed', ['cart › gives a discount', 'is free']],
  [
    'biome',
    'npx biome lint src',
    'Found 2 errors',
    ['src/bad.js:1 lint/suspicious/noDoubleEquals', 'src/bad.js:1 lint/suspicious/noDebugger'],
  ],
  ['bun', 'bun test', '1 pass, 2 fail', ['cart > gives a discount', 'cart > empty > is free']],
  [
    'cargo',
    'cargo test',
    'test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s',
    ['tests::free', 'tests::discount'],
  ],
  [
    'cargobuild',
    'cargo build',
    'error: could not compile `cart` due to previous error',
    ['src/lib.rs:1 error[E0308]: mismatched types'],
  ],
  ['deno', 'deno test', 'FAILED | 1 passed | 1 failed (22ms)', ['gives a discount']],
  ['eslint', 'npx eslint src', '2 problems (2 errors, 0 warnings)', []],
  ['go', 'go test ./...', 'FAIL cart 0.005s', ['TestDiscount/vip', 'TestFree']],
  ['gojson', 'go test -json ./...', undefined, ['TestDiscount/vip', 'TestFree']],
  [
    'jest',
    'npx jest',
    'Tests: 2 failed, 1 passed, 3 total',
    ['cart › gives a discount of 10 % (vip)', 'cart › empty › is free'],
  ],
  [
    'minitest',
    'bundle exec rake test',
    '3 runs, 1 assertions, 1 failures, 1 errors, 0 skips',
    ['CartTest#test_discount', 'CartTest#test_free'],
  ],
  ['mocha', 'npx mocha', '1 passing (3ms), 2 failing', []],
  [
    'nodetest',
    'node --test',
    'pass 1, fail 2',
    ['gives a discount of 10 % (vip)', 'is free', 'empty', 'cart'],
  ],
  ['nodetest24', 'node --test', 'pass 1, fail 2', ['gives a discount of 10 % (vip)', 'is free']],
  [
    'phpunit',
    'vendor/bin/phpunit',
    'Tests: 3, Assertions: 2, Errors: 1, Failures: 1',
    ['CartTest::testFree', 'CartTest::testDiscount'],
  ],
  [
    'phpunitdox',
    'vendor/bin/phpunit --testdox',
    'Tests: 3, Assertions: 2, Errors: 1, Failures: 1',
    ['Discount', 'Free'],
  ],
  ['playwright', 'npx playwright test', '1 failed', ['pw/p.spec.ts:2:58 › cart › gives a discount']],
  [
    'pytest',
    'pytest',
    '2 failed, 2 passed in 0.01s',
    ['test_cart.py::test_discount[2]', 'test_cart.py::TestEmpty::test_free'],
  ],
  [
    'pytestq',
    'pytest -q --tb=no',
    '2 failed, 2 passed in 0.01s',
    ['test_cart.py::test_discount[2]', 'test_cart.py::TestEmpty::test_free'],
  ],
  ['rspec', 'bundle exec rspec', '3 examples, 2 failures', ['Cart discounts', 'Cart empty is free']],
  [
    'tsc',
    'npx tsc --noEmit',
    undefined,
    ["src/app/[id]/route.ts:1 error TS2322: Type 'string' is not assignable to type 'number'."],
  ],
  [
    'unittest',
    'python -m unittest',
    'FAILED (failures=1, errors=1)',
    ['test_free (test_u.CartTest.test_free)', 'test_discount (test_u.CartTest.test_discount)'],
  ],
  [
    'vitest',
    'npx vitest run',
    'Tests 2 failed | 1 passed (3)',
    ['t/v.vtest.mjs > cart > gives a discount', 't/v.vtest.mjs > cart > empty > is free'],
  ],
];

describe.each(OUTPUTS)('what %s printed', (name, command, totals, failing) => {
  test('names what failed and counts it in its own words', () => {
    const { check } = bash(command, printed(name), 1);
    expect(check).toEqual({ command, failing, totals });
  });

  test.each(['| tail -60', '| head -400', '| tee out.log', '| grep -v "^$"', '| cat'])(
    'shows the failure behind %s',
    (pipe) => {
      const { check } = bash(`${command} 2>&1 ${pipe}`, printed(name), 0);
      expect(check).toMatchObject({ failing, totals });
    },
  );

  test('is no check where the call was denied or rejected', () => {
    expect(bash(command, printed(name), 1, 'denied').check).toBeUndefined();
    expect(bash(command, printed(name), 1, 'rejected').check).toBeUndefined();
  });
});
