import { isObject, type JsonObject, listAt, membersOf, numberAt, objectAt, textAt } from '../../text/json.ts';
import { contentText, resultText, withoutElements } from '../content.ts';
import type { CallOutcome, EventPlace, EventSink, SessionEvent } from '../event.ts';
import type { Format, FormatReader, Link } from '../format.ts';
import { isoTime } from '../time.ts';
import { geminiHome } from './gemini-home.ts';

const TYPES = new Set(['user', 'gemini', 'info', 'error', 'warning']);
const INJECTED = new Set(['hook_context', 'session_context', 'state_snapshot', 'ide_context']);
const THANKS = 'Got it. Thanks for the additional context!';
/**
 * The start of the text of files that the person named with `@`. It extends to the end of the message, since
 * a file may contain the end mark.
 */
const FILES = /(?:^|\n)--- Content from referenced files ---[\s\S]*$/;
const OUTCOMES = new Map<string, CallOutcome>([
  ['success', 'ok'],
  ['error', 'failed'],
  ['cancelled', 'interrupted'],
]);
/** The status that the shell tool puts below the output. */
const EXIT = /^Exit Code: (\d{1,3})$/gm;
const CANCELLED = 'Request cancelled.';
/** Why the host did not run a cancelled call. */
const REJECTED = /^\[Operation Cancelled\] Reason: User (?:denied|did not allow)\b/;
/** Rules of the host do not allow a call. */
const DENIED = /^(?:Error: )?Tool execution (?:for "[^"]{1,100}" )?(?:denied by policy|blocked)\b/;

/** Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the older `.json` files. */
export const geminiFormat: Format = {
  name: 'gemini',
  title: 'Gemini CLI chat (JSON or JSONL)',
  recognises(record) {
    if (isObject(record.$set) || typeof record.$rewindTo === 'string') return true;
    if (textAt(record, 'projectHash') !== undefined && textAt(record, 'sessionId') !== undefined) return true;
    const type = textAt(record, 'type');
    return (
      type !== undefined && TYPES.has(type) && 'id' in record && !('uuid' in record) && !('message' in record)
    );
  },
  events: geminiEvents,
  about: (record) => ({
    session: textAt(record, 'sessionId'),
    time: isoTime(record.timestamp ?? record.lastUpdated ?? objectAt(record, '$set')?.lastUpdated),
    subagent: record.kind === 'subagent' ? 'session' : undefined,
  }),
  home: geminiHome,
  open: (out) => new GeminiReader(out),
};

/** The events of one record. */
function geminiEvents(record: JsonObject, at: number): SessionEvent[] {
  const patch = objectAt(record, '$set');
  if (textAt(record, '$rewindTo') !== undefined) return [{ type: 'skip', reason: 'rewind' }];
  if (patch !== undefined || textAt(record, 'projectHash') !== undefined)
    return [
      sessionFacts(patch ?? record),
      ...titleEvents(patch ?? record, at),
      { type: 'skip', reason: 'metadata' },
    ];
  const id = textAt(record, 'id') ?? `@${at}`;
  const type = textAt(record, 'type') ?? 'untyped';
  const timestamp = isoTime(record.timestamp);
  const place: EventPlace = { id, at, ...(timestamp !== undefined && { timestamp }) };
  const text = contentText(record.content).trim();
  if (type === 'info' && text === CANCELLED)
    return [{ type: 'interrupted', reason: 'host notice', ...place }];
  if (type !== 'user' && type !== 'gemini')
    return [{ type: 'skip', reason: TYPES.has(type) ? 'host notice' : `${type} record` }];
  const events: SessionEvent[] = type === 'gemini' ? [answerFacts(record)] : [];
  const tools = toolEvents(record, place);
  const words = type === 'user' ? humanWords(record) : text;
  if (words !== '')
    events.push(
      type === 'user'
        ? { type: 'person', voice: 'prompt', text: words, ...place }
        : { type: 'agent', text: words, ...place },
    );
  else if (tools.length === 0)
    events.push({ type: 'skip', reason: type === 'user' ? 'injected context' : 'empty message' });
  return [...events, ...tools];
}

function sessionFacts(record: JsonObject): SessionEvent {
  const session = textAt(record, 'sessionId');
  const directory = listAt(record, 'directories')[0];
  return {
    type: 'facts',
    ...(session !== undefined && { session }),
    ...(typeof directory === 'string' && { cwd: directory }),
  };
}

