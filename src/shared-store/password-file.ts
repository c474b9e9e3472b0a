import { join } from 'node:path';
import { tryReadText, tryStat } from '../fs/index.ts';
import type { Address } from './address.ts';

/**
 * The password that a password file has for a server: `host:port:database:user:password` a line, `*` for any, as
 * https://www.postgresql.org/docs/current/libpq-pgpass.html says. A file that others can read is passed over, as
 * PostgreSQL's own programs do.
 */
export function passwordFrom(env: NodeJS.ProcessEnv, address: Address): string | undefined {
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

/** The fields of a line; a backslash takes `:` and `\` for themselves. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|:)((?:\\[\s\S]|[^\\:])*)/g)].map(([, field = '']) =>
    field.replace(/\\([\s\S])/g, '$1'),
  );
}
