import { join } from 'node:path';
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../base/text/json.ts';
import { wordList } from '../../base/text/word-list.ts';
import { contentText, isoTime, resultText } from '../content.ts';
import { OUR_KEY } from '../entries.ts';
import type { CallOutcome, EventPlace, SessionEvent } from '../event.ts';
import type { Format } from '../format.ts';
import { homeByFolder } from '../home.ts';
import { piWords } from './pi-words.ts';

/** `~/.pi/agent/sessions/--path-with-dashes--/*.jsonl` */
const piHome = homeByFolder(
  ({ env, home }) => join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions'),
  (folder, workspace) => folder.startsWith(`--${workspace.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}-`),
  (name) => name.endsWith('.jsonl'),
);

const TYPES = new Set(
  wordList(`
  session custom custom_message compaction branch_summary model_change thinking_level_change label
  session_info leaf reset
`),
);
/** What an OpenClaw agent answers if it has nothing to say; it is not delivered. */
const SILENT = new Set(['NO_REPLY', 'HEARTBEAT_OK']);
/** Entry types that are part of the conversation's chain; others are only attached to the tree. */
const CANONICAL = new Set(
  wordList(`
  message thinking_level_change model_change compaction reset branch_summary custom custom_message label
  session_info
`),
);

/** pi and OpenClaw before its database: `{type, id, parentId, timestamp, …}`, versions 1 to 4. */
export const piFormat: Format = {
  name: 'pi',
  title: 'OpenClaw or pi session (JSONL)',
  takenBack: 'other branch',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record || 'uuid' in record || 'sessionId' in record) return false;
    return type === 'message' ? objectAt(record, 'message') !== undefined : TYPES.has(type);
  },
  events: piEvents,
  about: (record) => ({
    session: record.type === 'session' ? textAt(record, 'id') : undefined,
    cwd: textAt(record, 'cwd'),
    time: isoTime(record.timestamp ?? objectAt(record, 'message')?.timestamp),
  }),
  home: piHome,
};

/** The events of one entry: of a tree in versions 2 to 4, of a list in version 1. */
export function piEvents(record: JsonObject, at: number): SessionEvent[] {
  const type = textAt(record, 'type') ?? 'untyped';
  if (type === 'session') return [headerFacts(record)];
  if (type === 'leaf') {
    const to = record.targetId === null ? null : textAt(record, 'targetId');
    return to === undefined ? [] : [{ type: 'back', to }];
  }
  return [startOf(record, type), ...entryEvents(record, at, type)];
}

/** Parents are always written before their children; a parent that is nowhere means a line was lost. */
function startOf(record: JsonObject, type: string): SessionEvent {
  const id = textAt(record, 'id');
  const parent = record.parentId === null ? null : textAt(record, 'parentId');
  const aside = record.appendMode === 'side' || !CANONICAL.has(type);
  return {
    type: 'record',
    id,
    parent,
    aside,
  };
}

function entryEvents(record: JsonObject, at: number, type: string): SessionEvent[] {
  const message = type === 'message' ? objectAt(record, 'message') : undefined;
  const timestamp = isoTime(record.timestamp) ?? isoTime(message?.timestamp);
  const place: EventPlace = {
    id: textAt(record, 'id') ?? `@${at}`,
    at,
    timestamp,
  };
  if (message !== undefined) return messageEvents(message, place);
  if (type === 'reset') {
    const keepFrom = textAt(record, 'firstKeptEntryId');
    return [
      { type: 'anew', keepFrom },
      { type: 'skip', reason: 'reset line' },
    ];
  }
  if (type === 'custom') return customEvents(record, place);
  if (type === 'compaction')
    return [
      { type: 'compacted', ...place, summary: textAt(record, 'summary') },
      { type: 'skip', reason: 'compaction summary' },
    ];
  if (type === 'custom_message') {
    const text = contentText(record.content);
    return text === '' ? [{ type: 'skip', reason: 'empty message' }] : [{ type: 'host', text, ...place }];
  }
  const name = type === 'session_info' ? (textAt(record, 'name')?.trim() ?? '') : '';
  if (name !== '')
    return [
      { type: 'title', text: name, by: 'person', ...place },
      { type: 'skip', reason: 'session_info line' },
    ];
  const model = type === 'model_change' ? textAt(record, 'modelId') : undefined;
  const skip: SessionEvent = { type: 'skip', reason: `${type} line` };
  return model === undefined ? [skip] : [{ type: 'facts', model }, skip];
}