/** The host names a session in one line when the next one is started. */
function titleEvents(record: JsonObject, at: number): SessionEvent[] {
  const text = textAt(record, 'summary')?.trim() ?? '';
  return text === '' ? [] : [{ type: 'title', text, by: 'host', id: `@${at}`, at }];
}

function answerFacts(record: JsonObject): SessionEvent {
  const model = textAt(record, 'model');
  const tokensUsed = numberAt(objectAt(record, 'tokens'), 'total');
  return {
    type: 'facts',
    ...(model !== undefined && { model }),
    ...(tokensUsed !== undefined && { tokensUsed }),
  };
}

/** Tool calls and results of a record, in order. Both may also be parts of what is sent to the model. */
function toolEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const events: SessionEvent[] = [];
  const named = (value: JsonObject): { tool?: string } => {
    const tool = textAt(value, 'name');
    return tool === undefined ? {} : { tool };
  };
  const called = (call: JsonObject): string => {
    const id = textAt(call, 'id') ?? `${place.id}:call`;
    events.push({ type: 'call', input: membersOf(call.args), ...place, id, ...named(call) });
    return id;
  };
  for (const call of listAt(record, 'toolCalls').filter(isObject)) {
    const id = called(call);
    const result = call.result ?? call.resultDisplay;
    if (result === undefined || result === null) continue;
    const timestamp = isoTime(call.timestamp) ?? place.timestamp;
    const text = toolText(result);
    events.push({
      type: 'result',
      ...place,
      id: `${id}:result`,
      call: id,
      ...named(call),
      ...(timestamp !== undefined && { timestamp }),
      text,
      ...outcomeOf(textAt(call, 'status'), text),
    });
  }
  for (const part of listAt(record, 'content').filter(isObject)) {
    const call = objectAt(part, 'functionCall');
    const response = objectAt(part, 'functionResponse');
    if (call !== undefined) called(call);
    if (response === undefined) continue;
    const of = textAt(response, 'id') ?? place.id;
    const text = toolText([part]);
    const result = { type: 'result' as const, ...place, id: `${of}:result`, call: of, ...named(response) };
    events.push({ ...result, text, ...outcomeOf(undefined, text) });
  }
  return events;
}

/** A command that failed counts as a success of its tool: the status below the output tells. */
function outcomeOf(status: string | undefined, text: string): { outcome: CallOutcome; exit?: number } {
  const told = [...text.matchAll(EXIT)].at(-1)?.[1];
  const exit = told === undefined ? undefined : Number(told);
  const rejected = status === 'cancelled' && REJECTED.test(text);
  if (!rejected && status !== 'success' && DENIED.test(text)) return { outcome: 'denied' };
  const outcome = rejected ? 'rejected' : (OUTCOMES.get(status ?? '') ?? 'unknown');
  if (exit === undefined) return { outcome };
  return { outcome: exit !== 0 && outcome === 'ok' ? 'failed' : outcome, exit };
}

/** What was typed, if the host stores it; otherwise what was sent, without injected parts. */
function humanWords(record: JsonObject): string {
  const sent = contentText(record.displayContent).trim() || contentText(record.content);
  return withoutElements(sent.replace(FILES, ''), INJECTED).trim();
}

/** Results are parts such as `{functionResponse: {response: {output}}}`. */
function toolText(result: unknown): string {
  if (!Array.isArray(result)) return resultText(result);
  return result
    .map((part) => (isObject(part) && 'functionResponse' in part ? resultText(part) : contentText([part])))
    .join('\n');
}

class GeminiReader implements FormatReader {
  readonly #out: EventSink;
  /** A record is written again in full each time it changes; the newest one counts. */
  readonly #seen = new Set<string>();
  /** Tool calls and results found, by id. */
  readonly #tools = new Set<string>();
  /** Set while records are skipped because a later `$rewindTo` took them back. */
  #rewindTo: string | undefined;
  /**
   * The newest list of messages that replaced the earlier ones, with those still to come. The host writes
   * such a list when a session is resumed, with the time of that moment; the records before it, if they
   * exist, contain more.
   */
  #list: JsonObject[] | undefined;

