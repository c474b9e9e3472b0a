import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPersonal, passesIban, passesLuhn } from '../../../src/base/safety/known.ts';

describe('card numbers', () => {
  it.each([
    '4111 1111 1111 1111',
    '5555-5555-5555-4444',
    '378282246310005',
    '6011111111111117',
    '3530111333300000',
  ])('finds %s', (number) => {
    expect(findPersonal(`card ${number}, thanks`)).toMatchObject([{ kind: 'card number', start: 5 }]);
  });

  it.each([
    '4111 1111 1111 1112',
    '1770346800000000',
    '0000 0000 0000 0000',
    'v4111111111111111',
    '4111-1111-1111-1111-1',
  ])('leaves %s', (number) => {
    expect(findPersonal(number)).toEqual([]);
  });

  it('accepts one check digit in ten', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{15}$/), (body) => {
        expect([...'0123456789'].filter((digit) => passesLuhn(body + digit))).toHaveLength(1);
      }),
    );
  });
});

describe('IBANs', () => {
  it.each([
    'DE89370400440532013000',
    'GB82 WEST 1234 5698 7654 32',
    'fr14 2004 1010 0505 0001 3m02 606',
    'NO9386011117947',
  ])('finds %s', (iban) => {
    expect(findPersonal(`to ${iban} please`)).toMatchObject([
      { kind: 'IBAN', start: 3, end: 3 + iban.length },
    ]);
  });

  it.each(['DE88370400440532013000', 'XX89370400440532013000', 'DE89 3704 0044'])('leaves %s', (text) => {
    expect(findPersonal(text)).toEqual([]);
  });

  it('checks by the remainder', () => {
    expect(passesIban('BE68539007547034')).toBe(true);
    expect(passesIban('BE68539007547035')).toBe(false);
    expect(passesIban('BE68 5390')).toBe(false);
  });
});
