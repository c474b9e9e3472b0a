import { refusal, usageError } from '../base/errors.ts';
import { readStdinBytes } from '../base/fs/index.ts';
import { formatCall } from '../base/text/shell.ts';
import { formatCount, formatThousands } from '../base/text/strings.ts';
import { isWithheld } from '../core/hide-untrusted.ts';
import { readSessionId } from '../core/session-folders.ts';
import { listAllEntries } from '../entries/across-sessions.ts';
import { countCharactersOfBytes } from '../entries/contents.ts';
import type { FileEntries } from '../entries/file-entries.ts';
import { findEntry } from '../entries/index-file.ts';
import { choosePlace, findHolder, findPastHolder, listReachable } from '../entries/reach.ts';
import { describePastEnd, formatEntryCall } from '../entries/refusals.ts';
import { describeFormer, formatBytes } from '../entries/spill.ts';
import type { EntryInfo, EntryMatches, EntryText } from '../entries/types.ts';
import { detectActor } from '../session/actor.ts';
import { type Arguments, type CommandDefinition, defineCommand } from './command.ts';
import { type Invocation, readInput, readTextArgument, resolveFile, write } from './invocation.ts';
import { listEntryPlaces, type OpenPad, openKnown, openSession } from './open.ts';
import { makeTimeFormatter, NOTHING_FOUND, renderColumns } from './print.ts';

export const READING = {
  '--offset <n|0>': 'how many characters to skip',
  '--tail <n>': 'only the last lines, so many',
  '-n, --limit <n|0>':
    'at most this many characters (default 30,000), with --regex this many lines (default 100)',
  '-e, --regex <pattern>': 'print only matching lines, with their numbers (RE2 syntax; (?i) ignores case)',
  '-C, --context <n|0>': 'lines to show around each match',
  '--raw': 'print all of its bytes unchanged',
};
const EDITING = {
  '--content <text>': 'the new content',
  '-f, --file <path>': 'read the new content from a file',
  '--old <text>': 'the text to replace',
  '--new <text>': 'the new text; "" deletes the old one',
  '--all': 'replace every match',
};

export const entry: CommandDefinition = {
  examples: [
    'curl -s https://example.com/api | scratchpad entry write response -',
    'scratchpad entry read response --offset 30000',
  ],
  verbs: {
    write: defineCommand({
      about: 'store a content under a name; overwrites an entry of that name',
      takes: {
        '<name>': 'up to 200 characters',
        '[text]': 'the content, or - for the bytes of stdin',
        '-f, --file <path>': 'store the bytes of a file',
        '-a, --append': 'append to the entry',
      },
      examples: ['curl -s https://example.com/api | scratchpad entry write response -'],
      run: async (call, { name, text, file, append = false }) => {
        const places = await listEntryPlaces(await openSession(call));
        // An entry that grows stays in its session.
        const target = (append ? findHolder(places, name) : undefined) ?? places[0];
        const content = readContent(text, file, call);
        const origin = file === undefined ? 'write' : `file: ${file}`;
        report(call, await target.write(name, content, { append, origin }));
      },
    }),
    read: defineCommand({
      about: 'print part of an entry, or the lines that match',
      takes: { '<name>': 'the entry', ...READING },
      examples: [
        'scratchpad entry read execute_command_1 --offset 30000',
        'scratchpad entry read build -e "error|warn" -C 2',
      ],
      run: async (call, { name, ...reading }) => {
        const opened = await openSession(call);
        const places = await listEntryPlaces(opened);
        if (findHolder(places, name) === undefined) throwIfForeign(opened, name);
        return readEntry(call, choosePlace(places, name), name, reading);
      },
    }),
    edit: defineCommand({
      about: 'replace the whole content, or a text that occurs exactly once',
      takes: { '<name>': 'the entry', ...EDITING },
      run: async (call, { name, ...typed }) => {
        const change = parseEdit(call, typed);
        const entry = await (await findEntryPlace(call, name)).edit(name, change);
        report(call, entry, 'content' in change ? '' : `, ${entry.replaced} replaced`);
      },
    }),
    list: defineCommand({
      about: 'list all entries with size, time and origin',
      aliases: ['ls'],
      isDefault: true,
      takes: { '--past': 'list overwritten and deleted entries that can be restored' },
      run: (call, { past }) => (past ? listPastEntries(call) : listEntries(call)),
    }),
    delete: defineCommand({
      about: 'delete entries; their last versions are kept for a while',
      aliases: ['rm'],
      takes: { '<names...>': 'the entries', '--for-good': 'delete them permanently' },
      run: async (call, { names: typed, forGood = false }) => {
        const names = [...new Set(typed)];
        const places = await listEntryPlaces(await openSession(call));
        const targets = names.map((name) => {
          const pastHolder = forGood ? findPastHolder(places, name) : undefined;
          return { name, place: findHolder(places, name) ?? pastHolder ?? choosePlace(places, name) };
        });

        // One that is missing or read-only is refused before any other is deleted.
        for (const { place, name } of targets) place.requireDeletable(name, forGood);
        for (const { place, name } of targets) await place.delete(name, { forGood });

        const { session } = call.options;
        const back = names.map((name) => formatEntryCall('undelete', name, [], session)).join('; ');
        call.report({ deleted: names }, [
          `deleted: ${names.join(', ')}`,
          !forGood && `restore with: ${back}`,
        ]);
      },
    }),
    undelete: defineCommand({
      about: 'restore an entry as it was before it was overwritten or deleted',
      takes: { '<name>': 'the entry', '--back <n>': 'how many versions back (1)' },
      run: async (call, { name, back = 1 }) => {
        const places = await listEntryPlaces(await openSession(call));
        const place = findPastHolder(places, name) ?? choosePlace(places, name);
        report(call, await place.undelete(name, back));
      },
    }),
    rename: defineCommand({
      about: 'rename an entry',
      aliases: ['mv'],
      takes: {
        '<name>': 'the entry',
        '<to>': 'its new name',
        '--force': 'overwrite an existing entry of that name',
      },
      run: async (call, { name, to, force }) =>
        report(call, await (await findEntryPlace(call, name)).rename(name, to, { force })),
    }),
  },
};

