import { describe, expect, test, vi } from 'vitest';
import { inTime } from '../src/in-time.ts';

const never = new Promise<string>(() => undefined);
const later = (ms: number, value: string): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms));
const late = (): string => 'late';

describe('inTime', () => {
  test('gives what the work gives, or throws what it throws', async () => {
    expect(await inTime(Promise.resolve('done'), 1000, late)).toBe('done');
    expect(await inTime(later(5, 'done'), 5000, late)).toBe('done');
    await expect(inTime(Promise.reject(new Error('no')), 1000, late)).rejects.toThrow('no');
  });

  test('gives what is late when the time is over, or throws what that throws', async () => {
    expect(await inTime(never, 5, late)).toBe('late');
    expect(await inTime(never, 0, late)).toBe('late');
    expect(await inTime(later(10_000, 'done'), 5, late)).toBe('late');
    const refused = inTime(never, 5, () => {
      throw new Error('too slow');
    });
    await expect(refused).rejects.toThrow('too slow');
  });

  test('makes a timer only for work that is still going on when the event loop turns', async () => {
    const made = vi.spyOn(globalThis, 'setTimeout');
    const atHand = async (): Promise<string> => {
      let text = '';
      for (let k = 0; k < 50; k += 1) text += await Promise.resolve(k);
      return text;
    };
    await inTime(atHand(), 1000, late);
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).not.toHaveBeenCalled();
    const reads = new Promise<string>((resolve) => setImmediate(() => resolve('read')));
    expect(await inTime(reads, 1000, late)).toBe('read');
    expect(made).toHaveBeenCalledOnce();
    made.mockRestore();
  });

  test('the time that the work took of this thread counts', async () => {
    const made = vi.spyOn(globalThis, 'setTimeout');
    const since = Date.now();
    const work = (async () => {
      await Promise.resolve();
      while (Date.now() - since < 60);
      return never;
    })();
    expect(await inTime(work, 50, late)).toBe('late');
    expect(made).toHaveBeenCalledExactlyOnceWith(expect.any(Function), 0);
    made.mockRestore();
  });

  test('leaves nothing behind that would keep a process', async () => {
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    await inTime(later(5, 'done'), 60_000, late);
    expect(cleared).toHaveBeenCalledOnce();
    cleared.mockRestore();
  });
});
