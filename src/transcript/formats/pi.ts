import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../text/json.ts';
import { wordList } from '../../text/word-list.ts';
import { contentText, resultText } from '../content.ts';
import { OUR_KEY } from '../entries.ts';
import type { CallOutcome, EventPlace, EventSink, SessionEvent } from '../event.ts';
import type { Format, FormatReader, Link } from '../format.ts';
import { isoTime } from '../time.ts';
import { piHome } from './pi-home.ts';
import { ActivePath } from './pi-path.ts';
import { piWords } from './pi-words.ts';

const TYPES = new Set(
  wordList(`
  session custom custom_message compaction branch_summary model_change thinking_level_change label
  session_info leaf reset
`),
);
/** What an OpenClaw agent answers if it has nothing to say; it is not delivered. */
const SILENT = new Set(['NO_REPLY', 'HEARTBEAT_OK']);
/** Lines that contain these are always parsed. */
const ALWAYS = [`"${OUR_KEY}`, '"reset"', '"type":"session"'];

/** pi and OpenClaw before its database: `{type, id, parentId, timestamp, …}`, versions 1 to 4. */
export const piFormat: Format = {
  name: 'pi',
  title: 'OpenClaw or pi session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record || 'uuid' in record || 'sessionId' in record) return false;
    return type === 'message' ? objectAt(record, 'message') !== undefined : TYPES.has(type);
  },
  events: piEvents,
  about: (record) => ({
    session: record.type === 'session' ? textAt(record, 'id') : undefined,
    cwd: textAt(record, 'cwd'),
    time: isoTime(record.timestamp ?? objectAt(record, 'message')?.timestamp),
  }),
  home: piHome,
  open: (out) => new PiReader(out),
};

/** The events of one entry. */
function piEvents(record: JsonObject, at: number): SessionEvent[] {
  const type = textAt(record, 'type') ?? 'untyped';
  const message = type === 'message' ? objectAt(record, 'message') : undefined;
  const timestamp = isoTime(record.timestamp) ?? isoTime(message?.timestamp);
  const place: EventPlace = {
    id: textAt(record, 'id') ?? `@${at}`,
    at,
    ...(timestamp !== undefined && { timestamp }),
  };
  if (message !== undefined) return messageEvents(message, place);
  if (type === 'session') return [headerFacts(record)];
  if (type === 'custom') return customEvents(record, place);
  if (type === 'compaction') {
    const summary = textAt(record, 'summary');
    return [
      { type: 'compacted', ...place, ...(summary !== undefined && { summary }) },
      { type: 'skip', reason: 'compaction summary' },
    ];
  }
  if (type === 'custom_message') {
    const text = contentText(record.content);
    return text === '' ? [{ type: 'skip', reason: 'empty message' }] : [{ type: 'host', text, ...place }];
  }
  const name = type === 'session_info' ? (textAt(record, 'name')?.trim() ?? '') : '';
  if (name !== '')
    return [
      { type: 'title', text: name, by: 'person', ...place },
      { type: 'skip', reason: 'session_info line' },
    ];
  const model = type === 'model_change' ? textAt(record, 'modelId') : undefined;
  const skip: SessionEvent = { type: 'skip', reason: `${type} line` };
  return model === undefined ? [skip] : [{ type: 'facts', model }, skip];
}

function headerFacts(record: JsonObject): SessionEvent {
  const session = textAt(record, 'id');
  const cwd = textAt(record, 'cwd');
  const model = textAt(record, 'modelId');
  return {
    type: 'facts',
    ...(session !== undefined && { session }),
    ...(cwd !== undefined && { cwd }),
    ...(model !== undefined && { model }),
  };
}

function customEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const key = textAt(record, 'customType') ?? '';
  const skip: SessionEvent = { type: 'skip', reason: 'custom entry' };
  if (key !== OUR_KEY && !key.startsWith(`${OUR_KEY}:`)) return [skip];
  return [{ type: 'entry', key, data: record.data, ...place }, skip];
}

function messageEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const role = textAt(message, 'role');
  if (role === 'user') return userEvents(message, place);
  if (role === 'assistant') return assistantEvents(message, place);
  if (role === 'toolResult') return [resultOf(message, place)];
  if (role === 'bashExecution') return bashEvents(message, place);
  return [{ type: 'skip', reason: role === undefined ? 'message without a role' : `${role} message` }];
}

function userEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const provenance = textAt(objectAt(message, 'provenance'), 'kind');
  const foreign = provenance === 'inter_session' || provenance === 'internal_system';
  const heard = foreign ? { reason: 'host prompt' } : piWords(contentText(message.content));
  if ('reason' in heard) return [{ type: 'skip', reason: heard.reason }];
  const sender = heard.sender === undefined ? {} : { sender: heard.sender };
  return [{ type: 'person', voice: 'prompt', text: heard.words, ...place, ...sender }];
}

function assistantEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const model = textAt(message, 'model');
  const tokensUsed = usedTokens(objectAt(message, 'usage'));
  const events: SessionEvent[] = [
    {
      type: 'facts',
      ...(model !== undefined && { model }),
      ...(tokensUsed !== undefined && { tokensUsed }),
    },
  ];
  const calls = listAt(message, 'content').filter(
    (block): block is JsonObject => isObject(block) && block.type === 'toolCall',
  );
  const text = contentText(message.content);
  if (SILENT.has(text.trim())) events.push({ type: 'skip', reason: 'silent reply' });
  else if (text !== '') events.push({ type: 'agent', text, ...place });
  else if (calls.length === 0) events.push({ type: 'skip', reason: 'empty message' });
  for (const block of calls) {
    const tool = textAt(block, 'name');
    events.push({
      type: 'call',
      input: isObject(block.arguments) ? block.arguments : {},
      ...place,
      id: textAt(block, 'id') ?? `${place.id}:call`,
      ...(tool !== undefined && { tool }),
    });
  }
  if (textAt(message, 'stopReason') === 'aborted')
    events.push({ type: 'interrupted', reason: 'aborted answer', ...place });
  return events;
}

/** OpenClaw's and pi's own answers to a call that their rules, or nobody in time, allowed. */
const DENIED = /^(?:Exec denied \(|exec denied: |SYSTEM_RUN_DENIED: |Blocked by (?:user|extension|policy))/;

const ABORTED = /(?:^|\n)(?:Command|Operation) aborted\s*$/;

function resultOf(message: JsonObject, place: EventPlace): SessionEvent {
  const call = textAt(message, 'toolCallId');
  const tool = textAt(message, 'toolName');
  const text = resultText(message.content);
  const exit = numberAt(objectAt(message, 'details'), 'exitCode') ?? exitIn(text);
  const outcome: CallOutcome = DENIED.test(text)
    ? 'denied'
    : message.isError === true && ABORTED.test(text)
      ? 'interrupted'
      : message.isError === true || (exit !== undefined && exit !== 0)
        ? 'failed'
        : message.isError === false
          ? 'ok'
          : 'unknown';
  return {
    type: 'result',
    ...place,
    id: call === undefined ? place.id : `${call}:result`,
    text,
    outcome,
    ...(call !== undefined && { call }),
    ...(tool !== undefined && { tool }),
    ...(exit !== undefined && { exit }),
  };
}

/** The status that pi's shell tool puts below the output of a command that failed. */
function exitIn(text: string): number | undefined {
  const told = /\n\n?(?:Command exited with code|\(Command exited with code) (\d{1,3})\)?\s*$/.exec(
    text,
  )?.[1];
  return told === undefined ? undefined : Number(told);
}

/** A command that the person ran in pi's own prompt (`!command`). */
function bashEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const command = textAt(message, 'command') ?? '';
  const output = textAt(message, 'output') ?? '';
  const exit = numberAt(message, 'exitCode');
  return [
    {
      type: 'result',
      ...place,
      tool: 'bash',
      text: `${command}\n${output}`.trim(),
      outcome: exit === undefined ? 'unknown' : exit === 0 ? 'ok' : 'failed',
      ...(exit !== undefined && { exit }),
    },
  ];
}

/** Reads session entries, from lines of a file or from rows of a database. */
export class PiReader implements FormatReader {
  readonly #out: EventSink;
  readonly #path: ActivePath;
  /** Lowest offset seen: lines above it are being read a second time. */
  #lowest = Number.POSITIVE_INFINITY;
  /** Lines off the path since the last one on it; not counted if the path has to be repaired there. */
  #beside = 0;
  #end: string | undefined;

  /** @param tree false if the given entries are the active path already */
  constructor(out: EventSink, tree = true) {
    this.#out = out;
    this.#path = new ActivePath(!tree);
  }

  head(record: JsonObject): void {
    if (textAt(record, 'type') === 'session') this.#out.add(headerFacts(record));
  }

  wants(bytes: Buffer): boolean {
    const { wanted } = this.#path;
    // An id that JSON can spell in several ways cannot be searched for; over a lone surrogate in it Node 24
    // even crashes.
    if (wanted === undefined || !/^[\w.:@-]+$/.test(wanted)) return true;
    if ([wanted, ...ALWAYS].some((text) => bytes.includes(text))) return true;
    this.#beside++;
    return false;
  }

  take(record: JsonObject, at: number): 'stop' | undefined {
    const type = textAt(record, 'type');
    const first = at < this.#lowest;
    if (first) this.#lowest = at;
    if (type === 'session') {
      this.#out.add(headerFacts(record));
      return undefined;
    }
    const place = this.#path.place(record, at);
    if (place !== 'beside') {
      this.#flush();
      this.#end ??= textAt(record, 'id');
    }
    if (place === 'beside' && type !== 'custom') this.#beside++;
    else if (first || (type !== 'custom' && type !== 'reset')) {
      for (const event of piEvents(record, at).reverse()) this.#out.add(event);
    }
    return place === 'end' ? 'stop' : undefined;
  }

  again(): number | undefined {
    const from = this.#path.repair();
    if (from !== undefined) this.#beside = 0;
    return from;
  }

  finish(): void {
    this.#flush();
  }

  link(): Link {
    const { wanted } = this.#path;
    return {
      ends: this.#end === undefined ? [] : [this.#end],
      complete: this.#end !== undefined,
      ...(wanted !== undefined && { follows: wanted }),
    };
  }

  #flush(): void {
    if (this.#beside > 0) this.#out.add({ type: 'skip', reason: 'other branch', count: this.#beside });
    this.#beside = 0;
  }
}

/** Tokens of one turn: the host's total, or the sum of its parts. */
function usedTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  const total = numberAt(usage, 'totalTokens') ?? sum;
  return total > 0 ? total : undefined;
}
