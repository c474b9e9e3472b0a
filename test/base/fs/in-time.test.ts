import { describe, expect, test, vi } from 'vitest';
import { withTimeout } from '../../../src/base/fs/process.ts';

const never = new Promise<string>(() => undefined);
const later = (ms: number, value: string): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms));
const late = (): string => 'late';

describe('inTime', () => {
  test('returns the result of the work, or throws its error', async () => {
    expect(await withTimeout(Promise.resolve('done'), 1000, late)).toBe('done');
    expect(await withTimeout(later(5, 'done'), 5000, late)).toBe('done');
    await expect(withTimeout(Promise.reject(new Error('no')), 1000, late)).rejects.toThrow('no');
  });

  test('returns the late result at the deadline, or throws its error', async () => {
    expect(await withTimeout(never, 5, late)).toBe('late');
    expect(await withTimeout(never, 0, late)).toBe('late');
    expect(await withTimeout(later(10_000, 'done'), 5, late)).toBe('late');
    const refused = withTimeout(never, 5, () => {
      throw new Error('too slow');
    });
    await expect(refused).rejects.toThrow('too slow');
  });

  test('leaves nothing that keeps the process alive', async () => {
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    await withTimeout(later(5, 'done'), 60_000, late);
    expect(cleared).toHaveBeenCalledOnce();
    cleared.mockRestore();
  });
});
