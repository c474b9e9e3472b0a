import type { Config } from '../config/config.ts';
import { commandRunner } from '../config/runner.ts';
import { tryReadText } from '../fs/index.ts';
import { type Address, readAddress } from './address.ts';

/** How this workspace uses a shared store. */
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

/** How long a command may take to print the password. */
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
  const { passwordFrom } = await import('./password-file.ts');
  return passwordFrom(env, address);
}
