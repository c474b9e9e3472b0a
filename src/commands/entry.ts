import { misuse, refused } from '../base/errors.ts';
import { exists, readArgumentBytes, readStdinBytes, writeAtomically } from '../base/fs/index.ts';
import { counted, thousands } from '../base/text/counts.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import { compilePattern } from '../entries/pattern.ts';
import { pruneOutputs } from '../entries/prune.ts';
import { spellBytes } from '../entries/spill.ts';
import type { EntryInfo } from '../entries/types.ts';
import { editEntry } from './edit.ts';
import {
  fileArgument,
  type Invocation,
  readTextArgument,
  type Takes,
  unreadableFile,
  wholeNumber,
  write as writeOut,
} from './invocation.ts';
import { entriesIn, needSession, needWorkspace, openSession } from './open.ts';
import { localTimes } from './terminal.ts';

type WriteOptions = Takes<'file', 'append'>;

export async function write(
  invocation: Invocation,
  name: string,
  text: string | undefined,
  options: WriteOptions,
): Promise<void> {
  const { file, append = false } = options;
  const entries = await entriesOf(invocation);
  let content: string | Buffer;
  if (text !== undefined && file === undefined && text !== '-') content = text;
  else if (text === undefined && file !== undefined) content = fileBytes(fileArgument(file, invocation));
  else if (text === '-' && file === undefined) content = readStdinBytes();
  else content = readTextArgument(text, file, invocation);
  const origin = file === undefined ? 'write' : `file: ${file}`;
  report(invocation, await entries.write(name, content, { append, origin }));
}

/** Stores a file's bytes as they are. */
export async function load(invocation: Invocation, name: string, file: string): Promise<void> {
  const entries = await entriesOf(invocation);
  const content = fileBytes(fileArgument(file, invocation));
  report(invocation, await entries.write(name, content, { origin: `file: ${file}` }));
}

type ReadOptions = Takes<'offset' | 'limit' | 'regex' | 'context', 'ignoreCase' | 'raw'>;

/** Part of an entry, or the lines that match. */
export async function read(invocation: Invocation, name: string, options: ReadOptions): Promise<void> {
  const entries = await entriesOf(invocation);
  if (options.raw) {
    return writeOut(1, await entries.bytes(name));
  }
  const offset = wholeNumber(options.offset, '--offset', 0);
  if (options.regex !== undefined) {
    const found = await entries.search(name, options.regex, {
      offset,
      context: wholeNumber(options.context, '--context', 0),
      ignoreCase: options.ignoreCase ?? false,
      limit: options.limit === undefined ? undefined : wholeNumber(options.limit, '--limit', 0),
    });
    const lines = found.lines.map(({ line, text, match }) => `${line}${match ? ':' : '-'} ${text}`);
    if (found.nextOffset !== null)
      invocation.note(`more may match: continue with --offset ${found.nextOffset}`);
    else if (found.matches === 0) nothingFound(invocation);
    invocation.result(found, lines.join('\n'));
    return;
  }
  const limit = wholeNumber(options.limit, '--limit', 30_000);
  const piece = await entries.read(name, { offset, limit });
  if (invocation.options.json) invocation.result(piece, '');
  else if (process.stdout.isTTY) invocation.result(piece, piece.content);
  else writeOut(1, piece.content);
  if (piece.nextOffset !== null) {
    const { characters, total, nextOffset } = piece;
    const rest = `${thousands(characters)} of ${thousands(total)} characters; continue with --offset ${nextOffset}`;
    // Nobody asked for a part of it.
    if (options.limit === undefined) invocation.warn([`${rest}, or print all of it with --raw`], 'not kept');
    else invocation.note(rest);
  }
}

type EditOptions = Takes<'content' | 'file' | 'old' | 'new', 'all'>;

const TEXTS = ['content', 'file', 'old', 'new'] as const;

/** Opens an editor unless a text is given. */
export async function edit(invocation: Invocation, name: string, options: EditOptions): Promise<void> {
  const { content, file, old, all = false } = options;
  if (!TEXTS.some((name) => options[name] !== undefined)) {
    return editEntry(invocation, name);
  }
  const whole = content !== undefined || file !== undefined;
  if (whole === (old !== undefined)) {
    throw misuse('an edit takes either new content or a replacement', {
      expected: '--content TEXT (or --file PATH), or --old TEXT --new TEXT [--all]',
    });
  }
  if ((old === undefined) !== (options.new === undefined)) {
    throw misuse('a replacement needs two texts: nothing was changed', {
      expected: '--old TEXT with --new TEXT (--new "" deletes the text)',
      found: old === undefined ? 'only --new' : 'only --old',
    });
  }
  const entries = await entriesOf(invocation);
  const done = await entries.edit(
    name,
    old === undefined
      ? { content: readTextArgument(content, file, invocation) }
      : { oldString: old, newString: options.new ?? '', replaceAll: all },
  );
  report(invocation, done, old === undefined ? '' : `, ${done.replaced} replaced`);
}

