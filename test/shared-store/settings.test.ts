import { expect, test } from 'vitest';
import { readAddress } from '../../src/shared-store/settings.ts';

const read = (address: string) => readAddress(address, { USER: 'me' }, { isStored: true });

test('an address may name its parts as parameters, as PostgreSQL reads them', () => {
  const parts = { host: '/run/pg', port: 5433, user: 'ann', database: 'pads' };
  expect(read('postgres:///?host=/run/pg&port=5433&user=ann&dbname=pads')).toMatchObject(parts);
  expect(read('postgres://localhost')).toMatchObject({ port: 5432, user: 'me', database: 'me' });
  expect(() => read('postgres://localhost/pads?port=none')).toThrow('the port is not a number');
});
