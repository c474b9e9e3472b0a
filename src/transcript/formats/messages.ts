import { getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { withLf } from '../../base/text/strings.ts';
import { extractText, parseIsoTime, renderResult } from '../content.ts';
import { type Format, RecordPlace, type SessionEvent } from '../event.ts';
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

const UNKNOWN_ROLE = `message of a role that is none of ${[...ROLES.keys()].join(', ')}`;

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
  const name = getString(record, 'role') ?? '';
  const role = ROLES.get(name);
  if (role === undefined)
    return name === ''
      ? []
      : [{ type: 'skip', reason: `${UNKNOWN_ROLE}: ${JSON.stringify(name.slice(0, 40))}` }];

  const time = record.timestamp ?? record.created_at ?? record.createdAt ?? undefined;
  const timestamp = [time, record.date, record.time, record.ts].map(parseIsoTime).find(Boolean);
  const id = typeof record.id === 'number' ? String(record.id) : getString(record, 'id');
  const place = new RecordPlace(at, { id, timestamp }, getString(record, 'session'));
  const [session, workingDirectory] = [getString(record, 'sessionId'), getString(record, 'cwd')];

  const isInvalid = time !== undefined && timestamp === undefined;
  const skips: SessionEvent[] = isInvalid ? [{ type: 'skip', reason: 'invalid timestamp' }] : [];

  return [{ type: 'facts', session, workingDirectory }, ...skips, ...readContent(role, record, place)];
}

function readContent(role: Role, record: JsonObject, place: RecordPlace): SessionEvent[] {
  const content = record.content ?? record.text ?? record.parts;
  const tools = readTools(record, content, place);
  const name = getString(record, 'name');

  if (role === 'tool') {
    const tool = getString(record, 'tool') ?? getString(record, 'toolName') ?? name;
    const call = getString(record, 'tool_call_id') ?? getString(record, 'toolCallId');
    const result = { tool, text: renderResult(content), outcome: 'unknown' as const };
    return [place.result(call, result), ...tools];
  }

  const text = extractText(content);
  if (text === '') return tools;

  const sender = getString(record, 'sender') ?? name;
  const message = { text, ...place, sender: sender && withLf(sender) };

  if (role === 'assistant') return [{ type: 'agent', ...message }, ...tools];
  if (role === 'system') return [{ type: 'host', ...message }, ...tools];

  return [{ type: 'person', voice: 'prompt', ...message }, ...tools];
}

function readTools(record: JsonObject, content: unknown, place: RecordPlace): SessionEvent[] {
  const calls = getObjects(record, 'tool_calls').flatMap((call) => {
    const body = getObject(call, 'function');
    return body === undefined ? [] : [place.call(body, getString(call, 'id'))];
  });

  return [...calls, ...place.tools(getObjects({ content }, 'content'), 'unknown')];
}
