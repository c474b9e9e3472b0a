import { getNumber, getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { joinOwnWords } from '../content.ts';
import { type Format, RowPlace, type SessionEvent } from '../event.ts';

/** GitHub Copilot CLI: `{type, data, id, timestamp, parentId}`, a list that only grows. */
export const copilotFormat: Format = {
  name: 'copilot',
  title: 'GitHub Copilot CLI session (JSONL)',
  recognises: (row) =>
    /^[a-z_]+\.[a-z_.]+$/.test(getString(row, 'type') ?? '') && getObject(row, 'data') !== undefined,
  events(row, at) {
    const data = getObject(row, 'data') ?? {};
    const type = getString(row, 'type') ?? '';
    // A subagent is told its task by the agent.
    const isOfSubagent = (row.agentId ?? data.parentToolCallId) !== undefined && type.endsWith('.message');
    const read = isOfSubagent ? undefined : EVENTS[type];
    return read?.(data, new RowPlace(at, row)) ?? [];
  },
};

const EVENTS: Readonly<Record<string, (data: JsonObject, place: RowPlace) => SessionEvent[]>> = {
  'session.start': readStart,
  'session.resume': readStart,
  'session.usage_record': readUsage,
  'session.compaction_complete': (data, place) =>
    data.success === true
      ? [{ type: 'compacted', ...place, summary: getString(data, 'summaryContent') }]
      : [],
  'user.message'(data, place) {
    // Skills, commands and the autopilot speak in the person's place.
    const isPerson =
      (getString(data, 'source') ?? 'user') === 'user' && data.isAutopilotContinuation !== true;
    return place.prompt(joinOwnWords([getString(data, 'content') ?? '']), isPerson);
  },
  'assistant.message': readAnswer,
  'tool.execution_complete'(data, place) {
    const text = getString(getObject(data, 'result'), 'content') ?? '';
    const code = getNumber(getObject(data, 'shellExecution'), 'exitCode') ?? 0;
    const outcome = data.success === false || code !== 0 ? 'failed' : 'ok';
    return [place.result(getString(data, 'toolCallId'), { text, outcome })];
  },
  abort: (_, place) => [{ type: 'interrupted', ...place }],
};

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

function readAnswer(data: JsonObject, place: RowPlace): SessionEvent[] {
  const calls = getObjects(data, 'toolRequests');
  const words = place.agent(getString(data, 'content') ?? '');
  return [...words, ...calls.map((call) => place.call(call, getString(call, 'toolCallId')))];
}
