import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../base/text/json.ts';
import { contentText, isoTime, plain, resultText } from '../content.ts';
import { callEvent, type EventPlace, type Format, resultEvent, type SessionEvent } from '../event.ts';
import type { Role } from '../types.ts';

export const ROLES: ReadonlyMap<string, Role> = new Map([
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
  events: messageEvents,
};

function messageEvents(record: JsonObject, at: number): SessionEvent[] {
  const role = ROLES.get(textAt(record, 'role') ?? '');
  if (role === undefined) return [];
  const timestamp = isoTime(record.timestamp ?? record.created_at ?? record.createdAt);
  const id = typeof record.id === 'number' ? String(record.id) : textAt(record, 'id');
  const place = { id: id ?? `@${at}`, at, timestamp, session: textAt(record, 'session') };
  const [session, workingDirectory] = [textAt(record, 'sessionId'), textAt(record, 'cwd')];
  return [{ type: 'facts', session, workingDirectory }, ...contentEvents(role, record, place)];
}

function contentEvents(role: Role, record: JsonObject, place: EventPlace): SessionEvent[] {
  const content = record.content ?? record.text ?? record.parts;
  const tools = toolEvents(record, content, place);
  const name = textAt(record, 'name');
  if (role === 'tool') {
    const tool = textAt(record, 'tool') ?? textAt(record, 'toolName') ?? name;
    const call = textAt(record, 'tool_call_id') ?? textAt(record, 'toolCallId');
    const result = { tool, text: resultText(content), outcome: 'unknown' as const };
    return [resultEvent(place, call, result), ...tools];
  }
  const text = contentText(content);
  if (text === '') return tools;
  const named = textAt(record, 'sender') ?? name;
  const words = { text, ...place, sender: named && plain(named) };
  if (role === 'assistant') return [{ type: 'agent', ...words }, ...tools];
  if (role === 'system') return [{ type: 'host', ...words }, ...tools];
  return [{ type: 'person', voice: 'prompt', ...words }, ...tools];
}

function toolEvents(record: JsonObject, content: unknown, place: EventPlace): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const call of listAt(record, 'tool_calls').filter(isObject)) {
    const body = objectAt(call, 'function');
    if (body !== undefined)
      events.push(callEvent(place, textAt(call, 'id'), textAt(body, 'name'), body.arguments));
  }
  for (const block of Array.isArray(content) ? content.filter(isObject) : []) {
    if (block.type === 'tool_use' || block.type === 'toolCall')
      events.push(
        callEvent(place, textAt(block, 'id'), textAt(block, 'name'), block.input ?? block.arguments),
      );
    if (block.type !== 'tool_result') continue;
    const outcome = block.is_error === true ? 'failed' : 'unknown';
    const text = resultText(block.content);
    events.push(resultEvent(place, textAt(block, 'tool_use_id'), { text, outcome }));
  }
  return events;
}
