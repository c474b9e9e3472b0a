import { join } from 'node:path';
import { tryReadText, tryStat } from '../fs/index.ts';
import type { Address } from './address.ts';

/**
 * Looks up a server's password in a password file: lines of `host:port:database:user:password`, with `*` for
 * any, as in https://www.postgresql.org/docs/current/libpq-pgpass.html. A file that others can read is
 * ignored, as by PostgreSQL's own programs.
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

/** The fields of a line; a backslash escapes `:` and `\`. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|:)((?:\\[\s\S]|[^\\:])*)/g)].map(([, field = '']) =>
    field.replace(/\\([\s\S])/g, '$1'),
  );
}
