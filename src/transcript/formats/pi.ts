import { getNumber, getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { splitWordList } from '../../base/text/strings.ts';
import { extractCommandWords, extractText, parseIsoTime, renderResult, sumNumbers } from '../content.ts';
import { type Format, OUR_KEY, RowPlace, type SessionEvent } from '../event.ts';
import { isSilentAnswer, isTimerPrompt, openClawWords } from './openclaw-words.ts';

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
  recognises(row) {
    const type = getString(row, 'type');
    if (type === undefined || 'payload' in row || 'uuid' in row || 'sessionId' in row) return false;
    return type === 'message' ? getObject(row, 'message') !== undefined : TYPES.has(type);
  },
  events: readPiRow,
};

/** The events of one entry: of a tree in versions 2 to 4, of a list in version 1. */
export function readPiRow(row: JsonObject, at: number): SessionEvent[] {
  const type = getString(row, 'type') ?? 'untyped';
  const id = getString(row, 'id');
  if (type === 'session') {
    const [cwd, model] = [getString(row, 'cwd'), getString(row, 'modelId')];
    return [{ type: 'facts', session: id, cwd, model }];
  }

  if (type === 'leaf') {
    const to = row.targetId === null ? null : getString(row, 'targetId');
    return to === undefined ? [] : [{ type: 'back', to }];
  }

  const message = type === 'message' ? getObject(row, 'message') : undefined;
  const timestamp = parseIsoTime(row.timestamp) ?? message?.timestamp;
  const place = new RowPlace(at, { id, timestamp });
  // Parents are always written before their children; a parent that is nowhere means a line was lost.
  const parent = row.parentId === null ? null : getString(row, 'parentId');
  // An entry of an unknown type is beside the conversation.
  const aside = row.appendMode === 'side' || !(type === 'message' || TYPES.has(type));
  const content = message === undefined ? readEntry(type, row, place) : readMessage(message, place);

  return [{ type: 'row', id, parent, aside }, ...content];
}

function readEntry(type: string, row: JsonObject, place: RowPlace): SessionEvent[] {
  if (type === 'reset') return [{ type: 'restarted', keepFrom: getString(row, 'firstKeptEntryId') }];

  if (type === 'custom') {
    const key = getString(row, 'customType') ?? '';
    const isOurs = key === OUR_KEY || key.startsWith(`${OUR_KEY}:`);
    return isOurs ? [{ type: 'ourEntry', key, data: row.data, ...place }] : [];
  }

  if (type === 'compaction') {
    const [summary, keptFrom] = [getString(row, 'summary'), getString(row, 'firstKeptEntryId')];
    return [{ type: 'compacted', ...place, summary, keptFrom }];
  }

  if (type === 'custom_message') {
    const text = extractText(row.content);
    return text === '' ? [] : [{ type: 'host', text, ...place }];
  }

  if (type === 'model_change') return [{ type: 'facts', model: getString(row, 'modelId') }];

  return type === 'session_info' ? place.title(getString(row, 'name'), 'person') : [];
}

function readMessage(message: JsonObject, place: RowPlace): SessionEvent[] {
  const role = getString(message, 'role');
  if (role === 'user') return readUser(message, place);
  if (role === 'assistant') return readAssistant(message, place);
  return role === 'toolResult' ? [readResult(message, place)] : [];
}

function readUser(message: JsonObject, place: RowPlace): SessionEvent[] {
  const provenance = getString(getObject(message, 'provenance'), 'kind');
  const isForeign = provenance === 'inter_session' || provenance === 'internal_system';
  // Marked by our extension where a command's text has taken the place of what was typed.
  const typed = getString(getObject(message, 'scratchpad'), 'typed');
  const text = typed === undefined ? extractText(message.content) : extractCommandWords(typed);
  const personWords = isForeign ? undefined : openClawWords(text);

  if (personWords === undefined)
    return isTimerPrompt(text) ? [{ type: 'host', text: '', isTimer: true, ...place }] : [];
  const { words, sender } = personWords;
  const isMarked = typed !== undefined;
  return [{ type: 'person', voice: 'prompt', text: words, isMarked, ...place, sender }];
}

function readAssistant(message: JsonObject, place: RowPlace): SessionEvent[] {
  const usage = getObject(message, 'usage');
  const tokensUsed = getNumber(usage, 'totalTokens') || sumNumbers(usage, TOKENS);
  const text = extractText(message.content);
  const stop: SessionEvent[] = message.stopReason === 'aborted' ? [{ type: 'interrupted', ...place }] : [];
  const error = getString(message, 'errorMessage') ?? 'error';
  // Providers answer with a status and JSON.
  if (message.stopReason === 'error')
    stop.push({ type: 'error', text: /"message":"([^"]+)"/.exec(error)?.[1] ?? error, ...place });

  return [
    { type: 'facts', model: getString(message, 'model'), tokensUsed },
    ...(isSilentAnswer(text) ? [] : place.agent(text)),
    ...place.tools(getObjects(message, 'content'), 'unknown'),
    ...stop,
  ];
}

function readResult(message: JsonObject, place: RowPlace): SessionEvent {
  const text = renderResult(message.content);
  const completed = message.isError === false ? 'ok' : 'unknown';
  const outcome = message.isError === true ? 'failed' : completed;
  const tool = getString(message, 'toolName');
  return place.result(getString(message, 'toolCallId'), { text, outcome, tool });
}

const TOKENS = ['input', 'output', 'cacheRead', 'cacheWrite'];
