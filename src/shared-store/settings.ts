import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ScratchpadError, usageError } from '../base/errors.ts';
import { tryReadText, tryStat } from '../base/fs/index.ts';
import { createCommandRunner } from '../config/runner.ts';
import type { Config } from '../config/settings.ts';

export interface Address {
  host: string;
  port: number;
  database: string;
  user: string;
  /**
   * `verify-full`: encrypted, and the certificate must name the server. `require`: encrypted, with any server.
   * `off` only for a server on this machine.
   */
  tls: 'off' | 'require' | 'verify-full';
  /** Path of the root certificates; default: those of the system. */
  rootCertificates?: string;
  password?: string;
}

export interface StoreSettings {
  address: Address;
  /**
   * Whether the store is set for all of the user's workspaces. Each of them must then join it: a note for one
   * client must not turn up with another because both are on one machine.
   */
  isUserWide: boolean;
  tenant: string | undefined;
  redact: boolean;
  /** PEM. */
  certificates: string | undefined;
  password: () => Promise<string | undefined>;
}

const COMMAND_MS = 10_000;

/** The shared store of a workspace; `undefined` if none is set. @throws ScratchpadError `usage` for an invalid address */
export function readStoreSettings(
  root: string,
  config: Config,
  env: NodeJS.ProcessEnv,
): StoreSettings | undefined {
  const isUserWide = !env.SCRATCHPAD_STORE;
  const text = env.SCRATCHPAD_STORE || config.store;
  if (text === undefined) return undefined;

  const address = readAddress(text, env, { isStored: isUserWide });
  const { rootCertificates: pem } = address;
  const { tenant, redact, passwordCommand } = config.shared;

  return {
    address,
    isUserWide,
    tenant,
    redact,
    certificates: pem === undefined ? undefined : tryReadText(pem, 'config'),
    password: async () => {
      if (address.password !== undefined || passwordCommand === undefined)
        return address.password ?? (env.PGPASSWORD || findPassword(env, address));
      const printed = await createCommandRunner(root, env)(passwordCommand, '', { timeoutMs: COMMAND_MS });
      return printed.replace(/\r?\n$/, '');
    },
  };
}

/**
 * Parses `postgres://user@host:port/database?sslmode=…&sslrootcert=…`; user, host, port and dbname may be parameters,
 * too. The user defaults to that of this machine, the database to the user's name.
 * @param isStored whether it comes from a file, which may be tracked or copied and so must not contain a password
 * @throws ScratchpadError `usage`, without the address, which may contain a password
 */
export function readAddress(
  text: string,
  env: NodeJS.ProcessEnv,
  { isStored }: { isStored: boolean },
): Address {
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text))
    throw invalidAddress('not a PostgreSQL address');

  const url = new URL(text);
  const readOption = (name: string): string | undefined => url.searchParams.get(name) || undefined;
  const password = decodePart(url.password) || readOption('password');

  if (isStored && password !== undefined)
    throw invalidAddress(
      'the address in the settings holds a password',
      'remove it, and pass it with PGPASSWORD, a PGPASSFILE or shared.passwordCommand',
    );

  const host = readOption('host') || decodePart(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost';
  const user = decodePart(url.username) || readOption('user') || env.USER;
  if (!user) throw invalidAddress('the address names no user');

  const port = Number(url.port || readOption('port') || 5432);
  if (!(port > 0 && port < 65_536)) throw invalidAddress('the port is not a number from 1 to 65535');

  return {
    host,
    port,
    database: decodePart(url.pathname.slice(1)) || readOption('dbname') || user,
    user,
    tls: chooseTls(host, readOption('sslmode')),
    rootCertificates: readOption('sslrootcert'),
    password,
  };
}

/** The address for people, and for telling servers apart. */
export const formatAddress = ({ user, host, port, database }: Address): string =>
  `postgres://${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;

function chooseTls(host: string, mode: string | undefined): Address['tls'] {
  const isLocal = ['localhost', '127.0.0.1', '::1'].includes(host) || host.startsWith('/');
  if (mode === 'require') return 'require';
  if (mode === undefined ? !isLocal : mode.startsWith('verify-')) return 'verify-full';
  if (isLocal) return 'off';

  throw invalidAddress(
    `sslmode=${mode} would send the memory of this workspace unencrypted over the network`,
    'remove it: then the connection is encrypted and the server is verified',
  );
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidAddress('the address has an invalid % sequence', 'write % as %25');
  }
}

const invalidAddress = (what: string, next?: string): ScratchpadError =>
  usageError(`the address of the shared store is not valid: ${what}`, {
    where: 'store, or SCRATCHPAD_STORE',
    expected: 'an address such as postgres://agents@db.example.com/scratchpad',
    next,
  });

/**
 * Looks up a server's password in a password file: lines of `host:port:database:user:password`, with `*` for
 * any, and `\` before a `:` or `\` that is meant: https://www.postgresql.org/docs/current/libpq-pgpass.html. A file
 * that others can read is ignored, as by PostgreSQL's own programs.
 */
function findPassword(env: NodeJS.ProcessEnv, { host, port, database, user }: Address): string | undefined {
  const file = env.PGPASSFILE || join(env.HOME || homedir(), '.pgpass');
  const mode = tryStat(file)?.mode ?? 0;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) return undefined;

  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of (tryReadText(file, 'config') ?? '').split(/\r?\n/)) {
    const fields = [...line.matchAll(/(?:^|:)((?:\\.|[^\\:])*)/g)].map(([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    );
    if (!line.startsWith('#') && wanted.every((value, k) => fields[k] === '*' || fields[k] === value))
      return fields.slice(4).join(':');
  }

  return undefined;
}
