import TEXTS from '../../../models/words/host-texts.json' with { type: 'json' };
import {
  getList,
  getNumber,
  getObject,
  getObjects,
  getString,
  isObject,
  type JsonObject,
  parseObject,
  toMembers,
} from '../../base/text/json.ts';
import { makeWordSet } from '../../base/text/strings.ts';
import { ATTACHED, extractText, getElement, removeElements, renderResult } from '../content.ts';
import {
  type Answer,
  type CallOutcome,
  type Format,
  RecordPlace,
  type SessionEvent,
  toAnswers,
} from '../event.ts';

const TYPES = new Set(['user', 'gemini', 'info', 'error', 'warning']);
const INJECTED = makeWordSet(TEXTS.gemini.tags);
/** Beginnings of texts that the host sends in the person's place, among them a command of the person with its output. */
const NOT_PERSON = TEXTS.gemini.starts;
const STEERED = /^User (?:steering update|hints?):\s/;
const THANKS = 'Got it. Thanks for the additional context!';
const CANCELLED = 'Request cancelled.';
const REJECTED = /^\[Operation Cancelled\] Reason: User (?:denied|did not allow)\b/;

/** Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and the older `.json` files. */
export const geminiFormat: Format = {
  name: 'gemini',
  title: 'Gemini CLI chat (JSON or JSONL)',
  recognises(record) {
    if (isObject(record.$set) || typeof record.$rewindTo === 'string') return true;
    if (getString(record, 'projectHash') !== undefined && getString(record, 'sessionId') !== undefined)
      return true;

    const type = getString(record, 'type');

    return (
      type !== undefined && TYPES.has(type) && 'id' in record && !('uuid' in record) && !('message' in record)
    );
  },
  events: readGeminiRecord,
};

function readGeminiRecord(record: JsonObject, at: number): SessionEvent[] {
  const from = getString(record, '$rewindTo');
  if (from !== undefined) return [{ type: 'back', from }];

  const patch =
    getObject(record, '$set') ?? (getString(record, 'projectHash') === undefined ? undefined : record);
  if (patch !== undefined) return [...readSession(patch, at), ...readHistory(patch, at)];

  // A record is written again in full each time it changes; the newest one counts.
  return [{ type: 'record', replaces: true, id: getString(record, 'id') }, ...readMessage(record, at)];
}

function readMessage(record: JsonObject, at: number): SessionEvent[] {
  const type = getString(record, 'type');
  const place = new RecordPlace(at, record);
  const text = extractText(record.content).trim();

  if (type === 'info' && text === CANCELLED) return [{ type: 'interrupted', ...place }];

  const tools = readTools(record, place);
  if (type === 'user') return [...place.prompt(extractHumanWords(record)), ...tools];
  if (type !== 'gemini') return [];

  const tokensUsed = getNumber(getObject(record, 'tokens'), 'total');
  const facts: SessionEvent = { type: 'facts', model: getString(record, 'model'), tokensUsed };

  return [facts, ...place.agent(text), ...tools];
}

const TALK: ReadonlySet<SessionEvent['type']> = new Set(['person', 'agent', 'call', 'result']);

/** The list of all messages, which the host writes when a session is resumed or compressed. */
function readHistory(record: JsonObject, at: number): SessionEvent[] {
  const messages = getObjects(record, 'messages');
  const summaryIndex = messages.findLastIndex((message, index) => isSummary(message, messages[index + 1]));
  const summary = messages[summaryIndex];
  const summaryLength = isThanks(messages[summaryIndex + 1]) ? 2 : 1;
  const remaining = summary === undefined ? messages : messages.toSpliced(summaryIndex, summaryLength);
  const records = remaining.map((message, index) =>
    readGeminiRecord({ ...message, id: getString(message, 'id') ?? `@${at}:${index}` }, at),
  );

  if (summary !== undefined) {
    const texts = { summary: extractText(summary.content).trim(), kept: listPersonWords(records.flat()) };
    const compaction: SessionEvent = { type: 'compacted', ...new RecordPlace(at, summary), ...texts };
    return [{ type: 'history', records, continues: true }, compaction];
  }

  // A resumed session is first written without its messages, then with all of them.
  return records.flat().some(({ type }) => TALK.has(type)) ? [{ type: 'history', records }] : [];
}

const listPersonWords = (events: readonly SessionEvent[]): string | undefined =>
  events.flatMap((event) => (event.type === 'person' ? event.text : [])).join('\n\n') || undefined;

/** A compression leaves its summary as a message of the person, followed by a fixed answer. */
function isSummary(message: JsonObject, next: JsonObject | undefined): boolean {
  if (getString(message, 'type') !== 'user') return false;
  return isThanks(next) || extractText(message.content).trimStart().startsWith('<state_snapshot>');
}

const isThanks = (message: JsonObject | undefined): boolean =>
  getString(message, 'type') === 'gemini' && extractText(message?.content).trim() === THANKS;

function readSession(record: JsonObject, at: number): SessionEvent[] {
  const [directory] = getList(record, 'directories');
  const cwd = typeof directory === 'string' ? directory : undefined;
  const subagent = record.kind === 'subagent' ? true : undefined;
  const titles = new RecordPlace(at, {}).title(getString(record, 'summary'), 'host');

  return [{ type: 'facts', session: getString(record, 'sessionId'), cwd, subagent }, ...titles];
}

function readTools(record: JsonObject, place: RecordPlace): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const call of getObjects(record, 'toolCalls')) {
    const tool = getString(call, 'name');
    const callEvent = place.call(call);
    events.push(callEvent);
    const result = call.result ?? call.resultDisplay;
    if (result === undefined || result === null) continue;

    const text = extractToolText(result);
    const timestamp = call.timestamp ?? place.timestamp;
    const outcome = parseOutcome(getString(call, 'status'), text);

    events.push(
      new RecordPlace(place.at, { id: place.id, timestamp }).result(callEvent.id, { text, outcome, tool }),
    );
    if (tool === 'ask_user') events.push(...place.answers(callEvent.id, parseAnswers(text, call.args)));
  }

  return events;
}

/** The answers are JSON by the number of the question: `{"answers":{"0":"…"}}`. */
function parseAnswers(text: string, args: unknown): Answer[] {
  const questions = getList(toMembers(args), 'questions');
  return Object.entries(toMembers(parseObject(text)?.answers)).flatMap(([index, answer]) =>
    toAnswers(getString(toMembers(questions[Number(index)]), 'question'), answer),
  );
}

function parseOutcome(status: string | undefined, text: string): CallOutcome {
  if (status === 'cancelled' && REJECTED.test(text)) return 'rejected';
  if (status === 'cancelled' || status === 'error') return 'failed';
  return status === 'success' ? 'ok' : 'unknown';
}

/** The typed words, if the host stores them; otherwise those that were sent, without injected parts. */
function extractHumanWords(record: JsonObject): string {
  const sent = extractText(record.displayContent).trim() || extractText(record.content);
  const words = removeElements(sent.replace(ATTACHED, ''), INJECTED).trim();
  if (NOT_PERSON.some((start) => words.startsWith(start))) return '';
  return STEERED.test(words) ? (getElement(words, 'user_input') ?? words) : words;
}

/** Results are parts such as `{functionResponse: {response: {output}}}`. */
function extractToolText(result: unknown): string {
  if (!Array.isArray(result)) return renderResult(result);
  return result
    .map((part) => (isObject(part) && 'functionResponse' in part ? renderResult(part) : extractText([part])))
    .join('\n');
}
