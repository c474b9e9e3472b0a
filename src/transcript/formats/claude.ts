import type { Collector } from '../collector.ts';
import { resultText, wordsOf } from '../content.ts';
import type { Format, FormatReader } from '../format.ts';
import { isObject, type JsonObject, jsonText, listAt, numberAt, objectAt, textAt } from '../json.ts';
import type { Message } from '../message.ts';
import { isoTime } from '../time.ts';
import { claudeWords } from './claude-words.ts';

/** Line types that carry no session id of their own. */
const BARE_TYPES = new Set([
  'file-history-snapshot',
  'summary',
  'queue-operation',
  'custom-title',
  'last-prompt',
]);

/** Claude Code: `~/.claude/projects/<folded cwd>/<session>.jsonl`. */
export const claudeFormat: Format = {
  name: 'claude-code',
  title: 'Claude Code session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record) return false;
    if (BARE_TYPES.has(type)) return true;
    return textAt(record, 'sessionId') !== undefined || ('parentUuid' in record && 'uuid' in record);
  },
  independent: true,
  open: (out) => new ClaudeReader(out),
};

class ClaudeReader implements FormatReader {
  readonly #out: Collector;
  /** Lines that a resumed session copied are met twice. */
  readonly #seen = new Set<string>();
  /** Text of one API message is spread over several lines with one id. */
  readonly #answers = new Map<string, Message>();
  /** Results met before (that is, written after) the call that names their tool. */
  readonly #unnamed = new Map<string, Message>();
  #cwd: string | undefined;
  #summary: { timestamp?: string; summary?: string } | undefined;

  constructor(out: Collector) {
    this.#out = out;
  }

  head(record: JsonObject): void {
    // Where the session was started; later lines follow the agent's `cd`.
    if (record.isSidechain !== true) this.#out.learn('cwd', textAt(record, 'cwd'));
  }

  take(record: JsonObject, at: number): undefined {
    const reason = this.#setAside(record);
    if (reason !== undefined) {
      this.#out.skip(reason);
      return;
    }
    this.#facts(record);
    const type = textAt(record, 'type');
    if (type === 'user') this.#user(record, at);
    else if (type === 'assistant') this.#assistant(record, at);
    else if (type === 'system') this.#system(record);
    else if (type === 'attachment') this.#attachment(record, at);
    else this.#out.skip(`${type ?? 'untyped'} line`);
  }

  finish(): void {
    this.#out.learn('cwd', this.#cwd);
    if (this.#summary !== undefined) this.#out.facts.compactions.push(this.#summary);
  }

  #setAside(record: JsonObject): string | undefined {
    if (record.isSidechain === true) return 'subagent line';
    const id = textAt(record, 'uuid');
    if (id === undefined) return undefined;
    if (this.#seen.has(id)) return 'repeated line';
    this.#seen.add(id);
    return undefined;
  }

  #facts(record: JsonObject): void {
    this.#out.learn('id', textAt(record, 'sessionId'));
    this.#cwd ??= textAt(record, 'cwd');
  }

