import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../base/text/json.ts';
import { isCommand, isoTime } from '../content.ts';
import { callEvent, type EventPlace, type Format, resultEvent, type SessionEvent } from '../event.ts';

/** GitHub Copilot CLI: `{type, data, id, timestamp, parentId}`, a list that only grows. */
export const copilotFormat: Format = {
  name: 'copilot',
  title: 'GitHub Copilot CLI session (JSONL)',
  recognises: (record) => /^[a-z_]+\.[a-z_.]+$/.test(textAt(record, 'type') ?? '') && isObject(record.data),
  events(record, at) {
    const data = objectAt(record, 'data') ?? {};
    const id = textAt(record, 'id') ?? `@${at}`;
    const make = EVENTS[textAt(record, 'type') ?? ''];
    return make?.(data, { id, at, timestamp: isoTime(record.timestamp) }) ?? [];
  },
};

const EVENTS: Readonly<Record<string, (data: JsonObject, place: EventPlace) => SessionEvent[]>> = {
  'session.start': readStart,
  'session.resume': readStart,
  'session.usage_record': readUsage,
  'session.compaction_complete': (data, place) =>
    data.success === true ? [{ type: 'compacted', ...place, summary: textAt(data, 'summaryContent') }] : [],
  'user.message'(data, place) {
    const text = textAt(data, 'content')?.trim() ?? '';
    return text === '' || isCommand(text) ? [] : [{ type: 'person', voice: 'prompt', text, ...place }];
  },
  'assistant.message': readAnswer,
  'tool.execution_complete'(data, place) {
    const text = textAt(objectAt(data, 'result'), 'content') ?? '';
    const outcome = data.success === false || hasFailed(data) ? 'failed' : 'ok';
    return [resultEvent(place, textAt(data, 'toolCallId'), { text, outcome, tool: undefined })];
  },
  abort: (_, place) => [{ type: 'interrupted', ...place }],
};

const hasFailed = (data: JsonObject): boolean =>
  (numberAt(objectAt(data, 'shellExecution'), 'exitCode') ?? 0) !== 0;

function readStart(data: JsonObject): SessionEvent[] {
  const context = objectAt(data, 'context');
  const [cwd, branch] = [textAt(context, 'cwd'), textAt(context, 'branch')];
  const [session, model] = [textAt(data, 'sessionId'), textAt(data, 'selectedModel')];
  return [{ type: 'facts', session, cwd, branch, model }];
}

function readUsage(data: JsonObject): SessionEvent[] {
  const usage = objectAt(data, 'usage');
  if (textAt(usage, 'interactionType') !== 'conversation-agent') return [];
  const tokensUsed = (numberAt(usage, 'inputTokens') ?? 0) + (numberAt(usage, 'outputTokens') ?? 0);
  return [{ type: 'facts', tokensUsed, contextWindow: numberAt(usage, 'maxPromptTokens') }];
}

function readAnswer(data: JsonObject, place: EventPlace): SessionEvent[] {
  const text = textAt(data, 'content') ?? '';
  const said: SessionEvent[] = text === '' ? [] : [{ type: 'agent', text, ...place }];
  const calls = listAt(data, 'toolRequests')
    .filter(isObject)
    .map((call) => callEvent(place, textAt(call, 'toolCallId'), textAt(call, 'name'), call.arguments));
  return [...said, ...calls];
}
