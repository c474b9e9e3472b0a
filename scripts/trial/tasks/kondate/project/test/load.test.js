import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../src/menu.js';

test('読める', () => assert.equal(load('data/menu.json').length, 4));
