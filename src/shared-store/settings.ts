import { join } from 'node:path';
import { tryReadText, tryStat } from '../base/fs/index.ts';
import type { Config } from '../config/config.ts';
import { commandRunner } from '../config/runner.ts';
import { type Address, readAddress } from './address.ts';

export interface StoreSettings {
  address: Address;
  /**
   * Whether the store is set for all of the user's workspaces. Each of them must then join it: a note for one
   * client must not turn up with another because both are on one machine.
   */
  forAll: boolean;
  tenant: string | undefined;
  redact: boolean;
  /** Bytes. */
  largestEntry: number;
  /** PEM. */
  certificates: string | undefined;
  password: () => Promise<string | undefined>;
}

const COMMAND_MS = 10_000;

/**
 * The shared store of a workspace; `undefined` if none is set.
 * @param given an address passed to the library
 * @throws ScratchpadError `usage` for an invalid address
 */
export function storeSettings(
  root: string,
  config: Config,
  env: NodeJS.ProcessEnv,
  given?: string,
): StoreSettings | undefined {
  const named = given ?? (env.SCRATCHPAD_STORE || undefined);
  const text = named ?? config.store;
  if (text === undefined) return undefined;
  const address = readAddress(text, env, { kept: named === undefined });
  const { tenant, redact, largestEntry } = config.shared;
  return {
    address,
    forAll: named === undefined,
    tenant,
    redact,
    largestEntry: largestEntry * 1024 * 1024,
    certificates:
      address.rootCertificates === undefined ? undefined : tryReadText(address.rootCertificates, 'config'),
    password: () => passwordOf(root, config, env, address),
  };
}

/** From the address, a command, the environment, or the password file of PostgreSQL's own programs. */
async function passwordOf(
  root: string,
  config: Config,
  env: NodeJS.ProcessEnv,
  address: Address,
): Promise<string | undefined> {
  if (address.password !== undefined) return address.password;
  const command = config.shared.passwordCommand;
  if (command !== undefined) {
    const printed = await commandRunner(root, env)(command, '', { timeoutMs: COMMAND_MS });
    return printed.replace(/\r?\n$/, '');
  }
  if (env.PGPASSWORD) return env.PGPASSWORD;
  return passwordFrom(env, address);
}

/**
 * Looks up a server's password in a password file: lines of `host:port:database:user:password`, with `*` for
 * any, as in https://www.postgresql.org/docs/current/libpq-pgpass.html. A file that others can read is
 * ignored, as by PostgreSQL's own programs.
 */
function passwordFrom(env: NodeJS.ProcessEnv, address: Address): string | undefined {
  const file = env.PGPASSFILE || (env.HOME ? join(env.HOME, '.pgpass') : undefined);
  if (file === undefined) return undefined;
  const mode = tryStat(file)?.mode;
  if (mode === undefined || (process.platform !== 'win32' && (mode & 0o077) !== 0)) return undefined;
  const { host, port, database, user } = address;
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of (tryReadText(file, 'config') ?? '').split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    if (fields.length < 5 || !wanted.every((value, k) => fields[k] === '*' || fields[k] === value)) continue;
    return fields.slice(4).join(':');
  }
  return undefined;
}

/** The fields of a line; a backslash escapes `:` and `\`. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|:)((?:\\[\s\S]|[^\\:])*)/g)].map(([, field = '']) =>
    field.replace(/\\([\s\S])/g, '$1'),
  );
}
