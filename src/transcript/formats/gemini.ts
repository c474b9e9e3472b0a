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
  RowPlace,
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
  recognises(row) {
    if (isObject(row.$set) || typeof row.$rewindTo === 'string') return true;
    if (getString(row, 'projectHash') !== undefined && getString(row, 'sessionId') !== undefined) return true;

    const type = getString(row, 'type');

    return type !== undefined && TYPES.has(type) && 'id' in row && !('uuid' in row) && !('message' in row);
  },
  events: readGeminiRow,
};

function readGeminiRow(row: JsonObject, at: number): SessionEvent[] {
  const from = getString(row, '$rewindTo');
  if (from !== undefined) return [{ type: 'back', from }];

  const patch = getObject(row, '$set') ?? (getString(row, 'projectHash') === undefined ? undefined : row);
  if (patch !== undefined) return [...readSession(patch, at), ...readHistory(patch, at)];

  // A row is written again in full each time it changes; the newest one counts.
  return [{ type: 'row', replaces: true, id: getString(row, 'id') }, ...readMessage(row, at)];
}

function readMessage(row: JsonObject, at: number): SessionEvent[] {
  const type = getString(row, 'type');
  const place = new RowPlace(at, row);
  const text = extractText(row.content).trim();

  if (type === 'info' && text === CANCELLED) return [{ type: 'interrupted', ...place }];

  const tools = readTools(row, place);
  if (type === 'user') return [...place.prompt(extractHumanWords(row)), ...tools];
  if (type !== 'gemini') return [];

  const tokensUsed = getNumber(getObject(row, 'tokens'), 'total');
  const facts: SessionEvent = { type: 'facts', model: getString(row, 'model'), tokensUsed };

  return [facts, ...place.agent(text), ...tools];
}

const TALK: ReadonlySet<SessionEvent['type']> = new Set(['person', 'agent', 'call', 'result']);

/** The list of all messages, which the host writes when a session is resumed or compressed. */
function readHistory(row: JsonObject, at: number): SessionEvent[] {
  const messages = getObjects(row, 'messages');
  const summaryIndex = messages.findLastIndex((message, index) => isSummary(message, messages[index + 1]));
  const summary = messages[summaryIndex];
  const summaryLength = isThanks(messages[summaryIndex + 1]) ? 2 : 1;
  const remaining = summary === undefined ? messages : messages.toSpliced(summaryIndex, summaryLength);
  const rows = remaining.map((message, index) =>
    readGeminiRow({ ...message, id: getString(message, 'id') ?? `@${at}:${index}` }, at),
  );

  if (summary !== undefined) {
    const texts = { summary: extractText(summary.content).trim(), kept: listPersonWords(rows.flat()) };
    const compaction: SessionEvent = { type: 'compacted', ...new RowPlace(at, summary), ...texts };
    return [{ type: 'rewritten', rows, continues: true }, compaction];
  }

  // A resumed session is first written without its messages, then with all of them.
  return rows.flat().some(({ type }) => TALK.has(type)) ? [{ type: 'rewritten', rows }] : [];
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

function readSession(row: JsonObject, at: number): SessionEvent[] {
  const [directory] = getList(row, 'directories');
  const cwd = typeof directory === 'string' ? directory : undefined;
  const subagent = row.kind === 'subagent' ? true : undefined;
  const titles = new RowPlace(at, {}).title(getString(row, 'summary'), 'host');

  return [{ type: 'facts', session: getString(row, 'sessionId'), cwd, subagent }, ...titles];
}

function readTools(row: JsonObject, place: RowPlace): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const call of getObjects(row, 'toolCalls')) {
    const tool = getString(call, 'name');
    const callEvent = place.call(call);
    events.push(callEvent);
    const result = call.result ?? call.resultDisplay;
    if (result === undefined || result === null) continue;

    const text = extractToolText(result);
    const timestamp = call.timestamp ?? place.timestamp;
    const outcome = parseOutcome(getString(call, 'status'), text);

    events.push(
      new RowPlace(place.at, { id: place.id, timestamp }).result(callEvent.id, { text, outcome, tool }),
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
function extractHumanWords(row: JsonObject): string {
  const sent = extractText(row.displayContent).trim() || extractText(row.content);
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
