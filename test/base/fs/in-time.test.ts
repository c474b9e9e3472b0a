import { describe, expect, test, vi } from 'vitest';
import { inTime } from '../../../src/base/fs/process.ts';

const never = new Promise<string>(() => undefined);
const later = (ms: number, value: string): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms));
const late = (): string => 'late';

describe('inTime', () => {
  test('returns the result of the work, or throws its error', async () => {
    expect(await inTime(Promise.resolve('done'), 1000, late)).toBe('done');
    expect(await inTime(later(5, 'done'), 5000, late)).toBe('done');
    await expect(inTime(Promise.reject(new Error('no')), 1000, late)).rejects.toThrow('no');
  });

  test('returns the late result at the deadline, or throws its error', async () => {
    expect(await inTime(never, 5, late)).toBe('late');
    expect(await inTime(never, 0, late)).toBe('late');
    expect(await inTime(later(10_000, 'done'), 5, late)).toBe('late');
    const refused = inTime(never, 5, () => {
      throw new Error('too slow');
    });
    await expect(refused).rejects.toThrow('too slow');
  });

  test('leaves nothing that keeps the process alive', async () => {
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    await inTime(later(5, 'done'), 60_000, late);
    expect(cleared).toHaveBeenCalledOnce();
    cleared.mockRestore();
  });
});
