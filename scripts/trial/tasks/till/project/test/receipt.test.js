import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/receipt.js';

test('total', () =>
  assert.equal(
    total([
      { name: 'tea', cents: 250 },
      { name: 'bun', cents: 120 },
    ]),
    370,
  ));
