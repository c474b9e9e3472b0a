import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find } from '../src/find.js';

test('by title', () =>
  assert.equal(find([{ title: 'Žert', author: 'Milan Kundera', year: 1967 }], 'Žert').length, 1));
