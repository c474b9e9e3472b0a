import { getNumber, getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { joinOwnWords, renderResult } from '../content.ts';
import { type CompactionEvent, type Format, RowPlace, type SessionEvent } from '../event.ts';

/** The beginning of a part that hooks have added to a prompt. */
const HOOK_PART = '<qwen:';

/** Subtypes of a person's rows; others are of timers, notifications and goals. */
const PERSON_SUBTYPES: ReadonlySet<unknown> = new Set([undefined, 'mid_turn_user_message']);

/** Qwen Code: lines like Claude Code's, with the parts of Gemini's messages. */
export const qwenFormat: Format = {
  name: 'qwen-code',
  title: 'Qwen Code session (JSONL)',
  recognises: (row) => getString(row, 'provenance') !== undefined && getString(row, 'uuid') !== undefined,
  events(row, at) {
    const id = getString(row, 'uuid');
    const place = new RowPlace(at, { id, timestamp: row.timestamp });
    const parent = row.parentUuid === null ? null : getString(row, 'parentUuid');
    const facts = { session: getString(row, 'sessionId'), cwd: getString(row, 'cwd') };
    return [{ type: 'row', id, parent }, { type: 'facts', ...facts }, ...readContent(row, place)];
  },
};

const listTexts = (parts: readonly JsonObject[]): string[] =>
  parts.flatMap((part) => (part.thought === true ? [] : (getString(part, 'text') ?? [])));

function readContent(row: JsonObject, place: RowPlace): SessionEvent[] {
  const parts = getObjects(getObject(row, 'message'), 'parts');
  const texts = listTexts(parts).filter((words) => !words.startsWith(HOOK_PART));
  const text = texts.join('\n').trim();

  const payload = getObject(row, 'systemPayload');

  switch (getString(row, 'type')) {
    case 'user': {
      const isPerson = row.provenance === 'real_user' && PERSON_SUBTYPES.has(row.subtype);
      const typed = getString(payload, 'displayText');
      const words = isPerson ? (typed ?? joinOwnWords(texts)) : text;
      return place.prompt(words, isPerson, typed !== undefined);
    }
    case 'assistant': {
      const tokensUsed = getNumber(getObject(row, 'usageMetadata'), 'totalTokenCount');
      const calls = parts.map((part) => getObject(part, 'functionCall')).filter((call) => call !== undefined);
      const facts: SessionEvent = { type: 'facts', model: getString(row, 'model'), tokensUsed };
      return [facts, ...place.agent(text), ...calls.map((call) => place.call(call))];
    }
    case 'tool_result':
      return parts.flatMap((part) => readResult(part, row, place));
    case 'system':
      if (row.subtype !== 'chat_compression') return [];
      return [{ type: 'compacted', ...place, ...parseHistory(payload) }];
    default:
      return [];
  }
}

function readResult(part: JsonObject, row: JsonObject, place: RowPlace): SessionEvent[] {
  const response = getObject(part, 'functionResponse');
  if (response === undefined) return [];

  const result = getObject(row, 'toolCallResult');
  const display = getObject(result, 'resultDisplay');
  const isOk = getString(result, 'status') === 'success' && (getNumber(display, 'exitCode') ?? 0) === 0;
  const text = renderResult(getObject(response, 'response')?.output ?? response.response);
  const [id, tool] = [getString(response, 'id'), getString(response, 'name')];

  return [place.result(id, { text, outcome: isOk ? 'ok' : 'failed', tool })];
}

function parseHistory(payload: JsonObject | undefined): Pick<CompactionEvent, 'summary' | 'kept'> {
  const messages = getObjects(payload, 'compressedHistory');
  const [summary = '', ...kept] = messages.map((message) =>
    listTexts(getObjects(message, 'parts')).join('\n'),
  );
  return summary === '' ? {} : { summary, kept: kept.join('\n\n') };
}
