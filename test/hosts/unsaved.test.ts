import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recall, remember } from '../../src/hosts/session-memory.ts';
import { testDir } from '../helpers/test-dir.ts';

test('what could not be written is known to this process, until a newer file can be read', () => {
  const data = testDir();
  const folder = join(data, 'hosts');
  // A file where the folder should be: nothing can be written there.
  writeFileSync(folder, '');
  const { hints } = recall(data, 's');
  const memory = { hints, handed: ['main'] };
  expect(() => remember(data, 's', memory)).toThrow();
  expect(recall(data, 's').handed).toEqual(['main']);
  expect(recall(data, 'another').handed).toBeUndefined();
  rmSync(folder);
  mkdirSync(folder);
  remember(data, 's', { hints, handed: ['main', 'next'] });
  expect(recall(data, 's').handed).toEqual(['main', 'next']);
});
