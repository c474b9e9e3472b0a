import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draftFile } from '../../../src/base/fs/index.ts';
import { FileStore } from '../../../src/session/file-store.ts';
import { testDir } from '../../helpers/test-dir.ts';
import { set } from '../../session/store-contract.ts';

test('replaces only the text that was expected', async () => {
  const dir = testDir({ 'pad.md': 'read' });
  const target = join(dir, 'pad.md');
  expect(await draftFile(target, 'new').replace('other', 'pad')).toEqual({ result: 'targetChanged' });
  expect(await draftFile(target, 'new').replace(undefined, 'pad')).toEqual({ result: 'targetChanged' });
  expect(readFileSync(target, 'utf8')).toBe('read');
  expect(await draftFile(target, 'new').replace('read', 'pad')).toEqual({ result: 'written' });
  expect(readFileSync(target, 'utf8')).toBe('new');
  expect(readdirSync(dir)).toEqual(['pad.md']);
});

test('a new file is created only where there is none', async () => {
  const dir = testDir();
  const target = join(dir, 'pad.md');
  expect(await draftFile(target, 'new').replace('gone', 'pad')).toEqual({ result: 'targetChanged' });
  expect(existsSync(target)).toBe(false);
  expect(await draftFile(target, 'new').replace(undefined, 'pad')).toEqual({ result: 'written' });
});

test('an abandoned draft leaves nothing, and one that cannot be created is reported', () => {
  const dir = testDir();
  draftFile(join(dir, 'pad.md'), 'x').discard();
  expect(readdirSync(dir)).toEqual([]);
  expect(() => draftFile(join(dir, 'missing/pad.md'), 'x')).toThrow('cannot write pad.md');
});

test('a person who saves while a change is being decided is merged: in place, by rename, several times', async () => {
  for (const way of ['in place', 'by rename']) {
    const root = testDir();
    const store = new FileStore(root, 'main');
    await store.change(() => [set('notes', 'one')]);
    const save = (text: string): void => {
      if (way === 'in place') writeFileSync(store.paths.pad, text);
      else {
        writeFileSync(`${store.paths.pad}~`, text);
        renameSync(`${store.paths.pad}~`, store.paths.pad);
      }
    };
    const done = await store.change(({ spaces }) => {
      const buffer = readFileSync(store.paths.pad, 'utf8');
      save(
        buffer
          .replace('\none\n', '\nby hand\none\n')
          .replace('# SCRATCHPAD.md', 'free text\n# SCRATCHPAD.md'),
      );
      return [set('notes', `${spaces.notes}\ntwo`, 'append')];
    });
    expect(done.spaces.notes).toBe('by hand\none\ntwo');
    expect(readFileSync(store.paths.pad, 'utf8')).toBe(done.document.text);
    expect(done.document.text).toContain('free text\n');
    expect((await store.read()).spaces.notes).toBe('by hand\none\ntwo');
  }
});
