import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { type Json, object, type Place } from './hosts/host.ts';

/** Copies a file of the person's home to the same place of the temporary one, if it is there. */
export function copied({ person, home }: Place, path: string): boolean {
  if (!existsSync(join(person, path))) return false;
  mkdirSync(dirname(join(home, path)), { recursive: true });
  cpSync(join(person, path), join(home, path), { recursive: true });
  if (!path.endsWith('/')) chmodSync(join(home, path), 0o600);
  return true;
}

/** A JSON file of a home, with comments allowed; empty if it is not there. @throws Error if it is something else */
export function json(home: string, path: string): Json {
  const file = join(home, path);
  if (!existsSync(file)) return {};
  const errors: ParseError[] = [];
  const read = parse(readFileSync(file, 'utf8'), errors, { allowTrailingComma: true });
  if (errors.length > 0) throw new Error(`${file} is not JSON, even with comments: it is not taken over.`);
  return object(read);
}

export function write(home: string, path: string, content: Json | string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
  writeFileSync(join(home, path), text, { mode: 0o600 });
}

export const only = (from: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));

/** The state of the person's configuration, by file: a digest, or that it is not there. */
export const stateOf = (person: string, paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    paths.map((path) => {
      const file = join(person, path);
      if (!existsSync(file)) return [path, 'not there'];
      return [path, createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16)];
    }),
  );

/** A JSON file of ours; nothing if it is not there, or not whole. */
export const readJson = <T>(file: string): T | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
};

/** Never half a file: what was interrupted is not there. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

export const writeJson = (file: string, value: unknown): void =>
  writeWhole(file, `${JSON.stringify(value, null, 1)}\n`);

/** Without caches and sockets, which are made again; a host's servers may still be writing when it has been ended. */
export async function copyOf(from: string, to: string): Promise<void> {
  const filter = (path: string): boolean =>
    !/\/home\/\.cache\/|\.tmp$/.test(path) && !lstatSync(path, { throwIfNoEntry: false })?.isSocket();
  for (let tries = 1; ; tries += 1) {
    try {
      cpSync(from, to, { ...COPY, filter });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 5) throw error;
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}

export const COPY = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };

/** Sets the times of all files in a folder back. */
export function makeOlder(folder: string, ms: number): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const time = (statSync(path).mtimeMs - ms) / 1000;
    utimesSync(path, time, time);
  }
}

/** Clears a place in which a process that a host left behind may still be writing. */
export function remove(folder: string): void {
  if (!existsSync(folder)) return;
  const gone = `${folder}.${Date.now()}.gone`;
  renameSync(folder, gone);
  try {
    rmSync(gone, { recursive: true, force: true });
  } catch {
    // It lies in the temporary folder, beside what is needed.
  }
}
