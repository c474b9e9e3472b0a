import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { withLock } from '../../../src/base/fs/index.ts';
import { testDir } from '../../helpers/test-dir.ts';

const lockIn = (dir: string): string => join(dir, 'lock');
const holder = async (): Promise<{ pid: number; start: string; host: string; nonce: string }> => {
  const path = lockIn(testDir());
  return withLock(path, () => JSON.parse(readFileSync(path, 'utf8')));
};
const age = (path: string, seconds: number): void => {
  const then = new Date(Date.now() - seconds * 1000);
  utimesSync(path, then, then);
};
const take = (path: string, waitMs = 0): Promise<boolean> =>
  withLock(path, ({ tookOver }) => tookOver, waitMs);
const linux = process.platform === 'linux';

describe('the lock', () => {
  test('is held by one at a time, and nothing is left of it', async () => {
    const dir = testDir();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        withLock(lockIn(dir), async () => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise((resolve) => setTimeout(resolve, 1));
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('is released when the work throws', async () => {
    const path = lockIn(testDir());
    await expect(
      withLock(path, () => {
        throw new Error('work');
      }),
    ).rejects.toThrow('work');
    expect(await take(path)).toBe(false);
  });

  test('of a process that ended is taken over at once', async () => {
    const path = lockIn(testDir());
    const gone = await execa(process.execPath, ['-p', 'process.pid']);
    writeFileSync(path, JSON.stringify({ ...(await holder()), pid: Number(gone.stdout), nonce: 'dead-1' }));
    expect(await take(path)).toBe(true);
  });

  test.runIf(linux)('of a pid that names another process by now is taken over', async () => {
    const path = lockIn(testDir());
    writeFileSync(path, JSON.stringify({ ...(await holder()), start: '1', nonce: 'reused-1' }));
    expect(await take(path)).toBe(true);
  });

  test('of a living process is waited for, and the failure names it', async () => {
    const path = lockIn(testDir());
    const me = await holder();
    writeFileSync(path, JSON.stringify({ ...me, nonce: 'alive-1' }));
    await expect(take(path, 30)).rejects.toMatchObject({ kind: 'environment', detail: { where: path } });
    await expect(take(path, 30)).rejects.toThrow(/held the scratchpad/);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ nonce: 'alive-1' });
  });

  test('of another host, or one that cannot be read, is judged by its age, whichever way the clock went', async () => {
    for (const text of [
      JSON.stringify({ ...(await holder()), host: 'elsewhere', nonce: 'far-1' }),
      '',
      'garbage',
      '{"pid":"x"}',
    ]) {
      const path = lockIn(testDir());
      writeFileSync(path, text);
      await expect(take(path, 20)).rejects.toThrow('another process');
      age(path, 61);
      expect(await take(path)).toBe(true);
      writeFileSync(path, text);
      age(path, -3600);
      expect(await take(path)).toBe(true);
    }
  });

  test('that was lost meanwhile is noticed before anything is written, and not released', async () => {
    const path = lockIn(testDir());
    await withLock(path, (lock) => {
      expect(lock.isHeld()).toBe(true);
      writeFileSync(path, JSON.stringify({ pid: process.pid, host: 'elsewhere', nonce: 'other-1' }));
      expect(lock.isHeld()).toBe(false);
      expect(() => lock.check()).toThrow('lost to another process');
    });
    expect(readFileSync(path, 'utf8')).toContain('other-1');
  });

  test('is never held by two processes that see the same dead holder', async () => {
    const dir = testDir();
    const path = lockIn(dir);
    writeFileSync(path, JSON.stringify({ ...(await holder()), pid: 4_000_001, nonce: 'dead-2' }));
    const script = `
      const { withLock } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/base/fs/lock.ts'))});
      const fs = await import('node:fs');
      await withLock(${JSON.stringify(path)}, () => {
        fs.writeFileSync(${JSON.stringify(join(dir, 'inside'))}, '', { flag: 'wx' });
        const end = Date.now() + 20;
        while (Date.now() < end);
        fs.unlinkSync(${JSON.stringify(join(dir, 'inside'))});
      });`;
    const runs = Array.from({ length: 4 }, () =>
      execa(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { reject: false }),
    );
    for (const { exitCode, stderr } of await Promise.all(runs))
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(readdirSync(dir)).toEqual([]);
  });

  test('that cannot be created is a clear error', async () => {
    const dir = testDir();
    mkdirSync(lockIn(dir));
    await expect(take(lockIn(dir), 20)).rejects.toMatchObject({ kind: 'environment' });
    await expect(take(join(dir, 'missing', 'lock'), 20)).rejects.toMatchObject({ kind: 'environment' });
  });
});
