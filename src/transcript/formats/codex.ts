import type { Collector } from '../collector.ts';
import { plain, resultText, wordsOf } from '../content.ts';
import type { Format, FormatReader } from '../format.ts';
import { isOneElement } from '../injected.ts';
import { type JsonObject, jsonText, listAt, numberAt, objectAt, textAt } from '../json.ts';
import type { Message } from '../message.ts';
import { isoTime } from '../time.ts';

type Speaker = 'user' | 'assistant';
/** The same message is an event, since 2026 a completed item, and an item sent to the model. */
type Way = 'event' | 'completed' | 'item';

const ITEM_TYPES = new Set(['message', 'reasoning', 'function_call', 'function_call_output']);
const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call']);
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output']);
/** Editors put the open files before the words and this line between them. */
const REQUEST = /^## My request for Codex:[ \t]*$/m;

/** Codex CLI: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codexFormat: Format = {
  name: 'codex',
  title: 'Codex rollout (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type !== undefined && objectAt(record, 'payload') !== undefined) return true;
    if (textAt(record, 'record_type') !== undefined) return true;
    // Rollouts of 2025 have the items bare, after a line with the session's id.
    return type !== undefined && ITEM_TYPES.has(type) && !('message' in record) && !('uuid' in record);
  },
  open: (out) => new CodexReader(out),
};

class CodexReader implements FormatReader {
  readonly #out: Collector;
  /** How often words were met in each way of writing, and how many messages they made; by role and words. */
  readonly #met = new Map<string, { messages: number; ways: Map<Way, number> }>();
  readonly #unnamed = new Map<string, Message>();
  #cwd: string | undefined;
  /** Turns of the human that were rolled back later in the file. */
  #rolledBack = 0;

  constructor(out: Collector) {
    this.#out = out;
  }

  head(record: JsonObject): void {
    if (textAt(record, 'type') === 'session_meta') this.#meta(objectAt(record, 'payload') ?? {});
  }

  take(record: JsonObject, at: number): undefined {
    const payload = objectAt(record, 'payload') ?? record;
    const type = textAt(record, 'type');
    const timestamp = isoTime(record.timestamp);
    if (type === 'event_msg') this.#event(payload, at, timestamp);
    else if (type === 'session_meta') this.#meta(payload);
    else if (type === 'turn_context') this.#context(payload);
    else if (type === 'compacted') this.#compacted(textAt(payload, 'message'), timestamp);
    else this.#item(payload, at, timestamp, type);
  }

  finish(): void {
    this.#out.learn('cwd', this.#cwd);
  }

  #meta(payload: JsonObject): void {
    this.#out.learn('id', textAt(payload, 'id'));
    this.#out.learn('cwd', textAt(payload, 'cwd'));
  }

  #context(payload: JsonObject): void {
    this.#cwd ??= textAt(payload, 'cwd');
    this.#out.learn('model', textAt(payload, 'model'));
    this.#out.skip('turn context');
  }

  #compacted(summary: string | undefined, timestamp: string | undefined): void {
    this.#out.facts.compactions.push({
      ...(timestamp !== undefined && { timestamp }),
      ...(summary !== undefined && { summary }),
    });
    this.#out.skip('compaction summary');
  }

  #event(payload: JsonObject, at: number, timestamp: string | undefined): void {
    const type = textAt(payload, 'type');
    if (type === 'user_message') {
      const kind = textAt(payload, 'kind') ?? 'plain';
      if (kind === 'plain') this.#spoken('user', 'event', wordsOf(payload.message), `@${at}`, timestamp);
      else this.#out.skip('injected context');
    } else if (type === 'agent_message') {
      this.#spoken('assistant', 'event', wordsOf(payload.message), `@${at}`, timestamp);
    } else if (type === 'item_completed') {
      this.#completed(objectAt(payload, 'item'), at, timestamp);
    } else if (type === 'token_count') {
      const info = objectAt(payload, 'info');
      this.#out.learn('contextWindow', numberAt(info, 'model_context_window'));
      this.#out.learn('tokensUsed', numberAt(objectAt(info, 'last_token_usage'), 'total_tokens'));
      this.#out.skip('token count');
    } else {
      if (type === 'thread_rolled_back') this.#rolledBack += numberAt(payload, 'num_turns') ?? 0;
      this.#out.skip(`event: ${type ?? 'untyped'}`);
    }
  }

  #completed(item: JsonObject | undefined, at: number, timestamp: string | undefined): void {
    const type = textAt(item, 'type');
    const role = type === 'UserMessage' ? 'user' : type === 'AgentMessage' ? 'assistant' : undefined;
    const id = textAt(item, 'id') ?? `@${at}`;
    if (role !== undefined) this.#spoken(role, 'completed', wordsOf(item?.content), id, timestamp);
    else this.#out.skip(`completed item: ${type ?? 'untyped'}`);
  }

  #item(payload: JsonObject, at: number, timestamp: string | undefined, record: string | undefined): void {
    const type = textAt(payload, 'type') ?? record ?? 'untyped';
    if (type === 'message') {
      const role = textAt(payload, 'role');
      const id = textAt(payload, 'id') ?? `@${at}`;
      if (role === 'user' || role === 'assistant')
        this.#spoken(role, 'item', wordsOf(sentByHuman(payload)), id, timestamp);
      else this.#out.skip('instructions');
    } else if (CALLS.has(type)) {
      this.#call(payload, at, timestamp, type);
    } else if (OUTPUTS.has(type)) {
      const call = textAt(payload, 'call_id');
      const id = call === undefined ? `@${at}:result` : `${call}:result`;
      const result = message(id, 'tool', outputText(payload.output), timestamp);
      if (call !== undefined) this.#unnamed.set(call, result);
      this.#add(result);
    } else {
      this.#out.skip(ITEM_TYPES.has(type) ? type : `${type} line`);
    }
  }

  #call(payload: JsonObject, at: number, timestamp: string | undefined, type: string): void {
    const id = textAt(payload, 'call_id') ?? textAt(payload, 'id') ?? `@${at}:call`;
    const name =
      textAt(payload, 'name') ?? (type === 'local_shell_call' ? 'shell' : type.replace(/_call$/, ''));
    const result = this.#unnamed.get(id);
    if (result !== undefined) result.tool = name;
    this.#unnamed.delete(id);
    const input = payload.arguments ?? payload.input ?? payload.action ?? {};
    const call = message(id, 'tool', typeof input === 'string' ? plain(input) : jsonText(input), timestamp);
    call.tool = name;
    this.#add(call);
  }

  #spoken(role: Speaker, written: Way, text: string, id: string, timestamp: string | undefined): void {
    const words = role === 'user' ? humanWords(text, written) : text.trim();
    if (words === undefined || words === '') {
      this.#out.skip(words === undefined ? 'injected context' : 'empty message');
      return;
    }
    if (this.#isCopy(`${role} ${words}`, written)) {
      this.#out.skip('second copy of a message');
      return;
    }
    this.#add(message(id, role, words, timestamp));
    if (role === 'user' && this.#rolledBack > 0) this.#rolledBack--;
  }

  /**
   * The same words are written in two or three ways, and which of them, and in what order, has changed over
   * time. Words were said as often as the way that has them most often says.
   */
  #isCopy(key: string, way: Way): boolean {
    const met = this.#met.get(key) ?? { messages: 0, ways: new Map<Way, number>() };
    this.#met.set(key, met);
    const times = (met.ways.get(way) ?? 0) + 1;
    met.ways.set(way, times);
    if (times <= met.messages) return true;
    met.messages = times;
    return false;
  }

  #add(made: Message): void {
    if (this.#rolledBack > 0) this.#out.skip('rolled back');
    else this.#out.add(made);
  }
}

