import type { Collector } from '../collector.ts';
import { resultText, wordsOf } from '../content.ts';
import type { Format, FormatReader } from '../format.ts';
import { withoutElements } from '../injected.ts';
import { isObject, type JsonObject, jsonText, listAt, numberAt, objectAt, textAt } from '../json.ts';
import type { Message } from '../message.ts';
import { isoTime } from '../time.ts';

const TYPES = new Set(['user', 'gemini', 'info', 'error', 'warning']);
const INJECTED = new Set(['hook_context', 'session_context', 'state_snapshot', 'ide_context']);
const THANKS = 'Got it. Thanks for the additional context!';
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
  /** Tool calls and results met, by id: both are also written as parts of what is sent to the model. */
  readonly #tools = new Set<string>();
  /** Set while records are passed over because a later `$rewindTo` took them back. */
  #rewindTo: string | undefined;
  /**
   * The newest list of messages that replaced what was before it, with those still to come. The host writes
   * such a list when a session is resumed, with the time of that moment; the records before it, where they
   * are, tell more.
   */
  #list: JsonObject[] | undefined;

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
      if (this.#list === undefined) this.#rewindTo ??= rewind;
      this.#out.skip('rewind');
    } else if (patch !== undefined || textAt(record, 'projectHash') !== undefined) {
      this.#facts(patch ?? record);
      this.#out.skip('metadata');
      this.#replace(listAt(patch ?? record, 'messages').filter(isObject));
    } else {
      this.#record(record, at);
    }
    return this.#list?.length === 0 ? 'stop' : undefined;
  }

  finish(): void {
    if (!this.#out.full) this.#fromList(0);
  }

  #facts(record: JsonObject): void {
    this.#out.learn('id', textAt(record, 'sessionId'));
    const directory = listAt(record, 'directories')[0];
    if (typeof directory === 'string') this.#out.learn('cwd', directory);
  }

  #replace(messages: JsonObject[]): void {
    if (messages.length === 0 || this.#list !== undefined) return;
    const list = this.#withoutSummary(messages);
    this.#list = list;
    if (this.#rewindTo === undefined) return;
    // A rewind written after the list cuts it: from its target on, or whole when it has no such message.
    const target = list.findIndex((message) => message.id === this.#rewindTo);
    this.#rewindTo = undefined;
    this.#list = list.slice(0, Math.max(0, target));
  }

  /** A compression leaves its summary in the human's place, thanked for in words that are always the same. */
  #withoutSummary(messages: JsonObject[]): JsonObject[] {
    const thanks = messages.findLastIndex(
      (message) => textAt(message, 'type') === 'gemini' && wordsOf(message.content).trim() === THANKS,
    );
    const summary = messages[thanks - 1];
    if (textAt(summary, 'type') !== 'user') return messages;
    const timestamp = isoTime(summary?.timestamp);
    this.#out.facts.compactions.push({
      summary: wordsOf(summary?.content).trim(),
      ...(timestamp !== undefined && { timestamp }),
    });
    this.#out.skip('summary');
    return messages.toSpliced(thanks - 1, 2);
  }

  #record(record: JsonObject, at: number): void {
    const id = textAt(record, 'id') ?? `@${at}`;
    if (this.#rewindTo !== undefined) {
      if (this.#rewindTo === id) this.#rewindTo = undefined;
      this.#seen.add(id);
      this.#out.skip('rewound');
    } else if (this.#seen.has(id)) {
      this.#out.skip('older version of a message');
    } else if (this.#list === undefined) {
      this.#message(record, id);
    } else {
      const place = this.#list.findLastIndex((message) => message.id === id);
      if (place === -1) {
        this.#out.skip('replaced');
        return;
      }
      this.#fromList(place + 1);
      this.#list = this.#list.slice(0, place);
      this.#message(record, id);
    }
  }

  /** Take the messages of the list from `start` on: nothing older tells more about them. */
  #fromList(start: number): void {
    const list = this.#list?.splice(start) ?? [];
    for (let index = list.length - 1; index >= 0; index--) {
      const message = list[index];
      const id = textAt(message, 'id') ?? `@list:${start + index}`;
      if (message !== undefined && !this.#seen.has(id)) this.#message(message, id);
    }
  }

  #message(record: JsonObject, id: string): void {
    this.#seen.add(id);
    const type = textAt(record, 'type') ?? 'untyped';
    const timestamp = isoTime(record.timestamp);
    if (type !== 'user' && type !== 'gemini') {
      this.#out.skip(TYPES.has(type) ? 'host notice' : `${type} record`);
      return;
    }
    if (type === 'gemini') {
      this.#out.learn('model', textAt(record, 'model'));
      this.#out.learn('tokensUsed', numberAt(objectAt(record, 'tokens'), 'total'));
    }
    const tools = this.#toolsOf(record, id, timestamp);
    for (const tool of tools.reverse()) this.#out.add(tool);
    const words = type === 'user' ? humanWords(record) : wordsOf(record.content).trim();
    if (words !== '') this.#out.add(message(id, type === 'user' ? 'user' : 'assistant', words, timestamp));
    else if (tools.length === 0) this.#out.skip(type === 'user' ? 'injected context' : 'empty message');
  }

  /** Tool calls and results of a record, in their order, without those met already. */
  #toolsOf(record: JsonObject, owner: string, timestamp: string | undefined): Message[] {
    const found: Message[] = [];
    const put = (id: string, name: string | undefined, content: string, time: string | undefined): void => {
      if (this.#tools.has(id)) return;
      this.#tools.add(id);
      const made = message(id, 'tool', content, time);
      if (name !== undefined) made.tool = name;
      found.push(made);
    };
    for (const call of listAt(record, 'toolCalls').filter(isObject)) {
      const id = textAt(call, 'id') ?? `${owner}:call`;
      put(id, textAt(call, 'name'), jsonText(call.args ?? {}), timestamp);
      const result = call.result ?? call.resultDisplay;
      if (result === undefined || result === null) continue;
      put(`${id}:result`, textAt(call, 'name'), toolText(result), isoTime(call.timestamp) ?? timestamp);
    }
    for (const part of listAt(record, 'content').filter(isObject)) {
      const call = objectAt(part, 'functionCall');
      const response = objectAt(part, 'functionResponse');
      if (call !== undefined) {
        put(
          textAt(call, 'id') ?? `${owner}:call`,
          textAt(call, 'name'),
          jsonText(call.args ?? {}),
          timestamp,
        );
      }
      if (response !== undefined) {
        put(
          `${textAt(response, 'id') ?? owner}:result`,
          textAt(response, 'name'),
          toolText([part]),
          timestamp,
        );
      }
    }
    return found;
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
