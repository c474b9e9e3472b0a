import { join } from 'node:path';
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../base/text/json.ts';
import { contentText, isoTime, resultText } from '../content.ts';
import type { CallOutcome, EventPlace, PersonSaid, SessionEvent } from '../event.ts';
import type { Format } from '../format.ts';
import { homeByFolder } from '../home.ts';
import { answersIn, claudeWords, deniedIn, notFromPerson, queuedText, rejectionIn } from './claude-words.ts';

/** The events of one line of a Claude Code session. */
function claudeEvents(record: JsonObject, at: number): SessionEvent[] {
  if (record.isSidechain === true) return [{ type: 'skip', reason: 'subagent line' }];
  const type = textAt(record, 'type') ?? 'untyped';
  const place: EventPlace = {
    id: textAt(record, 'uuid') ?? `@${at}`,
    at,
    timestamp: isoTime(record.timestamp),
    session: textAt(record, 'sessionId') ?? '',
  };
  const events: SessionEvent[] = [startOf(record), factsOf(record)];
  if (type === 'user') events.push(...userEvents(record, place));
  else if (type === 'assistant') events.push(...assistantEvents(record, place));
  else if (type === 'system') events.push(...systemEvents(record, place));
  else if (type === 'attachment') events.push(...attachmentEvents(record, place));
  else if (type === 'queue-operation') events.push(...queueEvents(record, place));
  else events.push(...titleEvents(record, place), { type: 'skip', reason: `${type} line` });
  return events;
}

/** A prompt names the record that it continues; other records do, too, but parallel calls branch there. */
function startOf(record: JsonObject): SessionEvent {
  const id = textAt(record, 'uuid');
  const parent = record.parentUuid === null ? null : textAt(record, 'parentUuid');
  const content = listAt(objectAt(record, 'message'), 'content');
  const isHost = record.isMeta === true || record.isCompactSummary === true;
  const typed = record.type === 'user' && !isHost && !content.some((block) => isTool(block, 'tool_result'));
  return typed ? { type: 'record', id, parent, soft: true } : { type: 'record', id };
}

/** What was typed while the agent worked, and what became of it. */
function queueEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const operation = textAt(record, 'operation');
  const text = queuedText(record.content);
  const skip: SessionEvent = { type: 'skip', reason: 'queue-operation line' };
  if (operation === 'enqueue' && notFromPerson(record) === undefined)
    return wordEvents(text, place, { voice: 'queued', way: 'enqueue' });
  if (operation === 'dequeue') return [{ type: 'queue', did: 'sent as a prompt' }, skip];
  if (operation === 'remove') return [{ type: 'queue', did: 'delivered' }, skip];
  return operation === 'popAll' ? [{ type: 'queue', did: 'returned', text }, skip] : [skip];
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

function factsOf(record: JsonObject): SessionEvent {
  const branch = textAt(record, 'gitBranch');
  return {
    type: 'facts',
    session: textAt(record, 'sessionId'),
    workingDirectory: textAt(record, 'cwd'),
    // Outside a repository, and on no branch of one, it is called HEAD; older versions write nothing there.
    branch: branch === '' || branch === 'HEAD' ? undefined : branch,
  };
}

function userEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const content = objectAt(record, 'message')?.content;
  const results = Array.isArray(content) ? content.filter((block) => isTool(block, 'tool_result')) : [];
  const events = results.flatMap((block) => resultEvents(block, record, place));
  const text = contentText(content);
  const foreign = notFromPerson(record);
  if (record.isCompactSummary === true)
    events.push(
      { type: 'compacted', summary: text, ...place },
      { type: 'skip', reason: 'compaction summary' },
    );
  else if (record.isMeta === true || record.isVisibleInTranscriptOnly === true)
    events.push({ type: 'skip', reason: 'meta line' });
  else if (text === '' && results.length > 0) return events;
  else if (foreign !== undefined) events.push({ type: 'skip', reason: foreign });
  else events.push(...wordEvents(text, place, { voice: 'prompt' }));
  return events;
}

function wordEvents(text: string, place: EventPlace, how: Pick<PersonSaid, 'voice' | 'way'>): SessionEvent[] {
  const found = claudeWords(text);
  if ('words' in found) return [{ type: 'person', ...how, text: found.words, ...place }];
  if ('plan' in found) return [{ type: 'plan', text: found.plan, ...place }];
  if ('interrupted' in found) return [{ type: 'interrupted', reason: found.interrupted, ...place }];
  return [{ type: 'skip', reason: found.reason }];
}

