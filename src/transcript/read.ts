import { usageError } from '../base/errors.ts';
import type { JsonObject } from '../base/text/json.ts';
import { toOneLine } from '../base/text/prose.ts';
import { digestText } from '../base/text/strings.ts';
import type { Format, SessionEvent } from './event.ts';
import { Fold } from './fold.ts';
import { FORMATS } from './formats/index.ts';
import { DEFAULT_LIMIT, type Position, type Reading, type SessionOptions } from './reading.ts';
import { createRecord, type Item, listItems, type SessionRecord, tracePath } from './record.ts';
import {
  BLOCK,
  type ByteSource,
  createMemorySource,
  findLineStart,
  MAX_LINE,
  parseRows,
  readLines,
  recognise,
  withSource,
} from './source.ts';
import type { Message, ReadOptions, Sign, SkippedRows, Transcript } from './types.ts';

export type * from './reading.ts';
export type * from './types.ts';

const MOST_BYTES = 16 * 1024 * 1024;
const MARK_BYTES = 256;

/**
 * Reads a session forward: from where an earlier reading stopped, or from its start. The format is recognized by the
 * content. A last line that is still being written is left for the next time.
 * @throws {ScratchpadError} `usage` for a missing file, a directory or an unknown format, `environment` if
 * the file cannot be read
 */
export async function readSession(path: string, options: SessionOptions): Promise<Reading> {
  return withSource(path, async (bytes) => {
    if (bytes !== undefined)
      return readBytes({ ...bytes, size: Math.min(bytes.size, options.upTo ?? bytes.size) }, path, options);
    const { readDatabaseSession } = await import('./formats/databases.ts');
    return readDatabaseSession(path, options);
  });
}

/** The last messages of a session file of any known host; throws as `readSession` does. */
export async function readTranscriptFile(path: string, options: ReadOptions = {}): Promise<Transcript> {
  const { record } = await readSession(path, { session: options.session, ...makeSessionOptions(options) });
  return makeWindow(record, options);
}

/**
 * Reads messages from text: a JSON array, an object with `messages`, or lines of any known format.
 * @param name the text's name in an error, such as `standard input`
 * @throws {ScratchpadError} `usage` if the format is unknown
 */
export async function readTranscriptText(
  text: string,
  options: ReadOptions = {},
  name = 'standard input',
): Promise<Transcript> {
  return makeWindow(await readTextRecord(text, name, makeSessionOptions(options)), options);
}

export async function readTextRecord(
  text: string,
  name: string,
  options: SessionOptions,
): Promise<SessionRecord> {
  return (await readBytes(createMemorySource(Buffer.from(text, 'utf8')), name, options)).record;
}

function makeSessionOptions({ limit = DEFAULT_LIMIT, maxAgeMs = 1 }: ReadOptions): SessionOptions {
  for (const [name, value] of Object.entries({ limit, maxAgeMs }))
    if (!(value > 0))
      throw usageError(`The ${name} of a transcript window must be above 0`, { found: String(value) });
  return { root: '/', limit, mostBytes: limit === Number.POSITIVE_INFINITY ? limit : undefined };
}

async function readBytes(source: ByteSource, name: string, options: SessionOptions): Promise<Reading> {
  const { after, root, limit = DEFAULT_LIMIT, mostBytes = MOST_BYTES, until, onEvents } = options;
  const knownFormat = FORMATS.find((format) => format.name === after?.record.format);
  const continues = knownFormat !== undefined && canContinue(source, after?.position);
  const { format, value } = continues ? { format: knownFormat } : recognise(source, name);
  const record = (continues ? after?.record : options.onto) ?? createRecord(format.name);
  const fold = new Fold(record, root, limit);
  if (value !== undefined) fold.addEvents(readUtcOffset(value.outer), 0);

  const from = continues ? (after?.position.offset ?? 0) : 0;
  const parts = value === undefined ? chooseParts(source, from, mostBytes) : [value.lines];
  const observed = onEvents === undefined ? format : observeEvents(format, onEvents);
  const { end, behind } = await foldLines(parts, observed, fold, from, until);

  fold.slim();

  return { record, position: makePosition(source, value ? source.size : end), continues, behind };
}

