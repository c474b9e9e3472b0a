import type { Collector } from '../collector.ts';
import { plain, resultText, wordsOf } from '../content.ts';
import type { Format, FormatReader } from '../format.ts';
import { isObject, type JsonObject, jsonText, listAt, objectAt, textAt } from '../json.ts';
import type { Message, Role } from '../message.ts';
import { isoTime } from '../time.ts';

const ROLES = new Map<string, Role>([
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['toolResult', 'tool'],
  ['system', 'system'],
  ['developer', 'system'],
]);

/** Messages without a host: `{role, content, id?, sender?, name?, timestamp?}`. */
export const messagesFormat: Format = {
  name: 'messages',
  title: 'plain messages (a JSON array, {"messages": […]} or JSONL of {"role", "content"})',
  recognises(record) {
    return textAt(record, 'role') !== undefined && !('type' in record && 'payload' in record);
  },
  open: (out) => new MessagesReader(out),
};

class MessagesReader implements FormatReader {
  readonly #out: Collector;

  constructor(out: Collector) {
    this.#out = out;
  }

  take(record: JsonObject, at: number): undefined {
    const role = ROLES.get(textAt(record, 'role') ?? '');
    if (role === undefined) {
      this.#out.skip(textAt(record, 'role') === undefined ? 'entry without a role' : 'unknown role');
      return;
    }
    const made = this.#message(record, role, at);
    const content = record.content ?? record.text ?? record.parts;
    for (const tool of toolsOf(record, content).reverse()) {
      this.#out.add({ ...made, id: `${made.id}:${tool.kind}`, role: 'tool', ...tool.fields });
    }
    made.content = role === 'tool' ? resultText(content) : wordsOf(content);
    const blank = made.content === '' && role !== 'tool';
    if (!blank) this.#out.add(made);
    else if (toolsOf(record, content).length === 0) this.#out.skip('empty message');
  }

  #message(record: JsonObject, role: Role, at: number): Message {
    const made: Message = {
      id: idOf(record) ?? `@${at}`,
      role,
      content: '',
      session: textAt(record, 'session') ?? '',
    };
    const named = textAt(record, 'name');
    const sender = textAt(record, 'sender') ?? (role === 'tool' ? undefined : named);
    const tool =
      role === 'tool' ? (textAt(record, 'tool') ?? textAt(record, 'toolName') ?? named) : undefined;
    const timestamp = isoTime(record.timestamp ?? record.created_at ?? record.createdAt);
    if (sender !== undefined) made.sender = plain(sender);
    if (tool !== undefined) made.tool = tool;
    if (timestamp !== undefined) made.timestamp = timestamp;
    return made;
  }
}

function idOf(record: JsonObject): string | undefined {
  const id = record.id;
  return typeof id === 'number' ? String(id) : textAt(record, 'id');
}

interface ToolPart {
  kind: string;
  fields: { content: string; tool?: string };
}

/** Tool calls and results inside a message, as the two common chat interfaces write them. */
function toolsOf(record: JsonObject, content: unknown): ToolPart[] {
  const parts: ToolPart[] = [];
  for (const call of listAt(record, 'tool_calls')) {
    const body = isObject(call) ? objectAt(call, 'function') : undefined;
    if (body === undefined) continue;
    const input = body.arguments;
    parts.push(part('call', typeof input === 'string' ? input : jsonText(input ?? {}), textAt(body, 'name')));
  }
  for (const block of Array.isArray(content) ? content : []) {
    if (!isObject(block)) continue;
    if (block.type === 'tool_use' || block.type === 'toolCall') {
      parts.push(part('call', jsonText(block.input ?? block.arguments ?? {}), textAt(block, 'name')));
    }
    if (block.type === 'tool_result') parts.push(part('result', resultText(block.content), undefined));
  }
  return parts;
}

function part(kind: string, content: string, tool: string | undefined): ToolPart {
  return { kind, fields: tool === undefined ? { content } : { content, tool } };
}
