import { getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { withLf } from '../../base/text/strings.ts';
import { extractText, parseIsoTime, renderResult } from '../content.ts';
import { type Format, RowPlace, type SessionEvent } from '../event.ts';
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
  recognises(row) {
    return getString(row, 'role') !== undefined && !('type' in row && 'payload' in row);
  },
  events: readMessageRow,
};

function readMessageRow(row: JsonObject, at: number): SessionEvent[] {
  const name = getString(row, 'role') ?? '';
  const role = ROLES.get(name);
  if (role === undefined)
    return name === ''
      ? []
      : [{ type: 'skip', reason: `${UNKNOWN_ROLE}: ${JSON.stringify(name.slice(0, 40))}` }];

  const time = row.timestamp ?? row.created_at ?? row.createdAt ?? undefined;
  const timestamp = [time, row.date, row.time, row.ts].map(parseIsoTime).find(Boolean);
  const id = typeof row.id === 'number' ? String(row.id) : getString(row, 'id');
  const place = new RowPlace(at, { id, timestamp }, getString(row, 'session'));
  const [session, workingDirectory] = [getString(row, 'sessionId'), getString(row, 'cwd')];

  const isInvalid = time !== undefined && timestamp === undefined;
  const skips: SessionEvent[] = isInvalid ? [{ type: 'skip', reason: 'invalid timestamp' }] : [];

  return [{ type: 'facts', session, workingDirectory }, ...skips, ...readContent(role, row, place)];
}

function readContent(role: Role, row: JsonObject, place: RowPlace): SessionEvent[] {
  const content = row.content ?? row.text ?? row.parts;
  const tools = readTools(row, content, place);
  const name = getString(row, 'name');

  if (role === 'tool') {
    const tool = getString(row, 'tool') ?? getString(row, 'toolName') ?? name;
    const call = getString(row, 'tool_call_id') ?? getString(row, 'toolCallId');
    const result = { tool, text: renderResult(content), outcome: 'unknown' as const };
    return [place.result(call, result), ...tools];
  }

  const text = extractText(content);
  if (text === '') return tools;

  const sender = getString(row, 'sender') ?? name;
  const message = { text, ...place, sender: sender && withLf(sender) };

  if (role === 'assistant') return [{ type: 'agent', ...message }, ...tools];
  if (role === 'system') return [{ type: 'host', ...message }, ...tools];

  return [{ type: 'person', voice: 'prompt', ...message }, ...tools];
}

function readTools(row: JsonObject, content: unknown, place: RowPlace): SessionEvent[] {
  const calls = getObjects(row, 'tool_calls').flatMap((call) => {
    const body = getObject(call, 'function');
    return body === undefined ? [] : [place.call(body, getString(call, 'id'))];
  });

  return [...calls, ...place.tools(getObjects({ content }, 'content'), 'unknown')];
}