  #user(record: JsonObject, at: number): void {
    const content = objectAt(record, 'message')?.content;
    const results = Array.isArray(content) ? content.filter((block) => isTool(block, 'tool_result')) : [];
    const timestamp = isoTime(record.timestamp);
    for (const block of results.reverse()) this.#result(block, record, at, timestamp);
    const text = wordsOf(content);
    if (record.isCompactSummary === true) {
      this.#summary = { summary: text, ...(timestamp !== undefined && { timestamp }) };
      this.#out.skip('compaction summary');
    } else if (record.isMeta === true || record.isVisibleInTranscriptOnly === true) {
      this.#out.skip('meta line');
    } else if (text !== '' || results.length === 0) {
      this.#words(text, record, at, timestamp);
    }
  }

  #words(text: string, record: JsonObject, at: number, timestamp: string | undefined): void {
    const found = claudeWords(text);
    if ('reason' in found) this.#out.skip(found.reason);
    else this.#out.add(message(textAt(record, 'uuid') ?? `@${at}`, 'user', found.words, timestamp, record));
  }

  #result(block: JsonObject, record: JsonObject, at: number, timestamp: string | undefined): void {
    const call = textAt(block, 'tool_use_id');
    const id = call === undefined ? `@${at}:result` : `${call}:result`;
    const result = message(id, 'tool', resultText(block.content), timestamp, record);
    if (call !== undefined) this.#unnamed.set(call, result);
    this.#out.add(result);
  }

  #assistant(record: JsonObject, at: number): void {
    const body = objectAt(record, 'message');
    const timestamp = isoTime(record.timestamp);
    if (record.isApiErrorMessage === true || textAt(body, 'model') === '<synthetic>') {
      this.#out.skip('host notice');
      return;
    }
    this.#out.learn('model', textAt(body, 'model'));
    if (this.#out.facts.tokensUsed === undefined)
      this.#out.learn('tokensUsed', contextTokens(objectAt(body, 'usage')));
    const calls = listAt(body, 'content').filter((block) => isTool(block, 'tool_use'));
    for (const block of calls.reverse()) this.#call(block, record, at, timestamp);
    const text = wordsOf(body?.content);
    if (text === '') {
      if (calls.length === 0) this.#out.skip('thinking');
      return;
    }
    const answer = textAt(body, 'id');
    const newer = answer === undefined ? undefined : this.#answers.get(answer);
    if (newer !== undefined) {
      newer.content = `${text}\n${newer.content}`;
      newer.id = textAt(record, 'uuid') ?? newer.id;
      if (timestamp !== undefined) newer.timestamp = timestamp;
      return;
    }
    const spoken = message(textAt(record, 'uuid') ?? `@${at}`, 'assistant', text, timestamp, record);
    if (answer !== undefined) this.#answers.set(answer, spoken);
    this.#out.add(spoken);
  }

  #call(block: JsonObject, record: JsonObject, at: number, timestamp: string | undefined): void {
    const id = textAt(block, 'id') ?? `@${at}:call`;
    const name = textAt(block, 'name');
    const result = this.#unnamed.get(id);
    if (result !== undefined && name !== undefined) result.tool = name;
    this.#unnamed.delete(id);
    const call = message(id, 'tool', jsonText(block.input ?? {}), timestamp, record);
    if (name !== undefined) call.tool = name;
    this.#out.add(call);
  }

  #system(record: JsonObject): void {
    const subtype = textAt(record, 'subtype') ?? 'untyped';
    this.#out.skip(`system line: ${subtype}`);
    if (subtype !== 'compact_boundary' && subtype !== 'microcompact_boundary') return;
    const timestamp = isoTime(record.timestamp);
    this.#out.facts.compactions.push({ ...this.#summary, ...(timestamp !== undefined && { timestamp }) });
    this.#summary = undefined;
  }

  /** What the human typed while the agent was at work is not a user line but an attachment. */
  #attachment(record: JsonObject, at: number): void {
    const attachment = objectAt(record, 'attachment');
    const typed = textAt(attachment, 'type') === 'queued_command';
    const mode = textAt(attachment, 'commandMode') ?? 'prompt';
    if (!typed || mode !== 'prompt') this.#out.skip('attachment line');
    else this.#words(wordsOf(attachment?.prompt), record, at, isoTime(record.timestamp));
  }
}

function isTool(block: unknown, type: 'tool_use' | 'tool_result'): block is JsonObject {
  return isObject(block) && block.type === type;
}

/** Size of the context at one answer: what was sent anew, written to the cache and read from it. */
function contextTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  return sum > 0 ? sum : undefined;
}

function message(
  id: string,
  role: Message['role'],
  content: string,
  timestamp: string | undefined,
  record: JsonObject,
): Message {
  const made: Message = { id, role, content, session: textAt(record, 'sessionId') ?? '' };
  if (timestamp !== undefined) made.timestamp = timestamp;
  return made;
}
