import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../base/text/json.ts';
import { contentText, isoTime, plain, resultText } from '../content.ts';
import type { EventPlace, SessionEvent } from '../event.ts';
import type { Format } from '../format.ts';
import type { Role } from '../types.ts';

/** The roles of the common chat APIs, and who speaks. */
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
  about: (record) => ({
    session: textAt(record, 'sessionId'),
    cwd: textAt(record, 'cwd'),
    time: isoTime(record.timestamp),
  }),
};

/** The events of one message. */
function messageEvents(record: JsonObject, at: number): SessionEvent[] {
  const said = textAt(record, 'role');
  const role = ROLES.get(said ?? '');
  if (role === undefined)
    return [{ type: 'skip', reason: said === undefined ? 'entry without a role' : 'unknown role' }];
  const timestamp = isoTime(record.timestamp ?? record.created_at ?? record.createdAt);
  const session = textAt(record, 'session');
  const place = {
    id: typeof record.id === 'number' ? String(record.id) : (textAt(record, 'id') ?? `@${at}`),
    at,
    timestamp,
    session,
  };
  const content = record.content ?? record.text ?? record.parts;
  const tools = toolEvents(record, content, place);
  if (role === 'tool') return [resultOf(record, content, place), ...tools];
  const text = contentText(content);
  if (text === '') return tools.length > 0 ? tools : [{ type: 'skip', reason: 'empty message' }];
  const named = textAt(record, 'sender') ?? textAt(record, 'name');
  const sender = named && plain(named);
  if (role === 'assistant') return [{ type: 'agent', text, ...place, sender }, ...tools];
  if (role === 'system') return [{ type: 'host', text, ...place, sender }, ...tools];
  return [{ type: 'person', voice: 'prompt', text, ...place, sender }, ...tools];
}

function resultOf(record: JsonObject, content: unknown, place: EventPlace): SessionEvent {
  const tool = textAt(record, 'tool') ?? textAt(record, 'toolName') ?? textAt(record, 'name');
  const call = textAt(record, 'tool_call_id') ?? textAt(record, 'toolCallId');
  return {
    type: 'result',
    text: resultText(content),
    outcome: 'unknown',
    ...place,
    tool,
    call,
  };
}

/** Tool calls and results in a message, in the form of the two common chat APIs. */
function toolEvents(record: JsonObject, content: unknown, place: EventPlace): SessionEvent[] {
  const events: SessionEvent[] = [];
  const call = (id: unknown, tool: string | undefined, input: unknown): void => {
    events.push({
      type: 'call',
      input: typeof input === 'string' || isObject(input) ? input : {},
      ...place,
      id: typeof id === 'string' && id !== '' ? id : `${place.id}:call`,
      tool,
    });
  };
  for (const made of listAt(record, 'tool_calls')) {
    const body = isObject(made) ? objectAt(made, 'function') : undefined;
    if (isObject(made) && body !== undefined) call(made.id, textAt(body, 'name'), body.arguments);
  }
  for (const block of Array.isArray(content) ? content : []) {
    if (!isObject(block)) continue;
    if (block.type === 'tool_use' || block.type === 'toolCall')
      call(block.id, textAt(block, 'name'), block.input ?? block.arguments);
    if (block.type !== 'tool_result') continue;
    const of = textAt(block, 'tool_use_id');
    events.push({
      type: 'result',
      text: resultText(block.content),
      outcome: block.is_error === true ? 'failed' : 'unknown',
      ...place,
      id: of === undefined ? `${place.id}:result` : `${of}:result`,
      call: of,
    });
  }
  return events;
}
