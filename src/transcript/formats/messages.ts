import { getList, getObject, getString, isObject, type JsonObject } from '../../base/text/json.ts';
import { extractText, normalizeText, parseIsoTime, renderResult } from '../content.ts';
import { callEvent, type EventPlace, type Format, makeResultEvent, type SessionEvent } from '../event.ts';
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
    return getString(record, 'role') !== undefined && !('type' in record && 'payload' in record);
  },
  events: readMessageRecord,
};

function readMessageRecord(record: JsonObject, at: number): SessionEvent[] {
  const role = ROLES.get(getString(record, 'role') ?? '');
  if (role === undefined) return [];

  const time = record.timestamp ?? record.created_at ?? record.createdAt ?? undefined;
  const timestamp = parseIsoTime(time);
  const id = typeof record.id === 'number' ? String(record.id) : getString(record, 'id');
  const place = { id: id ?? `@${at}`, at, timestamp, session: getString(record, 'session') };
  const [session, workingDirectory] = [getString(record, 'sessionId'), getString(record, 'cwd')];

  const skips = time !== undefined && timestamp === undefined;
  const events: SessionEvent[] = skips ? [{ type: 'skip', reason: 'invalid timestamp' }] : [];

  return [{ type: 'facts', session, workingDirectory }, ...events, ...readContent(role, record, place)];
}

function readContent(role: Role, record: JsonObject, place: EventPlace): SessionEvent[] {
  const content = record.content ?? record.text ?? record.parts;
  const tools = readTools(record, content, place);
  const name = getString(record, 'name');

  if (role === 'tool') {
    const tool = getString(record, 'tool') ?? getString(record, 'toolName') ?? name;
    const call = getString(record, 'tool_call_id') ?? getString(record, 'toolCallId');
    const result = { tool, text: renderResult(content), outcome: 'unknown' as const };
    return [makeResultEvent(place, call, result), ...tools];
  }

  const text = extractText(content);
  if (text === '') return tools;

  const named = getString(record, 'sender') ?? name;
  const words = { text, ...place, sender: named && normalizeText(named) };

  if (role === 'assistant') return [{ type: 'agent', ...words }, ...tools];
  if (role === 'system') return [{ type: 'host', ...words }, ...tools];

  return [{ type: 'person', voice: 'prompt', ...words }, ...tools];
}

function readTools(record: JsonObject, content: unknown, place: EventPlace): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const call of getList(record, 'tool_calls').filter(isObject)) {
    const body = getObject(call, 'function');
    if (body !== undefined) events.push(callEvent(place, body, getString(call, 'id')));
  }

  for (const block of Array.isArray(content) ? content.filter(isObject) : []) {
    if (block.type === 'tool_use' || block.type === 'toolCall') events.push(callEvent(place, block));

    if (block.type !== 'tool_result') continue;

    const outcome = block.is_error === true ? 'failed' : 'unknown';
    const text = renderResult(block.content);
    events.push(makeResultEvent(place, getString(block, 'tool_use_id'), { text, outcome }));
  }

  return events;
}
