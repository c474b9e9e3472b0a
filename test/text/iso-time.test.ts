import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoUtc } from '../../src/text/iso-time.ts';

describe('isoUtc', () => {
  test('writes any date as toISOString does', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(isoUtc(date.getTime())).toBe(date.toISOString());
      }),
    );
  });

  test.each([
    0, -1, 0.5, -0.5, 951_782_399_999, 951_782_400_000, 253_402_300_799_999, 253_402_300_800_000,
    -30_610_224_000_001, 8.64e15,
  ])('%d', (ms) => {
    expect(isoUtc(ms)).toBe(new Date(ms).toISOString());
  });

  test('what is no date is refused as toISOString refuses it', () => {
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])
      expect(() => isoUtc(ms)).toThrow(RangeError);
  });
});
