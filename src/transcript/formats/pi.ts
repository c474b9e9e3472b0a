import type { Collector } from '../collector.ts';
import { resultText, wordsOf } from '../content.ts';
import { OUR_KEY } from '../entry-keys.ts';
import type { Format, FormatReader } from '../format.ts';
import { isObject, type JsonObject, jsonText, listAt, numberAt, objectAt, textAt } from '../json.ts';
import type { Message } from '../message.ts';
import { isoTime } from '../time.ts';
import type { CustomEntry } from '../types.ts';
import { ActivePath } from './pi-path.ts';
import { piWords } from './pi-words.ts';

const TYPES = new Set([
  'session',
  'custom',
  'custom_message',
  'compaction',
  'branch_summary',
  'model_change',
  'thinking_level_change',
  'label',
  'session_info',
  'leaf',
  'reset',
]);
/** What an OpenClaw agent answers when it has nothing to say; it is not delivered. */
const SILENT = new Set(['NO_REPLY', 'HEARTBEAT_OK']);
/** Lines with these are looked at wherever they stand. */
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
  open: (out) => new PiReader(out),
};

/** Reads session entries, whether they come from lines of a file or from rows of a database. */
export class PiReader implements FormatReader {
  readonly #out: Collector;
  readonly #path: ActivePath;
  /** Lowest offset seen: lines above it are being read a second time. */
  #lowest = Number.POSITIVE_INFINITY;
  /** Lines beside the path since the last one on it; not counted if the path has to be mended there. */
  #beside = 0;

  /** @param tree false when the entries given are the active path already */
  constructor(out: Collector, tree = true) {
    this.#out = out;
    this.#path = new ActivePath(!tree);
  }

  head(record: JsonObject): void {
    if (textAt(record, 'type') === 'session') this.#header(record);
  }

  wants(bytes: Buffer): boolean {
    const { wanted } = this.#path;
    // An id that JSON may spell in several ways cannot be searched for; Node 24 even ends the process over a
    // lone surrogate in it.
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
      this.#header(record);
      return undefined;
    }
    const place = this.#path.place(record, at);
    if (place !== 'beside') this.#flush();
    if (type === 'custom') this.#custom(record, first);
    else if (place === 'beside') this.#beside++;
    else if (type === 'message') this.#message(record, at);
    else if (type === 'compaction') this.#compaction(record);
    else if (type === 'custom_message') this.#note(record, at);
    else this.#other(record, type ?? 'untyped', first);
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

  #flush(): void {
    if (this.#beside > 0) this.#out.skip('other branch', this.#beside);
    this.#beside = 0;
  }

  #header(record: JsonObject): void {
    this.#out.learn('id', textAt(record, 'id'));
    this.#out.learn('cwd', textAt(record, 'cwd'));
    this.#out.learn('model', textAt(record, 'modelId'));
  }

  #custom(record: JsonObject, first: boolean): void {
    if (!first) return;
    const key = textAt(record, 'customType') ?? '';
    this.#out.skip('custom entry');
    if (key !== OUR_KEY && !key.startsWith(`${OUR_KEY}:`)) return;
    const entry: CustomEntry = { key, data: record.data };
    const id = textAt(record, 'id');
    const timestamp = isoTime(record.timestamp);
    if (id !== undefined) entry.id = id;
    if (timestamp !== undefined) entry.timestamp = timestamp;
    this.#out.facts.entries.push(entry);
  }

  #compaction(record: JsonObject): void {
    const timestamp = isoTime(record.timestamp);
    const summary = textAt(record, 'summary');
    this.#out.skip('compaction summary');
    this.#out.facts.compactions.push({
      ...(timestamp !== undefined && { timestamp }),
      ...(summary !== undefined && { summary }),
    });
  }

  #note(record: JsonObject, at: number): void {
    const text = wordsOf(record.content);
    if (text === '') this.#out.skip('empty message');
    else this.#add(textAt(record, 'id') ?? `@${at}`, 'system', text, isoTime(record.timestamp));
  }

  #other(record: JsonObject, type: string, first: boolean): void {
    if (type === 'model_change') this.#out.learn('model', textAt(record, 'modelId'));
    if (first || type !== 'reset') this.#out.skip(`${type} line`);
  }

  #message(record: JsonObject, at: number): void {
    const message = objectAt(record, 'message');
    const role = textAt(message, 'role');
    const id = textAt(record, 'id') ?? `@${at}`;
    const timestamp = isoTime(record.timestamp) ?? isoTime(message?.timestamp);
    if (role === 'user') this.#user(message, id, timestamp);
    else if (role === 'assistant') this.#assistant(message, id, timestamp);
    else if (role === 'toolResult') {
      const call = textAt(message, 'toolCallId');
      const text = resultText(message?.content);
      this.#tool(call === undefined ? id : `${call}:result`, textAt(message, 'toolName'), text, timestamp);
    } else if (role === 'bashExecution') {
      const output = `${textAt(message, 'command') ?? ''}\n${textAt(message, 'output') ?? ''}`;
      this.#tool(id, 'bash', output.trim(), timestamp);
    } else this.#out.skip(role === undefined ? 'message without a role' : `${role} message`);
  }

  #user(message: JsonObject | undefined, id: string, timestamp: string | undefined): void {
    const provenance = textAt(objectAt(message, 'provenance'), 'kind');
    const foreign = provenance === 'inter_session' || provenance === 'internal_system';
    const heard = foreign ? { reason: 'host prompt' } : piWords(wordsOf(message?.content));
    if ('reason' in heard) this.#out.skip(heard.reason);
    else
      this.#add(
        id,
        'user',
        heard.words,
        timestamp,
        heard.sender === undefined ? {} : { sender: heard.sender },
      );
  }

  #assistant(message: JsonObject | undefined, id: string, timestamp: string | undefined): void {
    this.#out.learn('model', textAt(message, 'model'));
    this.#out.learn('tokensUsed', usedTokens(objectAt(message, 'usage')));
    const calls = listAt(message, 'content').filter((block) => isObject(block) && block.type === 'toolCall');
    for (const block of calls.reverse()) {
      if (!isObject(block)) continue;
      const input = jsonText(block.arguments ?? {});
      this.#tool(textAt(block, 'id') ?? `${id}:call`, textAt(block, 'name'), input, timestamp);
    }
    const text = wordsOf(message?.content);
    if (SILENT.has(text.trim())) this.#out.skip('silent reply');
    else if (text !== '') this.#add(id, 'assistant', text, timestamp);
    else if (calls.length === 0) this.#out.skip('empty message');
  }

  #tool(id: string, tool: string | undefined, content: string, timestamp: string | undefined): void {
    this.#add(id, 'tool', content, timestamp, tool === undefined ? {} : { tool });
  }

  #add(
    id: string,
    role: Message['role'],
    content: string,
    timestamp: string | undefined,
    more: { sender?: string; tool?: string } = {},
  ): void {
    this.#out.add({ id, role, content, ...more, ...(timestamp !== undefined && { timestamp }), session: '' });
  }
}

/** Tokens of one turn: the host's total, or the sum of its parts. */
function usedTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  const total = numberAt(usage, 'totalTokens') ?? sum;
  return total > 0 ? total : undefined;
}
