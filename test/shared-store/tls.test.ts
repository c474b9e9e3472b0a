import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Connection } from '../../src/shared-store/connection.ts';
import { readAddress } from '../../src/shared-store/settings.ts';
import { findPostgres, noPostgres, startPostgres, type TestServer } from '../helpers/postgres.ts';
import { testDir } from '../helpers/test-dir.ts';

const there = findPostgres() !== undefined;
if (!there) console.error(noPostgres());

const PASSWORD = 'correct horse battery staple';
/** The superuser sets the server up from this machine; everybody else needs TLS and a password. */
const ACCESS = [
  'local all all trust',
  'host all postgres 127.0.0.1/32 trust',
  'hostssl all all 127.0.0.1/32 scram-sha-256',
  '',
].join('\n');

describe.runIf(there)('a server that asks for TLS and a password', () => {
  const dir = testDir();
  const open: Connection[] = [];
  let server: TestServer;

  /** A certificate that signs itself, for the server's address. */
  function certificate(name: string): { key: string; certificate: string } {
    const [key, certificate] = [join(dir, `${name}.key`), join(dir, `${name}.crt`)];
    const words = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1`;
    execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    return { key, certificate };
  }

  async function ask(options: string, password = PASSWORD): Promise<unknown> {
    const address = readAddress(`${server.url('agents')}${options}`, {}, { isStored: false });
    const { rootCertificates } = address;
    const connection = new Connection({
      address,
      password: async () => password,
      timeoutMs: 5000,
      ...(rootCertificates && { certificates: readFileSync(rootCertificates, 'utf8') }),
    });
    open.push(connection);
    const [row] = await connection.query<{ ssl: boolean }>(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    );
    return row?.ssl;
  }

  const own = there ? certificate('server') : { key: '', certificate: '' };

  beforeAll(async () => {
    server = await startPostgres({
      settings: { fsync: 'off', ssl: 'on', password_encryption: 'scram-sha-256' },
      files: {
        'pg_hba.conf': ACCESS,
        'server.key': readFileSync(own.key, 'utf8'),
        'server.crt': readFileSync(own.certificate, 'utf8'),
      },
    });
    server.sql(`CREATE ROLE agents LOGIN PASSWORD '${PASSWORD}'`);
  });
  afterAll(async () => {
    for (const connection of open) connection.close();
    await server?.stop();
  });

  test('is talked to encrypted, with the certificate checked or not, as the address says', async () => {
    expect(await ask(`?sslmode=verify-full&sslrootcert=${own.certificate}`)).toBe(true);
    expect(await ask('?sslmode=require')).toBe(true);
  });

  test('is refused where another certificate, or one that the system knows, was expected', async () => {
    const other = certificate('other');
    for (const options of [`?sslmode=verify-full&sslrootcert=${other.certificate}`, '?sslmode=verify-full'])
      await expect(ask(options)).rejects.toMatchObject({
        detail: { found: expect.stringContaining('certificate') },
      });
  });

  test('refuses a wrong password and a line without TLS; no password is in the error', async () => {
    const wrong: Error = await ask('?sslmode=require', 'wrong horse').then(
      () => new Error('let in'),
      (error: Error) => error,
    );
    expect(JSON.stringify(wrong) + wrong.message).not.toMatch(/let in|horse/);
    await expect(ask('')).rejects.toThrow();
  });
});
