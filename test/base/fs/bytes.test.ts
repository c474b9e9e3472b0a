import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBytes, encodeBytes } from '../../../src/base/fs/index.ts';
import { runs } from '../../helpers/runs.ts';

test('any bytes come back as they were', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.array(
      fc.constantFrom(0xed, 0xb2, 0x80, 0xf0, 0x9f, 0x98, 0xc3, 0xa9, 0xff, 0x41, 0x00, 0xef, 0xbf, 0xbd),
    ),
  );
  fc.assert(
    fc.property(bytes, (raw) => {
      const buffer = Buffer.from(raw as Uint8Array | number[]);
      expect(encodeBytes(decodeBytes(buffer)).equals(buffer)).toBe(true);
    }),
    { numRuns: runs(200) },
  );
});

test('text that is UTF-8 is read as it is, the replacement character too', () => {
  expect(decodeBytes(Buffer.from('a \ufffd 😀 é'))).toBe('a \ufffd 😀 é');
});
