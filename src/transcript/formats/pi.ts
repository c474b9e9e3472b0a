import { getNumber, getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { splitWordList } from '../../base/text/strings.ts';
import { extractCommandWords, extractText, parseIsoTime, renderResult, sumNumbers } from '../content.ts';
import { type Format, OUR_KEY, RecordPlace, type SessionEvent } from '../event.ts';
import { isSilentAnswer, openClawWords } from './openclaw-words.ts';

const TYPES = new Set(
  splitWordList(`
  session custom custom_message compaction branch_summary model_change thinking_level_change label
  session_info leaf reset
`),
);
/** pi and OpenClaw before its database: `{type, id, parentId, timestamp, …}`, versions 1 to 4. */
export const piFormat: Format = {
  name: 'pi',
  title: 'OpenClaw or pi session (JSONL)',
  recognises(record) {
    const type = getString(record, 'type');
    if (type === undefined || 'payload' in record || 'uuid' in record || 'sessionId' in record) return false;
    return type === 'message' ? getObject(record, 'message') !== undefined : TYPES.has(type);
  },
  events: readPiRecord,
};

/** The events of one entry: of a tree in versions 2 to 4, of a list in version 1. */
export function readPiRecord(record: JsonObject, at: number): SessionEvent[] {
  const type = getString(record, 'type') ?? 'untyped';
  const id = getString(record, 'id');
  if (type === 'session') {
    const [cwd, model] = [getString(record, 'cwd'), getString(record, 'modelId')];
    return [{ type: 'facts', session: id, cwd, model }];
  }

  if (type === 'leaf') {
    const to = record.targetId === null ? null : getString(record, 'targetId');
    return to === undefined ? [] : [{ type: 'back', to }];
  }

  const message = type === 'message' ? getObject(record, 'message') : undefined;
  const timestamp = parseIsoTime(record.timestamp) ?? message?.timestamp;
  const place = new RecordPlace(at, { id, timestamp });
  // Parents are always written before their children; a parent that is nowhere means a line was lost.
  const parent = record.parentId === null ? null : getString(record, 'parentId');
  // An entry of an unknown type is beside the conversation.
  const aside = record.appendMode === 'side' || !(type === 'message' || TYPES.has(type));
  const content = message === undefined ? readEntry(type, record, place) : readMessage(message, place);

  return [{ type: 'record', id, parent, aside }, ...content];
}

function readEntry(type: string, record: JsonObject, place: RecordPlace): SessionEvent[] {
  if (type === 'reset') return [{ type: 'anew', keepFrom: getString(record, 'firstKeptEntryId') }];

  if (type === 'custom') {
    const key = getString(record, 'customType') ?? '';
    const isOurs = key === OUR_KEY || key.startsWith(`${OUR_KEY}:`);
    return isOurs ? [{ type: 'entry', key, data: record.data, ...place }] : [];
  }

  if (type === 'compaction') {
    const [summary, keptFrom] = [getString(record, 'summary'), getString(record, 'firstKeptEntryId')];
    return [{ type: 'compacted', ...place, summary, keptFrom }];
  }

  if (type === 'custom_message') {
    const text = extractText(record.content);
    return text === '' ? [] : [{ type: 'host', text, ...place }];
  }

  if (type === 'model_change') return [{ type: 'facts', model: getString(record, 'modelId') }];

  return type === 'session_info' ? place.title(getString(record, 'name'), 'person') : [];
}

function readMessage(message: JsonObject, place: RecordPlace): SessionEvent[] {
  const role = getString(message, 'role');
  if (role === 'user') return readUser(message, place);
  if (role === 'assistant') return readAssistant(message, place);
  return role === 'toolResult' ? [readResult(message, place)] : [];
}

function readUser(message: JsonObject, place: RecordPlace): SessionEvent[] {
  const provenance = getString(getObject(message, 'provenance'), 'kind');
  const isForeign = provenance === 'inter_session' || provenance === 'internal_system';
  // Marked by our extension where a command's text has taken the place of what was typed.
  const typed = getString(getObject(message, 'scratchpad'), 'typed');
  const text = typed === undefined ? extractText(message.content) : extractCommandWords(typed);
  const personWords = isForeign ? undefined : openClawWords(text);

  if (personWords === undefined) return [];
  const { words, sender } = personWords;
  const isMarked = typed !== undefined;
  return [{ type: 'person', voice: 'prompt', text: words, isMarked, ...place, sender }];
}

function readAssistant(message: JsonObject, place: RecordPlace): SessionEvent[] {
  const usage = getObject(message, 'usage');
  const tokensUsed = getNumber(usage, 'totalTokens') || sumNumbers(usage, TOKENS);
  const text = extractText(message.content);
  const stop: SessionEvent[] = message.stopReason === 'aborted' ? [{ type: 'interrupted', ...place }] : [];

  return [
    { type: 'facts', model: getString(message, 'model'), tokensUsed },
    ...(isSilentAnswer(text) ? [] : place.agent(text)),
    ...place.tools(getObjects(message, 'content'), 'unknown'),
    ...stop,
  ];
}

function readResult(message: JsonObject, place: RecordPlace): SessionEvent {
  const text = renderResult(message.content);
  const completed = message.isError === false ? 'ok' : 'unknown';
  const outcome = message.isError === true ? 'failed' : completed;
  const tool = getString(message, 'toolName');
  return place.result(getString(message, 'toolCallId'), { text, outcome, tool });
}

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite'];
