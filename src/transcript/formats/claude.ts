import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../base/text/json.ts';
import { contentText, isoTime, resultText } from '../content.ts';
import {
  answerEvents,
  callEvent,
  type EventPlace,
  type Format,
  type PersonSaid,
  resultEvent,
  type SessionEvent,
} from '../event.ts';
import { answersIn, claudeWords, isFromPerson, queuedText, rejectionIn } from './claude-words.ts';

/** Line types without a session id. */
const BARE_TYPES = new Set([
  'file-history-snapshot',
  'summary',
  'queue-operation',
  'custom-title',
  'last-prompt',
]);

/** Claude Code: `~/.claude/projects/<folded cwd>/<session>.jsonl`. */
export const claudeFormat: Format = {
  name: 'claude-code',
  title: 'Claude Code session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record) return false;
    if (BARE_TYPES.has(type)) return true;
    return textAt(record, 'sessionId') !== undefined || ('parentUuid' in record && 'uuid' in record);
  },
  events: claudeEvents,
};

function claudeEvents(record: JsonObject, at: number): SessionEvent[] {
  if (record.isSidechain === true) return [{ type: 'facts', subagent: true }];
  const type = textAt(record, 'type') ?? 'untyped';
  const place: EventPlace = {
    id: textAt(record, 'uuid') ?? `@${at}`,
    at,
    timestamp: isoTime(record.timestamp),
    session: textAt(record, 'sessionId') ?? '',
  };
  return [startOf(record), factsOf(record), ...contentEvents(type, record, place)];
}

function contentEvents(type: string, record: JsonObject, place: EventPlace): SessionEvent[] {
  if (type === 'user') return userEvents(record, place);
  if (type === 'assistant') return assistantEvents(record, place);
  if (type === 'queue-operation') return queueEvents(record, place);
  if (type === 'attachment') return attachmentEvents(record, place);
  if (type !== 'system') return titleEvents(record, place);
  return textAt(record, 'subtype') === 'compact_boundary' ? [{ type: 'compacted', ...place }] : [];
}

/** A prompt names the record that it continues; other records do, too, but parallel calls branch there. */
function startOf(record: JsonObject): SessionEvent {
  const id = textAt(record, 'uuid');
  const parent = record.parentUuid === null ? null : textAt(record, 'parentUuid');
  const isHost = record.isMeta === true || record.isCompactSummary === true;
  const isTyped = record.type === 'user' && !isHost && blocksIn(record, 'tool_result').length === 0;
  return isTyped ? { type: 'record', id, parent, soft: true } : { type: 'record', id };
}

function factsOf(record: JsonObject): SessionEvent {
  const branch = textAt(record, 'gitBranch');
  return {
    type: 'facts',
    session: textAt(record, 'sessionId'),
    workingDirectory: textAt(record, 'cwd'),
    // Outside a repository, and on no branch of one, it is called HEAD; older versions write nothing there.
    branch: branch === 'HEAD' ? undefined : branch,
    subagent: false,
  };
}

const blocksIn = (record: JsonObject, type: 'tool_use' | 'tool_result'): JsonObject[] =>
  listAt(objectAt(record, 'message'), 'content')
    .filter(isObject)
    .filter((block) => block.type === type);

/** What was typed while the agent worked, and what became of it. */
function queueEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const operation = textAt(record, 'operation');
  const text = queuedText(record.content);
  if (operation === 'enqueue' && isFromPerson(record))
    return wordEvents(text, place, { voice: 'queued', way: 'enqueue' });
  if (operation === 'dequeue') return [{ type: 'queue', did: 'sent as a prompt' }];
  if (operation === 'remove') return [{ type: 'queue', did: 'delivered' }];
  return operation === 'popAll' ? [{ type: 'queue', did: 'returned', text }] : [];
}

/** What the person typed while the agent was working may be an attachment. */
function attachmentEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const attachment = objectAt(record, 'attachment');
  const isTyped =
    textAt(attachment, 'type') === 'queued_command' &&
    (textAt(attachment, 'commandMode') ?? 'prompt') === 'prompt' &&
    [record, attachment ?? {}].every(isFromPerson);
  return isTyped
    ? wordEvents(queuedText(attachment?.prompt), place, { voice: 'queued', way: 'attachment' })
    : [];
}

/** The name of a session: given by the person, by the host today, or by older versions. */
const TITLES = [
  ['customTitle', 'person'],
  ['aiTitle', 'host'],
  ['summary', 'host'],
] as const;

function titleEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  for (const [key, by] of TITLES) {
    const text = textAt(record, key)?.trim() ?? '';
    const of = key === 'summary' ? textAt(record, 'leafUuid') : undefined;
    if (text !== '') return [{ type: 'title', text, by, of, ...place }];
  }
  return [];
}

function userEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const results = blocksIn(record, 'tool_result');
  const events = results.flatMap((block) => resultEvents(block, record, place));
  const summary = contentText(objectAt(record, 'message')?.content);
  if (record.isCompactSummary === true) return [...events, { type: 'compacted', summary, ...place }];
  const isHidden = record.isMeta === true || record.isVisibleInTranscriptOnly === true;
  if (isHidden || summary === '' || !isFromPerson(record)) return events;
  return [...events, ...wordEvents(summary, place, { voice: 'prompt' })];
}

function wordEvents(text: string, place: EventPlace, how: Pick<PersonSaid, 'voice' | 'way'>): SessionEvent[] {
  const found = claudeWords(text);
  if (found === 'host') return [];
  if (found === 'interruption') return [{ type: 'interrupted', ...place }];
  if ('plan' in found) return [{ type: 'plan', text: found.plan, ...place }];
  return [{ type: 'person', ...how, text: found.words, ...place }];
}

function resultEvents(block: JsonObject, record: JsonObject, place: EventPlace): SessionEvent[] {
  const call = textAt(block, 'tool_use_id');
  const text = resultText(block.content);
  const isError = block.is_error === true;
  const rejection = rejectionIn(text, isError);
  const outcome = rejection === undefined ? (isError ? 'failed' : 'ok') : 'rejected';
  const result = resultEvent(place, call, { text, outcome });
  const id = call ?? place.id;
  const { words = '', answers = isError ? [] : answersIn(record.toolUseResult, text) } = rejection ?? {};
  if (words === '') return [result, ...answerEvents(place, id, answers)];
  return [result, { type: 'person', voice: 'rejection', ...place, id: `${id}:words`, call, text: words }];
}

function assistantEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const body = objectAt(record, 'message');
  const model = textAt(body, 'model');
  const text = contentText(body?.content);
  if (record.isApiErrorMessage === true) return [{ type: 'error', text, ...place }];
  if (model === '<synthetic>') return [];
  const events: SessionEvent[] = [
    { type: 'facts', model, tokensUsed: contextTokens(objectAt(body, 'usage')) },
  ];
  if (text !== '') events.push({ type: 'agent', text, ...place, answer: textAt(body, 'id') });
  for (const block of blocksIn(record, 'tool_use'))
    events.push(callEvent(place, textAt(block, 'id'), textAt(block, 'name'), block.input));
  return events;
}

/** Size of the context at one answer: new tokens, and those written to and read from the cache. */
function contextTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  return sum > 0 ? sum : undefined;
}