function readUtcOffset({ utcOffsetHours }: JsonObject): SessionEvent[] {
  if (utcOffsetHours === undefined || utcOffsetHours === null) return [];
  const isValid = typeof utcOffsetHours === 'number' && Math.abs(utcOffsetHours) <= 14;
  return isValid ? [{ type: 'facts', utcOffsetHours }] : [{ type: 'skip', reason: 'invalid utcOffsetHours' }];
}

const observeEvents = (format: Format, onEvents: NonNullable<SessionOptions['onEvents']>): Format => ({
  ...format,
  events: (row, at) => {
    const events = format.events(row, at);
    onEvents(events);
    return events;
  },
});

interface Part extends ByteSource {
  from?: number;
}

/** The whole source, or of a longer one the beginning and the end, where the request and its outcome are. */
function chooseParts(source: ByteSource, from: number, mostBytes: number): Part[] {
  if (source.size - from <= mostBytes) return [{ ...source, from }];

  const head = Math.round(mostBytes / 4);
  const tail = findLineStart(source, source.size - (mostBytes - head));

  return [
    { ...source, from, size: from + head },
    { ...source, from: tail },
  ];
}

/**
 * Reads in blocks, between which other work gets a turn.
 * @returns the offset after the last complete line that was read, and whether time ran out there
 */
async function foldLines(
  parts: readonly Part[],
  format: Format,
  fold: Fold,
  start: number,
  until = Number.POSITIVE_INFINITY,
): Promise<{ end: number; behind: boolean }> {
  const skip = (reason: string): void => fold.addEvents([{ type: 'skip', reason }], start);
  let end = start;

  for (const part of parts) {
    const { from = 0 } = part;
    if (from > end) skip('middle of a long file');
    let blockStart = from;
    for (const { at, bytes, ended, end: next } of readLines(part, from)) {
      if (at - blockStart >= BLOCK) {
        if (Date.now() > until) return { end, behind: true };
        await new Promise((resume) => setImmediate(resume));
        blockStart = at;
      }

      // The first part of a long file ends within a line.
      if (!ended && part !== parts.at(-1)) break;

      const { rows, problem } = bytes === undefined ? TOO_LONG : parseRows(bytes);
      // The rest of the last line may still be written.
      const isUnfinished = problem !== undefined && !ended;

      if (!isUnfinished)
        for (const [index, row] of rows.entries()) fold.addRow(format.events(row, at + index), at + index);
      if (problem !== undefined) skip(isUnfinished ? 'unfinished last line' : problem);
      if (!isUnfinished) end = next;
    }
  }

  return { end, behind: false };
}

const TOO_LONG = { rows: [], problem: `line over ${MAX_LINE / 1024 / 1024} MB` };

/** Whether the source is the one that was read up to a position; an empty reading has not shown its format. */
function canContinue(source: ByteSource, position: Position | undefined): boolean {
  const { offset = 0, mark } = position ?? {};
  return offset > 0 && offset <= source.size && makePosition(source, offset).mark === mark;
}

const makePosition = (source: ByteSource, offset: number): Position => ({
  offset,
  mark: digestText(source.read(Math.max(0, offset - MARK_BYTES), offset).toString('latin1')),
});

const LABEL_LIMIT = 200;

