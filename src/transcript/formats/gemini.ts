import type { Collector } from '../collector.ts';
import { resultText, wordsOf } from '../content.ts';
import type { Format, FormatReader } from '../format.ts';
import { withoutElements } from '../injected.ts';
import { isObject, type JsonObject, jsonText, listAt, numberAt, objectAt, textAt } from '../json.ts';
import type { Message } from '../message.ts';
import { isoTime } from '../time.ts';

const TYPES = new Set(['user', 'gemini', 'info', 'error', 'warning']);
const INJECTED = new Set(['hook_context', 'session_context', 'state_snapshot', 'ide_context']);
const FILES = /\n?--- Content from referenced files ---[\s\S]*?(?:--- End of content ---|$)/;

/** Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and `.json` of the years before. */
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
  open: (out) => new GeminiReader(out),
};

class GeminiReader implements FormatReader {
  readonly #out: Collector;
  /** A record is written again in full each time it changes; the newest one counts. */
  readonly #seen = new Set<string>();
  /** Set while records are passed over because a later `$rewindTo` took them back. */
  #rewindTo: string | undefined;

  constructor(out: Collector) {
    this.#out = out;
  }

  head(record: JsonObject): void {
    this.#facts(record);
  }

  take(record: JsonObject, at: number): 'stop' | undefined {
    const patch = objectAt(record, '$set');
    const rewind = textAt(record, '$rewindTo');
    if (rewind !== undefined) {
      // Within a stretch that is taken back already, the older rewind is part of what is undone.
      this.#rewindTo ??= rewind;
      this.#out.skip('rewind');
      return undefined;
    }
    if (patch !== undefined || textAt(record, 'projectHash') !== undefined) {
      this.#facts(patch ?? record);
      return this.#replaced(patch ?? record, at);
    }
    this.#record(record, at);
    return undefined;
  }

  #facts(record: JsonObject): void {
    this.#out.learn('id', textAt(record, 'sessionId'));
    const directory = listAt(record, 'directories')[0];
    if (typeof directory === 'string') this.#out.learn('cwd', directory);
  }

  /** A list of messages inside metadata replaces all that was written before it. */
  #replaced(record: JsonObject, at: number): 'stop' | undefined {
    this.#out.skip('metadata');
    const messages = listAt(record, 'messages');
    if (messages.length === 0) return undefined;
    for (let index = messages.length - 1; index >= 0; index--) {
      const message = messages[index];
      if (isObject(message)) this.#record(message, at + index / messages.length);
    }
    return 'stop';
  }

  #record(record: JsonObject, at: number): void {
    const id = textAt(record, 'id') ?? `@${at}`;
    if (this.#rewindTo !== undefined) {
      if (this.#rewindTo === id) this.#rewindTo = undefined;
      this.#seen.add(id);
      this.#out.skip('rewound');
    } else if (this.#seen.has(id)) {
      this.#out.skip('older version of a message');
    } else {
      this.#seen.add(id);
      this.#message(record, id);
    }
  }

  #message(record: JsonObject, id: string): void {
    const type = textAt(record, 'type') ?? 'untyped';
    const timestamp = isoTime(record.timestamp);
    if (type === 'gemini') {
      this.#out.learn('model', textAt(record, 'model'));
      this.#out.learn('tokensUsed', numberAt(objectAt(record, 'tokens'), 'total'));
      for (const call of listAt(record, 'toolCalls').toReversed())
        if (isObject(call)) this.#tool(call, id, timestamp);
    }
    if (type !== 'user' && type !== 'gemini') {
      this.#out.skip(TYPES.has(type) ? 'host notice' : `${type} record`);
      return;
    }
    const words = type === 'user' ? humanWords(record) : wordsOf(record.content).trim();
    if (words !== '') this.#out.add(message(id, type === 'user' ? 'user' : 'assistant', words, timestamp));
    else if (type === 'user') this.#out.skip('injected context');
    else if (listAt(record, 'toolCalls').length === 0) this.#out.skip('empty message');
  }

  #tool(call: JsonObject, owner: string, timestamp: string | undefined): void {
    const id = textAt(call, 'id') ?? `${owner}:call`;
    const name = textAt(call, 'name');
    const time = isoTime(call.timestamp) ?? timestamp;
    const made = [message(id, 'tool', jsonText(call.args ?? {}), timestamp)];
    const result = call.result ?? call.resultDisplay;
    if (result !== undefined && result !== null)
      made.unshift(message(`${id}:result`, 'tool', toolText(result), time));
    for (const item of made) {
      if (name !== undefined) item.tool = name;
      this.#out.add(item);
    }
  }
}

/** What was typed, where the host keeps it beside what was sent; else what was sent, less injected parts. */
function humanWords(record: JsonObject): string {
  const typed = wordsOf(record.displayContent).trim();
  const sent = typed === '' ? wordsOf(record.content) : typed;
  return withoutElements(sent, INJECTED).replace(FILES, '').trim();
}

/** Results are parts such as `{functionResponse: {response: {output}}}`. */
function toolText(result: unknown): string {
  if (!Array.isArray(result)) return resultText(result);
  return result
    .map((part) => (isObject(part) && 'functionResponse' in part ? resultText(part) : wordsOf([part])))
    .join('\n');
}

function message(id: string, role: Message['role'], content: string, timestamp: string | undefined): Message {
  const made: Message = { id, role, content, session: '' };
  if (timestamp !== undefined) made.timestamp = timestamp;
  return made;
}
