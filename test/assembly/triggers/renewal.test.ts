import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Renewal } from '../../../src/assembly/triggers/watch.ts';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 1, 6) }));
afterEach(() => void vi.useRealTimers());

function counted() {
  let calls = 0;
  const renewal = new Renewal(() => {
    calls += 1;
  });
  return { renewal, calls: () => calls };
}

test('once, when the span has passed; another span takes its place', () => {
  const { renewal, calls } = counted();
  renewal.in(27 * MINUTE);
  vi.advanceTimersByTime(20 * MINUTE);
  renewal.in(27 * MINUTE);
  vi.advanceTimersByTime(26.9 * MINUTE);
  expect(calls()).toBe(0);
  vi.advanceTimersByTime(MINUTE);
  expect(calls()).toBe(1);
  vi.advanceTimersByTime(100 * MINUTE);
  expect(calls()).toBe(1);
});

test('soon after a night asleep, of which timers know nothing', () => {
  const { renewal, calls } = counted();
  renewal.in(27 * MINUTE);
  vi.advanceTimersByTime(5 * MINUTE);
  vi.setSystemTime(Date.now() + 8 * 60 * MINUTE);
  vi.advanceTimersByTime(MINUTE / 2);
  expect(calls()).toBe(1);
});

test('at once when the clock is set back, and not at all when it is stopped', () => {
  const { renewal, calls } = counted();
  renewal.in(27 * MINUTE);
  vi.advanceTimersByTime(MINUTE);
  vi.setSystemTime(Date.now() - 60 * MINUTE);
  vi.advanceTimersByTime(MINUTE / 2);
  expect(calls()).toBe(1);
  renewal.in(MINUTE);
  renewal.stop();
  vi.advanceTimersByTime(5 * MINUTE);
  expect(calls()).toBe(1);
});
