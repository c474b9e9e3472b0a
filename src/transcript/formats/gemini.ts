import {
  isObject,
  type JsonObject,
  listAt,
  membersOf,
  numberAt,
  objectAt,
  parsedObject,
  textAt,
} from '../../base/text/json.ts';
import { contentText, elementText, isCommand, isoTime, resultText, withoutElements } from '../content.ts';
import {
  type Answer,
  answerEvents,
  type CallOutcome,
  callEvent,
  type EventPlace,
  type Format,
  resultEvent,
  type SessionEvent,
} from '../event.ts';

const TYPES = new Set(['user', 'gemini', 'info', 'error', 'warning']);
const INJECTED = new Set([
  'hook_context',
  'session_context',
  'state_snapshot',
  'ide_context',
  'loaded_context',
  'project_context',
  'extension_context',
  'global_context',
  'untrusted_context',
]);
/** How texts begin that the host sends in the person's place; a command of the person with its output is one, too. */
const NOT_PERSON = [
  'I ran the following shell command:\n```',
  'System: Please continue.',
  'System: Potential loop detected',
  'This is the Gemini CLI. We are setting up the context for our chat.',
  "Here is the user's editor context as a JSON object.",
  "Here is a summary of changes in the user's editor context",
];
const STEERED = /^User (?:steering update|hints?):\s/;
const THANKS = 'Got it. Thanks for the additional context!';
/**
 * The start of the text of files that the person named with `@`. It extends to the end of the message, since
 * a file may contain the end mark.
 */
const FILES = /(?:^|\n)--- Content from referenced files ---[\s\S]*$/;
const CANCELLED = 'Request cancelled.';
/** Why the host did not run a cancelled call. */
const REJECTED = /^\[Operation Cancelled\] Reason: User (?:denied|did not allow)\b/;

/** Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the older `.json` files. */
export const geminiFormat: Format = {
  name: 'gemini',
  title: 'Gemini CLI chat (JSON or JSONL)',
  recognises(record) {
    if (isObject(record.$set) || typeof record.$rewindTo === 'string') return true;
    if (textAt(record, 'projectHash') !== undefined && textAt(record, 'sessionId') !== undefined) return true;
    const type = textAt(record, 'type');
    return (
      type !== undefined && TYPES.has(type) && 'id' in record && !('uuid' in record) && !('message' in record)
    );
  },
  events: geminiEvents,
};

function geminiEvents(record: JsonObject, at: number): SessionEvent[] {
  const from = textAt(record, '$rewindTo');
  if (from !== undefined) return [{ type: 'back', from }];
  const patch =
    objectAt(record, '$set') ?? (textAt(record, 'projectHash') === undefined ? undefined : record);
  if (patch !== undefined) return [...sessionEvents(patch, at), ...historyEvents(patch, at)];
  // A record is written again in full each time it changes; the newest one counts.
  return [{ type: 'record', replaces: true, id: textAt(record, 'id') }, ...messageEvents(record, at)];
}

function messageEvents(record: JsonObject, at: number): SessionEvent[] {
  const id = textAt(record, 'id') ?? `@${at}`;
  const type = textAt(record, 'type');
  const place: EventPlace = { id, at, timestamp: isoTime(record.timestamp) };
  const text = contentText(record.content).trim();
  if (type === 'info' && text === CANCELLED) return [{ type: 'interrupted', ...place }];
  const tools = toolEvents(record, place);
  if (type === 'user') {
    const words = humanWords(record);
    return words === '' ? tools : [{ type: 'person', voice: 'prompt', text: words, ...place }, ...tools];
  }
  if (type !== 'gemini') return [];
  const tokensUsed = numberAt(objectAt(record, 'tokens'), 'total');
  const events: SessionEvent[] = [{ type: 'facts', model: textAt(record, 'model'), tokensUsed }];
  if (text !== '') events.push({ type: 'agent', text, ...place });
  return [...events, ...tools];
}

const TALK: ReadonlySet<SessionEvent['type']> = new Set(['person', 'agent', 'call', 'result']);

