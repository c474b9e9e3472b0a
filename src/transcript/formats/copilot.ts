import { getList, getNumber, getObject, getString, isObject, type JsonObject } from '../../base/text/json.ts';
import { joinOwnWords, parseIsoTime } from '../content.ts';
import {
  agentEvents,
  callEvent,
  type EventPlace,
  type Format,
  makeResultEvent,
  promptEvents,
  type SessionEvent,
} from '../event.ts';

/** GitHub Copilot CLI: `{type, data, id, timestamp, parentId}`, a list that only grows. */
export const copilotFormat: Format = {
  name: 'copilot',
  title: 'GitHub Copilot CLI session (JSONL)',
  recognises: (record) =>
    /^[a-z_]+\.[a-z_.]+$/.test(getString(record, 'type') ?? '') && isObject(record.data),
  events(record, at) {
    const data = getObject(record, 'data') ?? {};
    const id = getString(record, 'id') ?? `@${at}`;
    const type = getString(record, 'type') ?? '';
    // A subagent is told its task by the agent.
    const isOfSubagent = (record.agentId ?? data.parentToolCallId) !== undefined && type.endsWith('.message');
    const make = isOfSubagent ? undefined : EVENTS[type];
    return make?.(data, { id, at, timestamp: parseIsoTime(record.timestamp) }) ?? [];
  },
};

const EVENTS: Readonly<Record<string, (data: JsonObject, place: EventPlace) => SessionEvent[]>> = {
  'session.start': readStart,
  'session.resume': readStart,
  'session.usage_record': readUsage,
  'session.compaction_complete': (data, place) =>
    data.success === true
      ? [{ type: 'compacted', ...place, summary: getString(data, 'summaryContent') }]
      : [],
  'user.message'(data, place) {
    // Skills, commands and the autopilot speak in the person's place.
    const isPerson = (getString(data, 'source') ?? 'user') === 'user';
    return promptEvents(joinOwnWords([getString(data, 'content') ?? '']), place, isPerson);
  },
  'assistant.message': readAnswer,
  'tool.execution_complete'(data, place) {
    const text = getString(getObject(data, 'result'), 'content') ?? '';
    const outcome = data.success === false || hasFailed(data) ? 'failed' : 'ok';
    return [makeResultEvent(place, getString(data, 'toolCallId'), { text, outcome })];
  },
  abort: (_, place) => [{ type: 'interrupted', ...place }],
};

const hasFailed = (data: JsonObject): boolean =>
  (getNumber(getObject(data, 'shellExecution'), 'exitCode') ?? 0) !== 0;

function readStart(data: JsonObject): SessionEvent[] {
  const context = getObject(data, 'context');
  const [cwd, branch] = [getString(context, 'cwd'), getString(context, 'branch')];
  const [session, model] = [getString(data, 'sessionId'), getString(data, 'selectedModel')];
  return [{ type: 'facts', session, cwd, branch, model }];
}

function readUsage(data: JsonObject): SessionEvent[] {
  const usage = getObject(data, 'usage');
  if (getString(usage, 'interactionType') !== 'conversation-agent') return [];
  const tokensUsed = (getNumber(usage, 'inputTokens') ?? 0) + (getNumber(usage, 'outputTokens') ?? 0);
  return [{ type: 'facts', tokensUsed, contextWindow: getNumber(usage, 'maxPromptTokens') }];
}

function readAnswer(data: JsonObject, place: EventPlace): SessionEvent[] {
  const calls = getList(data, 'toolRequests').filter(isObject);
  const said = agentEvents(getString(data, 'content') ?? '', place);
  return [...said, ...calls.map((call) => callEvent(place, call, getString(call, 'toolCallId')))];
}
