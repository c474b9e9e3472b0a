import { usageError } from '../base/errors.ts';
import { toOneLine } from '../base/text/prose.ts';
import { digestText } from '../base/text/strings.ts';
import type { Format } from './event.ts';
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
  parseRecords,
  readLines,
  recognise,
  withSource,
} from './source.ts';
import type { Message, ReadOptions, Sign, SkippedRecords, Transcript } from './types.ts';

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
  const { record } = await readSession(path, { session: options.session, ...computeReach(options) });
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
  return makeWindow(await recordOfText(text, name, computeReach(options)), options);
}

export async function recordOfText(
  text: string,
  name: string,
  options: SessionOptions,
): Promise<SessionRecord> {
  return (await readBytes(createMemorySource(Buffer.from(text, 'utf8')), name, options)).record;
}

function computeReach({ limit = DEFAULT_LIMIT, maxAgeMs = 1 }: ReadOptions): SessionOptions {
  for (const [name, value] of Object.entries({ limit, maxAgeMs }))
    if (!(value > 0))
      throw usageError(`The ${name} of a transcript window must be above 0`, { found: String(value) });
  return { root: '/', limit, mostBytes: limit === Number.POSITIVE_INFINITY ? limit : undefined };
}

async function readBytes(source: ByteSource, name: string, options: SessionOptions): Promise<Reading> {
  const { after, root, limit = DEFAULT_LIMIT, mostBytes = MOST_BYTES, until, onEvents } = options;
  const sameFormat = FORMATS.find((format) => format.name === after?.record.format);
  const continues = sameFormat !== undefined && canContinue(source, after?.position);
  const { format, value } = continues ? { format: sameFormat } : recognise(source, name);
  const record = (continues ? after?.record : options.onto) ?? createRecord(format.name);
  const fold = new Fold(record, root, limit);

  const { utcOffsetHours: offset } = value?.outer ?? {};
  const isOffset = typeof offset === 'number' && Math.abs(offset) <= 14;
  if (isOffset) fold.addEvents([{ type: 'facts', utcOffsetHours: offset }], 0);
  else if (offset != null) fold.addEvents([{ type: 'skip', reason: 'invalid utcOffsetHours' }], 0);
  const from = continues ? (after?.position.offset ?? 0) : 0;
  const parts = value === undefined ? chooseParts(source, from, mostBytes) : [value.lines];
  const observed = onEvents === undefined ? format : observeEvents(format, onEvents);
  const { end, behind } = await foldLines(parts, observed, fold, from, until);

  fold.slim();

  return { record, position: makePosition(source, value ? source.size : end), continues, behind };
}

const observeEvents = (format: Format, onEvents: NonNullable<SessionOptions['onEvents']>): Format => ({
  ...format,
  events: (record, at) => {
    const events = format.events(record, at);
    onEvents(events);
    return events;
  },
});

interface Part extends ByteSource {
  from?: number;
}

/** Of more than may be read, the beginning and the end: there is what was asked for and what came of it. */
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
    let turn = from;
    for (const { at, bytes, ended, end: next } of readLines(part, from)) {
      if (at - turn >= BLOCK) {
        if (Date.now() > until) return { end, behind: true };
        await new Promise((resume) => setImmediate(resume));
        turn = at;
      }

      // Where a beginning ends is no end of a line.
      if (!ended && part !== parts.at(-1)) break;

      const { records, problem } = bytes === undefined ? TOO_LONG : parseRecords(bytes);
      // What is behind an unfinished record may be the rest of it, which is still to come.
      const isUnfinished = problem !== undefined && !ended;

      if (!isUnfinished)
        for (const [index, record] of records.entries())
          fold.addRecord(format.events(record, at + index), at + index);
      if (problem !== undefined) skip(isUnfinished ? 'unfinished last line' : problem);
      if (!isUnfinished) end = next;
    }
  }

  return { end, behind: false };
}

const TOO_LONG = { records: [], problem: `line over ${MAX_LINE / 1024 / 1024} MB` };

/** Where nothing was read, nothing tells the format of what follows. */
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
  const newest = Math.max(
    ...all.map(parseTime).filter((time) => !Number.isNaN(time)),
    Number.NEGATIVE_INFINITY,
  );
  const young = all.filter((message) => !(newest - parseTime(message) > maxAgeMs));
  const messages = chooseWindow(young, limit);

  return {
    format: record.format,
    messages,
    facts: {
      ...facts,
      id,
      cwd,
      compactions: items.flatMap((item) =>
        item.type === 'compacted' ? { timestamp: item.timestamp, summary: item.summary } : [],
      ),
    },
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
  const voice = item.type === 'person' && item.voice !== 'prompt' ? item.voice : undefined;
  const { id, timestamp, sender } = item;

  return [
    {
      id,
      role,
      content: typeof text === 'string' ? text : JSON.stringify(text),
      session: item.session || session,
      sender: sender && label(sender),
      timestamp,
      voice,
      tool: 'tool' in item ? item.tool && label(item.tool) : undefined,
    },
  ];
}

/** A name on one line of limited length: names are foreign text, too. */
const label = (name: string): string => toOneLine(name.slice(0, LABEL_LIMIT));

function toSigns(item: Item): Sign[] {
  const { timestamp } = item;
  if (item.type === 'interrupted') return [{ kind: 'interrupted', timestamp }];
  const isRefused = item.type === 'did' && item.facts.refused !== undefined;
  return isRefused ? [{ kind: 'rejected', timestamp }] : [];
}

function listSkipped(record: SessionRecord): SkippedRecords[] {
  const count = record.entries.length - tracePath(record).length;
  const gone = count > 0 ? [{ reason: 'taken back', count }] : [];
  return [...record.skipped, ...gone].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}

/**
 * Chooses the window: `limit` messages of people and agent, and as many tool messages. Between two sentences
 * of the person a working agent writes dozens of remarks and hundreds of tool results, so "the last 20
 * messages" would often contain nothing from the person. Half of the places are therefore reserved for the
 * person; then come the answers that they reacted to (the last message before each of theirs, and the
 * newest), then the newest of the rest. In a simple dialogue these are the last `limit` messages.
 * @param messages oldest first
 * @returns oldest first; the same array if everything fits
 */
export function chooseWindow(messages: Message[], limit: number): Message[] {
  if (limit === Number.POSITIVE_INFINITY) return messages;

  const spoken = messages.filter((message) => message.role !== 'tool').reverse();
  const chosen = new Set(spoken.filter(({ role }) => role === 'user').slice(0, Math.ceil(limit / 2)));
  const add = (candidates: readonly Message[]): void => {
    for (const message of candidates) if (chosen.size < limit) chosen.add(message);
  };
  const since = spoken.slice(0, spoken.findLastIndex((message) => chosen.has(message)) + 1);

  add(since.filter(({ role }, index) => role !== 'user' && since[index - 1]?.role !== role));
  add(spoken);
  const oldest = messages.findIndex((message) => chosen.has(message));
  const tools = messages.slice(oldest + 1).filter(({ role }) => role === 'tool');

  for (const message of tools.slice(-limit)) chosen.add(message);

  return messages.filter((message) => chosen.has(message));
}