async function listEntries(call: Invocation): Promise<void> {
  const opened = await openKnown(call, 'no entries');
  const formatTime = makeTimeFormatter(opened.config);
  const entries = (await listReachable(await listEntryPlaces(opened))).map(({ info }) => info);
  const rows = entries.map(({ name, characters, created, origin }) => [
    formatCount(characters, 'character'),
    formatTime(created),
    `${name}  (${origin})`,
  ]);

  const empty = isWithheld(opened.pad)
    ? 'entries are withheld until the person approves them'
    : 'no entries yet';
  call.print(entries, rows.length > 0 ? renderColumns(rows, [0]) : empty);
  if (rows.length === 0) noteEntriesElsewhere(call, opened);
}

export function noteEntriesElsewhere(call: Invocation, opened: OpenPad): void {
  const [other] = detectActor(call.env).session === undefined ? listEntriesElsewhere(opened) : [];
  if (other) call.note(`another session has some: ${formatCall('-s', other.id, 'entry', 'list')}`);
}

async function listPastEntries(call: Invocation): Promise<void> {
  const opened = await openKnown(call);
  const formatTime = makeTimeFormatter(opened.config);
  const places = await listEntryPlaces(opened);
  const versions = (await Promise.all(places.map((place) => place.past()))).flat();
  const rows = versions.map(
    ({ name, bytes, until }) => `${formatTime(until)}  ${name}  (${formatBytes(bytes)})`,
  );

  call.print(versions, rows.length > 0 ? rows : 'nothing was overwritten or deleted recently');
}

function parseEdit(
  call: Invocation,
  { content, file, old: oldString, new: newString, all: replaceAll }: Arguments<typeof EDITING>,
) {
  const isWhole = (content ?? file) !== undefined;
  if (isWhole && (oldString ?? newString ?? replaceAll) === undefined)
    return { content: readTextArgument(content, file, call) };
  if (!isWhole && oldString !== undefined && newString !== undefined)
    return { oldString, newString, replaceAll };

  throw usageError('an edit takes new content, or a text and what replaces it: nothing was changed', {
    expected: '--content TEXT, --file PATH, or --old TEXT --new TEXT [--all]; --new "" deletes the text',
  });
}