function headerFacts(record: JsonObject): SessionEvent {
  return {
    type: 'facts',
    session: textAt(record, 'id'),
    cwd: textAt(record, 'cwd'),
    model: textAt(record, 'modelId'),
  };
}

function customEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const key = textAt(record, 'customType') ?? '';
  const skip: SessionEvent = { type: 'skip', reason: 'custom entry' };
  if (key !== OUR_KEY && !key.startsWith(`${OUR_KEY}:`)) return [skip];
  return [{ type: 'entry', key, data: record.data, ...place }, skip];
}

function messageEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const role = textAt(message, 'role');
  if (role === 'user') return userEvents(message, place);
  if (role === 'assistant') return assistantEvents(message, place);
  if (role === 'toolResult') return [resultOf(message, place)];
  if (role === 'bashExecution') return bashEvents(message, place);
  return [{ type: 'skip', reason: role === undefined ? 'message without a role' : `${role} message` }];
}

function userEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const provenance = textAt(objectAt(message, 'provenance'), 'kind');
  const foreign = provenance === 'inter_session' || provenance === 'internal_system';
  const heard = foreign ? { reason: 'host prompt' } : piWords(contentText(message.content));
  if ('reason' in heard) return [{ type: 'skip', reason: heard.reason }];
  return [{ type: 'person', voice: 'prompt', text: heard.words, ...place, sender: heard.sender }];
}

function assistantEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const model = textAt(message, 'model');
  const tokensUsed = usedTokens(objectAt(message, 'usage'));
  const events: SessionEvent[] = [{ type: 'facts', model, tokensUsed }];
  const calls = listAt(message, 'content').filter(
    (block): block is JsonObject => isObject(block) && block.type === 'toolCall',
  );
  const text = contentText(message.content);
  if (SILENT.has(text.trim())) events.push({ type: 'skip', reason: 'silent reply' });
  else if (text !== '') events.push({ type: 'agent', text, ...place });
  else if (calls.length === 0) events.push({ type: 'skip', reason: 'empty message' });
  for (const block of calls) {
    events.push({
      type: 'call',
      input: isObject(block.arguments) ? block.arguments : {},
      ...place,
      id: textAt(block, 'id') ?? `${place.id}:call`,
      tool: textAt(block, 'name'),
    });
  }
  if (textAt(message, 'stopReason') === 'aborted')
    events.push({ type: 'interrupted', reason: 'aborted answer', ...place });
  return events;
}

/** OpenClaw's and pi's own answers to a call that their rules, or nobody in time, allowed. */
const DENIED = /^(?:Exec denied \(|exec denied: |SYSTEM_RUN_DENIED: |Blocked by (?:user|extension|policy))/;

const ABORTED = /(?:^|\n)(?:Command|Operation) aborted\s*$/;

function resultOf(message: JsonObject, place: EventPlace): SessionEvent {
  const call = textAt(message, 'toolCallId');
  const tool = textAt(message, 'toolName');
  const text = resultText(message.content);
  const exit = numberAt(objectAt(message, 'details'), 'exitCode') ?? exitIn(text);
  const outcome: CallOutcome = DENIED.test(text)
    ? 'denied'
    : message.isError === true && ABORTED.test(text)
      ? 'interrupted'
      : message.isError === true || (exit !== undefined && exit !== 0)
        ? 'failed'
        : message.isError === false
          ? 'ok'
          : 'unknown';
  return {
    type: 'result',
    ...place,
    id: call === undefined ? place.id : `${call}:result`,
    text,
    outcome,
    call,
    tool,
  };
}

/** The status that pi's shell tool puts below the output of a command that failed. */
function exitIn(text: string): number | undefined {
  const told = /\n\n?(?:Command exited with code|\(Command exited with code) (\d{1,3})\)?\s*$/.exec(
    text,
  )?.[1];
  return told === undefined ? undefined : Number(told);
}

/** A command that the person ran in pi's own prompt (`!command`). */
function bashEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const command = textAt(message, 'command') ?? '';
  const output = textAt(message, 'output') ?? '';
  const exit = numberAt(message, 'exitCode');
  return [
    {
      type: 'result',
      ...place,
      tool: 'bash',
      text: `${command}\n${output}`.trim(),
      outcome: exit === undefined ? 'unknown' : exit === 0 ? 'ok' : 'failed',
    },
  ];
}

/** Tokens of one turn: the host's total, or the sum of its parts. */
function usedTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  const total = numberAt(usage, 'totalTokens') ?? sum;
  return total > 0 ? total : undefined;
}
