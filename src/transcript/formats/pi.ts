import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../base/text/json.ts';
import { wordList } from '../../base/text/strings.ts';
import { contentText, isoTime, resultText } from '../content.ts';
import {
  callEvent,
  type EventPlace,
  type Format,
  OUR_KEY,
  resultEvent,
  type SessionEvent,
} from '../event.ts';
import { isSilentAnswer, openClawWords } from './openclaw-words.ts';

const TYPES = new Set(
  wordList(`
  session custom custom_message compaction branch_summary model_change thinking_level_change label
  session_info leaf reset
`),
);
/** pi and OpenClaw before its database: `{type, id, parentId, timestamp, …}`, versions 1 to 4. */
export const piFormat: Format = {
  name: 'pi',
  title: 'OpenClaw or pi session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record || 'uuid' in record || 'sessionId' in record) return false;
    return type === 'message' ? objectAt(record, 'message') !== undefined : TYPES.has(type);
  },
  events: piEvents,
};

/** The events of one entry: of a tree in versions 2 to 4, of a list in version 1. */
export function piEvents(record: JsonObject, at: number): SessionEvent[] {
  const type = textAt(record, 'type') ?? 'untyped';
  const id = textAt(record, 'id');
  if (type === 'session') {
    const [cwd, model] = [textAt(record, 'cwd'), textAt(record, 'modelId')];
    return [{ type: 'facts', session: id, cwd, model }];
  }
  if (type === 'leaf') {
    const to = record.targetId === null ? null : textAt(record, 'targetId');
    return to === undefined ? [] : [{ type: 'back', to }];
  }
  const message = type === 'message' ? objectAt(record, 'message') : undefined;
  const timestamp = isoTime(record.timestamp) ?? isoTime(message?.timestamp);
  const place: EventPlace = { id: id ?? `@${at}`, at, timestamp };
  // Parents are always written before their children; a parent that is nowhere means a line was lost.
  const parent = record.parentId === null ? null : textAt(record, 'parentId');
  // An unknown entry is only attached to the tree.
  const aside = record.appendMode === 'side' || !(type === 'message' || TYPES.has(type));
  const content = message === undefined ? entryEvents(type, record, place) : messageEvents(message, place);
  return [{ type: 'record', id, parent, aside }, ...content];
}

function entryEvents(type: string, record: JsonObject, place: EventPlace): SessionEvent[] {
  if (type === 'reset') return [{ type: 'anew', keepFrom: textAt(record, 'firstKeptEntryId') }];
  if (type === 'custom') {
    const key = textAt(record, 'customType') ?? '';
    const isOurs = key === OUR_KEY || key.startsWith(`${OUR_KEY}:`);
    return isOurs ? [{ type: 'entry', key, data: record.data, ...place }] : [];
  }
  if (type === 'compaction') return [{ type: 'compacted', ...place, summary: textAt(record, 'summary') }];
  if (type === 'custom_message') {
    const text = contentText(record.content);
    return text === '' ? [] : [{ type: 'host', text, ...place }];
  }
  if (type === 'model_change') return [{ type: 'facts', model: textAt(record, 'modelId') }];
  const name = type === 'session_info' ? (textAt(record, 'name')?.trim() ?? '') : '';
  return name === '' ? [] : [{ type: 'title', text: name, by: 'person', ...place }];
}

function messageEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const role = textAt(message, 'role');
  if (role === 'user') return userEvents(message, place);
  if (role === 'assistant') return assistantEvents(message, place);
  return role === 'toolResult' ? [resultOf(message, place)] : [];
}

function userEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const provenance = textAt(objectAt(message, 'provenance'), 'kind');
  const isForeign = provenance === 'inter_session' || provenance === 'internal_system';
  const said = isForeign ? undefined : openClawWords(contentText(message.content));
  if (said === undefined) return [];
  return [{ type: 'person', voice: 'prompt', text: said.words, ...place, sender: said.sender }];
}

function assistantEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const tokensUsed = usedTokens(objectAt(message, 'usage'));
  const events: SessionEvent[] = [{ type: 'facts', model: textAt(message, 'model'), tokensUsed }];
  const calls = listAt(message, 'content')
    .filter(isObject)
    .filter((block) => block.type === 'toolCall');
  const text = contentText(message.content);
  if (text !== '' && !isSilentAnswer(text)) events.push({ type: 'agent', text, ...place });
  for (const block of calls)
    events.push(callEvent(place, textAt(block, 'id'), textAt(block, 'name'), block.arguments));
  if (textAt(message, 'stopReason') === 'aborted') events.push({ type: 'interrupted', ...place });
  return events;
}

function resultOf(message: JsonObject, place: EventPlace): SessionEvent {
  const text = resultText(message.content);
  const outcome = message.isError === true ? 'failed' : message.isError === false ? 'ok' : 'unknown';
  return resultEvent(place, textAt(message, 'toolCallId'), {
    text,
    outcome,
    tool: textAt(message, 'toolName'),
  });
}

function usedTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  const total = numberAt(usage, 'totalTokens') ?? sum;
  return total > 0 ? total : undefined;
}