export async function readEntry(
  call: Invocation,
  entries: FileEntries,
  name: string,
  { raw, regex, limit, offset = 0, tail, context = 0 }: Arguments<typeof READING>,
): Promise<void> {
  if (raw && ((regex ?? limit ?? tail) !== undefined || offset > 0 || context > 0))
    throw usageError('--raw prints all of an entry', { expected: '--raw, or options for a part of it' });
  if (tail !== undefined && offset > 0)
    throw usageError('--offset and --tail both say where to begin', { expected: 'one of them' });
  if (context > 0 && regex === undefined)
    throw usageError('--context needs the matches of --regex', { expected: '--regex PATTERN' });

  if (raw) return write(1, await entries.bytes(name));

  const end = offset > 0 && describePastEnd(offset, (await entries.read(name, { limit: 0 })).total);
  if (end) call.note(end);

  const from = tail === undefined ? offset : await findLastLines(entries, name, tail);
  if (regex !== undefined)
    return printMatches(call, await entries.search(name, regex, { offset: from, context, limit }));
  printPart(call, await entries.read(name, { offset: from, limit }), limit !== undefined);
}

function printMatches(call: Invocation, result: EntryMatches): void {
  const { lines, matches, nextOffset } = result;
  if (nextOffset !== null) call.note(`more may match: continue with --offset ${nextOffset}`);
  else if (matches === 0) {
    call.exitCode = NOTHING_FOUND;
    call.note('no line matches');
  }

  call.print(
    result,
    lines.map(({ line, text, match }) => `${line}${match ? ':' : '-'} ${text}`),
  );
}

function printPart(call: Invocation, part: EntryText, isLimited: boolean): void {
  const { content, nextOffset, characters, total } = part;
  const { json, quiet } = call.options;
  // Into a pipe or a file go the characters alone, without a line feed at the end.
  const isExact = !json && !process.stdout.isTTY;

  if (isExact) write(1, content);
  else call.print(part, content);
  if (nextOffset === null) return;

  // The notice begins a line of its own where stderr goes to the same place.
  if (isExact && !content.endsWith('\n') && !(quiet && isLimited)) write(2, '\n');
  const rest = `${formatThousands(characters)} of ${formatThousands(total)} characters; continue with --offset ${nextOffset}`;
  // Without a limit nobody asked for a part.
  if (isLimited) call.note(rest);
  else call.warn([`${rest}, or print all of it with --raw`], 'always');
}

const LF = 10;

function readContent(text: string | undefined, file: string | undefined, call: Invocation): string | Buffer {
  if (file !== undefined && text === undefined) return readInput(resolveFile(file, call));
  return file === undefined && text === '-' ? readStdinBytes() : readTextArgument(text, file, call);
}

/** @returns how many characters stand before the last lines */
async function findLastLines(entries: FileEntries, name: string, count: number): Promise<number> {
  const bytes = await entries.bytes(name);
  let start = bytes.length;
  // A line feed at the very end begins no line.
  for (let left = count; left > 0 && start > 0; left -= 1)
    start = start < 2 ? 0 : bytes.lastIndexOf(LF, start - 2) + 1;
  return countCharactersOfBytes(bytes.subarray(0, start));
}

const findEntryPlace = async (call: Invocation, name: string): Promise<FileEntries> =>
  choosePlace(await listEntryPlaces(await openSession(call)), name);

function report(call: Invocation, info: EntryInfo, more = ''): void {
  const { name, characters, bytes } = info;
  call.report(
    info,
    `${name}: ${formatCount(characters, 'character')} (${formatBytes(bytes)})${more}${describeFormer(info, call.options.session)}`,
  );
}

/** @throws ScratchpadError `refused` if only another session has an entry of that name */
export function throwIfForeign(opened: OpenPad, name: string): void {
  const others = listEntriesElsewhere(opened).filter(({ entries }) => findEntry(entries.index(), name));
  const [newest, ...older] = others.map(({ id }) => id);
  if (newest === undefined) return;
  throw refusal('the entry belongs to another session', {
    found: `${name}, of session ${[newest, ...older].join(', ')}`,
    next: { to: 'read it', command: formatCall('-s', newest, 'entry', 'read', name) },
  });
}

/** The entries of other sessions, the newest first; none if a session is named. */
export const listEntriesElsewhere = ({ isNamed, pad, store }: OpenPad) =>
  (isNamed ? [] : listAllEntries(pad.root))
    .filter(({ dir }) => dir !== store.paths.dir)
    .sort((a, b) => b.at - a.at)
    .map(({ dir, entries }) => ({ id: readSessionId(dir), entries }));