/** A list of all messages, which the host writes when a session is resumed or compressed. */
function historyEvents(record: JsonObject, at: number): SessionEvent[] {
  const messages = listAt(record, 'messages').filter(isObject);
  const place = messages.findLastIndex((message, index) => isSummary(message, messages[index + 1]));
  const summary = messages[place];
  const isThanked = isThanks(messages[place + 1]);
  const kept = summary === undefined ? messages : messages.toSpliced(place, isThanked ? 2 : 1);
  const records = kept.map((message, index) =>
    geminiEvents({ ...message, id: textAt(message, 'id') ?? `@${at}:${index}` }, at),
  );
  if (summary !== undefined) {
    const [id, timestamp] = [textAt(summary, 'id') ?? `@${at}`, isoTime(summary.timestamp)];
    const text = contentText(summary.content).trim();
    return [
      { type: 'history', records, continues: true },
      { type: 'compacted', summary: text, id, at, timestamp },
    ];
  }
  // A resumed session is first written without its messages, then with all of them.
  return records.flat().some(({ type }) => TALK.has(type)) ? [{ type: 'history', records }] : [];
}

/** A compression leaves its summary as a message of the person, followed by a fixed answer. */
function isSummary(message: JsonObject, next: JsonObject | undefined): boolean {
  if (textAt(message, 'type') !== 'user') return false;
  return isThanks(next) || contentText(message.content).trimStart().startsWith('<state_snapshot>');
}

const isThanks = (message: JsonObject | undefined): boolean =>
  textAt(message, 'type') === 'gemini' && contentText(message?.content).trim() === THANKS;

/** The facts of a session, and the line in which the host names it when the next one is started. */
function sessionEvents(record: JsonObject, at: number): SessionEvent[] {
  const [directory] = listAt(record, 'directories');
  const cwd = typeof directory === 'string' ? directory : undefined;
  const subagent = record.kind === 'subagent' ? true : undefined;
  const text = textAt(record, 'summary')?.trim() ?? '';
  return [
    { type: 'facts', session: textAt(record, 'sessionId'), cwd, subagent },
    ...(text === '' ? [] : [{ type: 'title' as const, text, by: 'host' as const, id: `@${at}`, at }]),
  ];
}

/** Tool calls and results of a record, in order. */
function toolEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const call of listAt(record, 'toolCalls').filter(isObject)) {
    const tool = textAt(call, 'name');
    const made = callEvent(place, textAt(call, 'id'), tool, call.args);
    events.push(made);
    const result = call.result ?? call.resultDisplay;
    if (result === undefined || result === null) continue;
    const text = toolText(result);
    const timestamp = isoTime(call.timestamp) ?? place.timestamp;
    const outcome = outcomeOf(textAt(call, 'status'), text);
    events.push(resultEvent({ ...place, timestamp }, made.id, { text, outcome, tool }));
    if (tool === 'ask_user') events.push(...answerEvents(place, made.id, answersIn(text, call.args)));
  }
  return events;
}

/** The answers are JSON by the number of the question: `{"answers":{"0":"…"}}`. */
function answersIn(text: string, args: unknown): Answer[] {
  const questions = listAt(membersOf(args), 'questions');
  return Object.entries(membersOf(parsedObject(text)?.answers)).flatMap(([index, answer]) =>
    typeof answer === 'string' && answer.trim() !== ''
      ? [{ question: textAt(membersOf(questions[Number(index)]), 'question') ?? '', answer: answer.trim() }]
      : [],
  );
}

function outcomeOf(status: string | undefined, text: string): CallOutcome {
  if (status === 'cancelled' && REJECTED.test(text)) return 'rejected';
  if (status === 'cancelled' || status === 'error') return 'failed';
  return status === 'success' ? 'ok' : 'unknown';
}

/** What was typed, if the host stores it; otherwise what was sent, without injected parts. */
function humanWords(record: JsonObject): string {
  const sent = contentText(record.displayContent).trim() || contentText(record.content);
  const words = withoutElements(sent.replace(FILES, ''), INJECTED).trim();
  if (NOT_PERSON.some((begin) => words.startsWith(begin)) || isCommand(words)) return '';
  return STEERED.test(words) ? (elementText(words, 'user_input') ?? words) : words;
}

/** Results are parts such as `{functionResponse: {response: {output}}}`. */
function toolText(result: unknown): string {
  if (!Array.isArray(result)) return resultText(result);
  return result
    .map((part) => (isObject(part) && 'functionResponse' in part ? resultText(part) : contentText([part])))
    .join('\n');
}
