import { join } from 'node:path';
import { ScratchpadError } from '../errors.ts';
import { argumentStream, exists, readArgument, statOf, tryStat, writeStream } from '../fs/index.ts';
import { listCounts } from '../text/counts.ts';
import type { Packed } from '../transfer/archive.ts';
import type { Imported } from '../transfer/import.ts';
import { type Invocation, write } from './invocation.ts';
import { openSession } from './open.ts';
import { fileArgument } from './reach.ts';

/** Writes the whole workspace as one file, or with `-` to stdout. Shape with `--json`: `{file, sessions, entries, trails}`. */
async function exportTo(
  invocation: Invocation,
  file: string,
  { redact = false }: { redact?: boolean },
): Promise<void> {
  const { pad } = await openSession(invocation);
  const { pack } = await import('../transfer/archive.ts');
  const path = fileArgument(file, invocation);
  const counts: Packed = { sessions: 0, entries: 0, trails: 0 };
  if (file === '-') {
    for await (const line of pack(pad, redact, counts)) write(1, line);
    return invocation.note(`exported ${spell(counts)}`);
  }
  if (exists(path))
    throw new ScratchpadError('refused', 'the file exists already: nothing was written', {
      where: path,
      next: 'name another file, or remove this one',
    });
  await writeStream(path, pack(pad, redact, counts), 0o600);
  invocation.done({ file: path, ...counts }, `exported ${spell(counts)} to ${path}`);
}

/** Takes in what `export` wrote, or the memory of another tool. Shape with `--json`: `{sessions, entries, trails, warnings}`. */
async function importFrom(invocation: Invocation, from: string): Promise<void> {
  const opened = await openSession(invocation);
  const path = fileArgument(from, invocation);
  const { isArchive } = await import('../transfer/archive.ts');
  const { PLANNING_FILES, readForeign } = await import('../transfer/foreign.ts');
  const { importArchive, importParcel, notImportable } = await import('../transfer/import.ts');
  if (tryStat(path) === undefined)
    throw new ScratchpadError('usage', 'no such file', {
      where: path,
      expected: 'a path to import',
    });
  const folder = statOf(path)?.isDirectory() ?? false;
  opened.mayMake();
  let done: Imported;
  if (!folder && isArchive(await firstLine(path))) done = await importArchive(opened.pad, path);
  else {
    const paths = folder
      ? [...PLANNING_FILES, '.beads/issues.jsonl', 'issues.jsonl']
          .map((name) => join(path, name))
          .filter(exists)
      : [path];
    const parcel = readForeign(paths.map((each) => ({ name: nameOf(each), text: readArgument(each) })));
    if (parcel === undefined) throw notImportable(path);
    done = await importParcel(opened.pad, opened.store.paths.session, parcel);
  }
  invocation.warn(done.warnings);
  const nothing = done.sessions + done.entries + done.trails === 0;
  invocation.done(done, nothing ? 'nothing new: all of it is here already' : `imported ${spell(done)}`);
}

async function firstLine(path: string): Promise<string> {
  for await (const piece of argumentStream(path)) return piece.toString().split('\n', 1)[0] ?? '';
  return '';
}

const nameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

function spell({ sessions, entries, trails }: Packed): string {
  return listCounts([
    [sessions, 'session', 'sessions'],
    [entries, 'entry', 'entries'],
    [trails, 'trail', 'trails'],
  ]);
}

export { exportTo as export, importFrom as import };