function resultEvents(block: JsonObject, record: JsonObject, place: EventPlace): SessionEvent[] {
  const call = textAt(block, 'tool_use_id');
  const text = resultText(block.content);
  const isError = block.is_error === true;
  const rejection = rejectionIn(text, isError);
  const told = objectAt(record, 'toolUseResult');
  let outcome: CallOutcome = isError ? 'failed' : 'ok';
  if (rejection !== undefined) outcome = 'rejected';
  else if (told?.interrupted === true) outcome = 'interrupted';
  else outcome = deniedIn(record, told, text, isError) ?? outcome;
  const result: SessionEvent = {
    type: 'result',
    ...place,
    call,
    id: call === undefined ? `@${place.at}:result` : `${call}:result`,
    text,
    outcome,
  };
  const words = { type: 'person' as const, ...place, call, id: `${call ?? `@${place.at}`}:words` };
  if (rejection !== undefined && rejection.words !== '') {
    const { words: said, answers } = rejection;
    const how =
      answers === undefined ? { voice: 'rejection' as const } : { voice: 'answer' as const, answers };
    return [result, { ...words, ...how, text: said }];
  }
  const answers = isError ? [] : answersIn(record.toolUseResult, text);
  if (answers.length > 0)
    return [
      result,
      { ...words, voice: 'answer', text: answers.map(({ answer }) => answer).join('\n'), answers },
    ];
  return [result];
}

function assistantEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const body = objectAt(record, 'message');
  const model = textAt(body, 'model');
  if (record.isApiErrorMessage === true)
    return [
      { type: 'error', text: contentText(body?.content), ...place },
      { type: 'skip', reason: 'host notice' },
    ];
  if (model === '<synthetic>') return [{ type: 'skip', reason: 'host notice' }];
  const tokensUsed = contextTokens(objectAt(body, 'usage'));
  const answer = textAt(body, 'id');
  const events: SessionEvent[] = [{ type: 'facts', model, tokensUsed }];
  const text = contentText(body?.content);
  const calls = listAt(body, 'content').filter((block) => isTool(block, 'tool_use'));
  if (text !== '') events.push({ type: 'agent', text, ...place, answer });
  else if (calls.length === 0) events.push({ type: 'skip', reason: 'thinking' });
  for (const block of calls) {
    const tool = textAt(block, 'name');
    const input = typeof block.input === 'string' || isObject(block.input) ? block.input : {};
    const id = textAt(block, 'id') ?? `@${place.at}:call`;
    events.push({ type: 'call', input, ...place, id, tool });
  }
  return events;
}

function systemEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const subtype = textAt(record, 'subtype') ?? 'untyped';
  const skip: SessionEvent = { type: 'skip', reason: `system line: ${subtype}` };
  return subtype === 'compact_boundary' ? [{ type: 'compacted', ...place }, skip] : [skip];
}

/** What the person typed while the agent was working may be an attachment. */
function attachmentEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const attachment = objectAt(record, 'attachment');
  const typed = textAt(attachment, 'type') === 'queued_command';
  const mode = textAt(attachment, 'commandMode') ?? 'prompt';
  const foreign = notFromPerson(record) ?? notFromPerson(attachment ?? {});
  if (!typed || mode !== 'prompt' || foreign !== undefined)
    return [{ type: 'skip', reason: foreign ?? 'attachment line' }];
  return wordEvents(queuedText(attachment?.prompt), place, { voice: 'queued', way: 'attachment' });
}

function isTool(block: unknown, type: 'tool_use' | 'tool_result'): block is JsonObject {
  return isObject(block) && block.type === type;
}

/** Size of the context at one answer: new tokens, and those written to and read from the cache. */
function contextTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  return sum > 0 ? sum : undefined;
}

/** Line types without a session id. */
const BARE_TYPES = new Set([
  'file-history-snapshot',
  'summary',
  'queue-operation',
  'custom-title',
  'last-prompt',
]);
/** Every other character of the path is a dash in the folder's name, and a very long name is cut. */
const claudeHome = homeByFolder(
  ({ env, home }) => join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects'),
  (folder, workspace) => {
    const fold = workspace.replace(/[^a-zA-Z0-9]/g, '-');
    const isCut = fold.length > 200 && folder.startsWith(fold.slice(0, 200));
    return folder === fold || folder.startsWith(`${fold}-`) || isCut;
  },
  (name) => name.endsWith('.jsonl') && !name.startsWith('agent-'),
);

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
  about: (record) => ({
    session: textAt(record, 'sessionId'),
    cwd: textAt(record, 'cwd'),
    time: isoTime(record.timestamp),
    subagent: record.isSidechain === true ? 'record' : undefined,
  }),
  home: claudeHome,
};