export async function list(invocation: Invocation, options: { past?: boolean }): Promise<void> {
  if (options.past) return listPast(invocation);
  const opened = await openSession(invocation);
  await needSession(opened);
  needWorkspace(opened, invocation, 'no entries');
  const all = await (await entriesIn(opened)).list();
  const local = localTimes(opened.config);
  const sizes = all.map((entry) => counted(entry.characters, 'character'));
  const width = Math.max(0, ...sizes.map((size) => size.length));
  const rows = all.map(
    ({ name, created, origin }, k) =>
      `${(sizes[k] ?? '').padStart(width)}  ${local(created)}  ${name}  (${origin})`,
  );
  invocation.result(all, rows.join('\n') || 'no entries yet');
}

async function listPast(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const past = await (await entriesIn(opened)).past();
  const local = localTimes(opened.config);
  const rows = past.map(({ name, bytes, until }) => `${local(until)}  ${name}  (${spellBytes(bytes)})`);
  invocation.result(past, rows.join('\n') || 'nothing was overwritten or deleted recently');
}

type DeleteOptions = Takes<never, 'forGood'>;

/** Deletes one or more entries, or none if one of them does not exist. */
async function deleteEntries(
  invocation: Invocation,
  names: string[],
  { forGood = false }: DeleteOptions,
): Promise<void> {
  const entries = await entriesOf(invocation);
  for (const name of names) await entries.info(name);
  for (const name of names) await entries.delete(name, { forGood });
  const back = names.map((name) => `scratchpad entry undelete ${JSON.stringify(name)}`).join('; ');
  invocation.done(
    { deleted: names },
    `deleted: ${names.join(', ')}${forGood ? '' : `\nrestore with: ${back}`}`,
  );
}

/** Restores the previous content of a name. */
export async function undelete(
  invocation: Invocation,
  name: string,
  options: { back?: string },
): Promise<void> {
  const back = wholeNumber(options.back, '--back', 1, { least: 1 });
  report(invocation, await (await entriesOf(invocation)).undelete(name, back));
}

export async function rename(
  invocation: Invocation,
  from: string,
  to: string,
  options: { force?: boolean },
): Promise<void> {
  report(invocation, await (await entriesOf(invocation)).rename(from, to, options));
}

/** Writes an entry's bytes to a file. */
export async function save(
  invocation: Invocation,
  name: string,
  file: string,
  options: { force?: boolean },
): Promise<void> {
  const entries = await entriesOf(invocation);
  const bytes = await entries.bytes(name);
  const path = fileArgument(file, invocation);
  if (exists(path) && !options.force) {
    throw refused('a file of that name exists: nothing was written', {
      where: path,
      next: 'choose another path, or overwrite it with --force',
    });
  }
  writeAtomically(path, bytes);
  invocation.done({ name, file: path, bytes: bytes.length }, `${path}: ${spellBytes(bytes.length)}`);
}

type SearchOptions = Takes<'context', 'ignoreCase'>;

/** The matching lines of all entries, or of some, at most 100. */
export async function search(
  invocation: Invocation,
  pattern: string,
  names: string[],
  options: SearchOptions,
): Promise<void> {
  const entries = await entriesOf(invocation);
  const wanted = names.length > 0 ? names : (await entries.list()).map(({ name }) => name);
  const context = wholeNumber(options.context, '--context', 0);
  // An invalid pattern is reported even when there is nothing to search.
  await compilePattern(pattern, options.ignoreCase);
  const found = [];
  let left = 100;
  for (const name of wanted) {
    const hits = await entries.search(name, pattern, {
      ignoreCase: options.ignoreCase ?? false,
      context,
      limit: left,
    });
    if (hits.matches > 0) found.push(hits);
    if (hits.nextOffset !== null) {
      const go = `scratchpad entry read ${JSON.stringify(name)} --regex … --offset ${hits.nextOffset}`;
      invocation.note(`more may match in ${name}: ${go}`);
    }
    left -= hits.matches;
    if (left <= 0) break;
  }
  const lines = found.flatMap(({ name, lines: matched }) =>
    matched.map(({ line, text, match }) => `${name}:${line}${match ? ':' : '-'} ${text}`),
  );
  if (lines.length === 0) nothingFound(invocation);
  invocation.result(found, lines.join('\n'));
}

/** Removes old outputs of all sessions. With `--json`: `{dryRun, removed: [{name, bytes, updated}]}`. */
export async function prune(invocation: Invocation, { dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const { workspace, config } = await openSession(invocation);
  const { keep, size } = config.outputs;
  const limits = { ageMs: keep, bytes: size * 1_000_000 };
  const removed = await pruneOutputs(workspace.root, limits, invocation.now, dryRun);
  const lines = removed.map(({ name, bytes, updated }) => `${name}: ${spellBytes(bytes)}, ${updated}`);
  const done = dryRun ? 'would be removed' : 'removed';
  invocation.done({ dryRun, removed }, [...lines, `${removed.length} ${done}`].join('\n'));
}

/** The exit code without a match, as of grep. */
function nothingFound(invocation: Invocation): void {
  invocation.exitCode = 1;
  invocation.note('no line matches');
}

async function entriesOf(invocation: Invocation): Promise<FileEntries> {
  return entriesIn(await openSession(invocation));
}

function report(invocation: Invocation, entry: EntryInfo, more = ''): void {
  const { name, characters, bytes } = entry;
  invocation.done(entry, `${name}: ${counted(characters, 'character')} (${spellBytes(bytes)})${more}`);
}

function fileBytes(path: string): Buffer {
  try {
    return readArgumentBytes(path);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

export { deleteEntries as delete };
