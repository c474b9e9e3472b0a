import { misuse, type ScratchpadError } from '../base/errors.ts';

export interface Address {
  host: string;
  port: number;
  database: string;
  user: string;
  /** Whether the server is on this machine; other connections are encrypted. */
  local: boolean;
  /**
   * `verify-full`: encrypted, and the certificate must name the server. `require`: encrypted, with any
   * server.
   */
  tls: 'off' | 'require' | 'verify-full';
  /** Path of the root certificates; default: those of the system. */
  rootCertificates?: string;
  password?: string;
}

const LOCAL = new Set(['localhost', '127.0.0.1', '::1', '']);
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const EXAMPLE = 'postgres://agents@db.example.com/scratchpad';

/**
 * Parses `postgres://user@host:port/database?sslmode=…&sslrootcert=…`. Missing parts come from the
 * environment variables of all PostgreSQL clients (PGHOST, PGPORT, PGUSER, PGDATABASE, PGSSLMODE,
 * PGSSLROOTCERT).
 * @param kept whether it comes from a file, which may be tracked or copied and so must not contain a password
 * @throws ScratchpadError `usage`, without the address, which may contain a password
 */
export function readAddress(text: string, env: NodeJS.ProcessEnv, { kept }: { kept: boolean }): Address {
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text)) throw unusable('not a PostgreSQL address');
  const url = new URL(text);
  const option = (name: string): string | undefined => url.searchParams.get(name) || undefined;
  const password = decoded(url.password) || option('password');
  if (kept && password !== undefined)
    throw unusable(
      'the address in the settings holds a password',
      'remove it, and pass it with PGPASSWORD, a PGPASSFILE or shared.passwordCommand',
    );
  const host = option('host') ?? (unbracketed(decoded(url.hostname)) || env.PGHOST || 'localhost');
  const user = decoded(url.username) || option('user') || env.PGUSER || env.USER || '';
  if (user === '') throw unusable('the address names no user');
  const local = LOCAL.has(host) || host.startsWith('/');
  const rootCertificates = option('sslrootcert') ?? env.PGSSLROOTCERT;
  return {
    host,
    port: Number(url.port || option('port') || env.PGPORT || 5432),
    database: decoded(url.pathname.slice(1)) || env.PGDATABASE || user,
    user,
    local,
    tls: tlsOf(option('sslmode') ?? env.PGSSLMODE, local),
    rootCertificates,
    password,
  };
}

/** The address for people, and for telling servers apart. */
export function shownAddress({ user, host, port, database }: Address): string {
  return `postgres://${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}

function tlsOf(mode: string | undefined, local: boolean): Address['tls'] {
  if (mode !== undefined && !MODES.includes(mode))
    throw unusable(`sslmode is not one of ${MODES.join(', ')}`);
  if (mode === undefined) return local ? 'off' : 'verify-full';
  if (mode === 'verify-full' || mode === 'verify-ca') return 'verify-full';
  if (mode === 'require') return 'require';
  if (local) return 'off';
  throw unusable(
    `sslmode=${mode} would send the memory of this workspace unencrypted over the network`,
    'remove it: then the connection is encrypted and the server is verified',
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable('the address has an invalid % sequence', 'write % as %25');
  }
}

const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

function unusable(what: string, next?: string): ScratchpadError {
  return misuse(`the address of the shared store is not valid: ${what}`, {
    where: 'store, or SCRATCHPAD_STORE',
    expected: `an address such as ${EXAMPLE}`,
    next,
  });
}