  constructor(out: EventSink) {
    this.#out = out;
  }

  head(record: JsonObject): void {
    this.#out.add(sessionFacts(record));
  }

  take(record: JsonObject, at: number): 'stop' | undefined {
    const patch = objectAt(record, '$set');
    const rewind = textAt(record, '$rewindTo');
    if (rewind !== undefined) {
      // Within a range that is taken back already, the older rewind has no effect.
      if (this.#list === undefined) this.#rewindTo ??= rewind;
      this.#put(record, at);
    } else if (patch !== undefined || textAt(record, 'projectHash') !== undefined) {
      this.#put(record, at);
      this.#replace(listAt(patch ?? record, 'messages').filter(isObject), at);
    } else {
      this.#record(record, at);
    }
    return this.#list?.length === 0 ? 'stop' : undefined;
  }

  finish(): void {
    if (!this.#out.full) this.#fromList(0);
  }

  link(): Link {
    const changesBefore = this.#rewindTo !== undefined || this.#list !== undefined;
    return { ends: [], ...(changesBefore && { changesBefore }) };
  }

  #replace(messages: JsonObject[], at: number): void {
    if (messages.length === 0 || this.#list !== undefined) return;
    const list = this.#withoutSummary(messages, at);
    this.#list = list;
    if (this.#rewindTo === undefined) return;
    // A rewind after the list truncates it: from its target on, or completely if it has no such message.
    const target = list.findIndex((message) => message.id === this.#rewindTo);
    this.#rewindTo = undefined;
    this.#list = list.slice(0, Math.max(0, target));
  }

  /** A compression leaves its summary as a message of the person, followed by a fixed answer. */
  #withoutSummary(messages: JsonObject[], at: number): JsonObject[] {
    const thanks = messages.findLastIndex(
      (message) => textAt(message, 'type') === 'gemini' && contentText(message.content).trim() === THANKS,
    );
    const summary = messages[thanks - 1];
    if (summary === undefined || textAt(summary, 'type') !== 'user') return messages;
    const timestamp = isoTime(summary.timestamp);
    this.#out.add({
      type: 'compacted',
      id: textAt(summary, 'id') ?? `@${at}`,
      at,
      summary: contentText(summary.content).trim(),
      ...(timestamp !== undefined && { timestamp }),
    });
    this.#out.add({ type: 'skip', reason: 'summary' });
    return messages.toSpliced(thanks - 1, 2);
  }

  #record(record: JsonObject, at: number): void {
    const id = textAt(record, 'id') ?? `@${at}`;
    if (this.#rewindTo !== undefined) {
      if (this.#rewindTo === id) this.#rewindTo = undefined;
      this.#seen.add(id);
      this.#out.add({ type: 'skip', reason: 'rewound' });
    } else if (this.#seen.has(id)) {
      this.#out.add({ type: 'skip', reason: 'older version of a message' });
    } else if (this.#list === undefined) {
      this.#message(record, at);
    } else {
      const place = this.#list.findLastIndex((message) => message.id === id);
      if (place === -1) {
        this.#out.add({ type: 'skip', reason: 'replaced' });
        return;
      }
      this.#fromList(place + 1);
      this.#list = this.#list.slice(0, place);
      this.#message(record, at);
    }
  }

  /** Adds the messages of the list from `start` on: older records say nothing more about them. */
  #fromList(start: number): void {
    const list = this.#list?.splice(start) ?? [];
    for (const [index, message] of [...list.entries()].reverse()) {
      const id = textAt(message, 'id') ?? `@list:${start + index}`;
      if (!this.#seen.has(id)) this.#message({ ...message, id }, start + index);
    }
  }

  #message(record: JsonObject, at: number): void {
    this.#seen.add(textAt(record, 'id') ?? `@${at}`);
    this.#put(record, at);
  }

  #put(record: JsonObject, at: number): void {
    const once = geminiEvents(record, at).filter((event) => this.#isNews(event));
    for (const event of once.reverse()) this.#out.add(event);
  }

  /** False for a call or a result that another record contained already. */
  #isNews(event: SessionEvent): boolean {
    if (event.type !== 'call' && event.type !== 'result') return true;
    if (this.#tools.has(event.id)) return false;
    this.#tools.add(event.id);
    return true;
  }
}