export function makeWindow(record: SessionRecord, options: ReadOptions): Transcript {
  const { limit = DEFAULT_LIMIT, maxAgeMs = Number.POSITIVE_INFINITY } = options;
  const items = listItems(record);
  const { workingDirectory, session: id, turnEnded: _, ...facts } = record.facts;
  const cwd = facts.cwd ?? workingDirectory;
  const session = id ?? options.session ?? 'unknown';
  const all = items.flatMap((item) => toMessages(item, session));
  const newest = Math.max(...all.map(parseTime).filter((time) => !Number.isNaN(time)));
  // A message without a time stays.
  const isTooOld = (message: Message): boolean => newest - parseTime(message) > maxAgeMs;
  const recent = all.filter((message) => !isTooOld(message));
  const compactions = items.flatMap((item) =>
    item.type === 'compacted' ? { timestamp: item.timestamp, summary: item.summary } : [],
  );

  return {
    format: record.format,
    messages: chooseWindow(recent, limit),
    facts: { ...facts, id, cwd, compactions },
    signs: items.flatMap(toSigns),
    skipped: listSkipped(record),
  };
}

const parseTime = ({ timestamp }: Message): number => Date.parse(timestamp ?? '');

const ROLES: Readonly<Record<string, Message['role']>> = {
  person: 'user',
  agent: 'assistant',
  host: 'system',
  call: 'tool',
  result: 'tool',
};

function toMessages(item: Item, session: string): Message[] {
  const role = ROLES[item.type];
  if (role === undefined) return [];

  const words = 'text' in item ? item.text : '';
  const text = item.type === 'call' ? item.input : words;
  const { voice, doubt } = { voice: undefined, doubt: undefined, ...(item.type === 'person' && item) };
  const { id, timestamp } = item;
  const sender = doubt ?? item.sender;

  return [
    {
      id,
      role,
      content: typeof text === 'string' ? text : JSON.stringify(text),
      session: item.session || session,
      sender: sender && label(sender),
      doubt,
      timestamp,
      voice: voice === 'prompt' ? undefined : voice,
      tool: 'tool' in item ? item.tool && label(item.tool) : undefined,
    },
  ];
}

/** A foreign name on one line of limited length. */
const label = (name: string): string => toOneLine(name.slice(0, LABEL_LIMIT));

function toSigns(item: Item): Sign[] {
  const { timestamp } = item;
  if (item.type === 'interrupted') return [{ kind: 'interrupted', timestamp }];
  const isRefused = item.type === 'did' && item.facts.refused !== undefined;
  return isRefused ? [{ kind: 'rejected', timestamp }] : [];
}

function listSkipped(record: SessionRecord): SkippedRows[] {
  const count = record.entries.length - tracePath(record).length;
  const takenBack = count > 0 ? [{ reason: 'taken back', count }] : [];
  return [...record.skipped, ...takenBack].sort(
    (a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1),
  );
}

/**
 * Chooses the window: `limit` messages of people and agent, and as many tool messages. Between two sentences of the person
 * a working agent writes dozens of remarks and hundreds of tool results, so the last messages alone would often have
 * nothing from the person. Half of the places are therefore for the person; then come the answers that they reacted to
 * (the last message before each of theirs, and the newest), then the newest of the rest.
 * @param messages oldest first
 * @returns oldest first
 */
export function chooseWindow(messages: Message[], limit: number): Message[] {
  if (limit === Number.POSITIVE_INFINITY) return messages;

  const spoken = messages.filter((message) => message.role !== 'tool').reverse();
  const chosen = new Set(spoken.filter(({ role }) => role === 'user').slice(0, Math.ceil(limit / 2)));
  const add = (candidates: readonly Message[]): void => {
    for (const message of candidates) if (chosen.size < limit) chosen.add(message);
  };
  const sinceFirstChosen = spoken.slice(0, spoken.findLastIndex((message) => chosen.has(message)) + 1);
  const answers = sinceFirstChosen.filter(
    ({ role }, index) => role !== 'user' && sinceFirstChosen[index - 1]?.role !== role,
  );

  add(answers);
  add(spoken);
  const oldest = messages.findIndex((message) => chosen.has(message));
  const tools = messages.slice(oldest + 1).filter(({ role }) => role === 'tool');

  for (const message of tools.slice(-limit)) chosen.add(message);

  return messages.filter((message) => chosen.has(message));
}