/** The blocks of a message less those that are marked as put in by Codex, where they are marked (0.169). */
function sentByHuman(payload: JsonObject): unknown {
  const kinds = listAt(objectAt(payload, 'internal_chat_message_metadata_passthrough'), 'content_item_kinds');
  const blocks = listAt(payload, 'content');
  if (kinds.length === 0 || kinds.length !== blocks.length) return payload.content;
  return blocks.filter((_, index) => {
    const kind = kinds[index];
    return typeof kind !== 'string' || kind === 'unknown' || kind.startsWith('user.');
  });
}

/** An event holds what was typed, whatever it looks like; an item can also be what Codex itself put in. */
function humanWords(text: string, written: Way): string | undefined {
  const request = REQUEST.exec(text);
  const words = (request === null ? text : text.slice(request.index + request[0].length)).trim();
  if (written !== 'item') return words;
  const injected =
    isOneElement(words) || (words.startsWith('# AGENTS.md instructions') && words.includes('<INSTRUCTIONS>'));
  return injected ? undefined : words;
}

/** Results of the shell are JSON text with an `output` member. */
function outputText(output: unknown): string {
  if (typeof output === 'string' && output.startsWith('{"output":')) {
    try {
      return resultText(JSON.parse(output));
    } catch {
      return plain(output);
    }
  }
  return resultText(output);
}

function message(id: string, role: Message['role'], content: string, timestamp: string | undefined): Message {
  const made: Message = { id, role, content, session: '' };
  if (timestamp !== undefined) made.timestamp = timestamp;
  return made;
}
