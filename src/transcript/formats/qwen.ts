import { getNumber, getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { joinOwnWords, renderResult } from '../content.ts';
import { type CompactionEvent, type Format, RecordPlace, type SessionEvent } from '../event.ts';

/** The beginning of a part that hooks have added to a prompt. */
const HOOK_PART = '<qwen:';

/** Subtypes of a person's records; others are of timers, notifications and goals. */
const PERSON_SUBTYPES: ReadonlySet<unknown> = new Set([undefined, 'mid_turn_user_message']);

/** Qwen Code: lines like Claude Code's, with the parts of Gemini's messages. */
export const qwenFormat: Format = {
  name: 'qwen-code',
  title: 'Qwen Code session (JSONL)',
  recognises: (record) =>
    getString(record, 'provenance') !== undefined && getString(record, 'uuid') !== undefined,
  events(record, at) {
    const id = getString(record, 'uuid');
    const place = new RecordPlace(at, { id, timestamp: record.timestamp });
    const parent = record.parentUuid === null ? null : getString(record, 'parentUuid');
    const facts = { session: getString(record, 'sessionId'), cwd: getString(record, 'cwd') };
    return [{ type: 'record', id, parent }, { type: 'facts', ...facts }, ...readContent(record, place)];
  },
};

const listTexts = (parts: readonly JsonObject[]): string[] =>
  parts.flatMap((part) => (part.thought === true ? [] : (getString(part, 'text') ?? [])));

function readContent(record: JsonObject, place: RecordPlace): SessionEvent[] {
  const parts = getObjects(getObject(record, 'message'), 'parts');
  const texts = listTexts(parts).filter((words) => !words.startsWith(HOOK_PART));
  const text = texts.join('\n').trim();

  const payload = getObject(record, 'systemPayload');

  switch (getString(record, 'type')) {
    case 'user': {
      const isPerson = record.provenance === 'real_user' && PERSON_SUBTYPES.has(record.subtype);
      const typed = getString(payload, 'displayText');
      const words = isPerson ? (typed ?? joinOwnWords(texts)) : text;
      return place.prompt(words, isPerson, typed !== undefined);
    }
    case 'assistant': {
      const tokensUsed = getNumber(getObject(record, 'usageMetadata'), 'totalTokenCount');
      const calls = parts.map((part) => getObject(part, 'functionCall')).filter((call) => call !== undefined);
      const facts: SessionEvent = { type: 'facts', model: getString(record, 'model'), tokensUsed };
      return [facts, ...place.agent(text), ...calls.map((call) => place.call(call))];
    }
    case 'tool_result':
      return parts.flatMap((part) => readResult(part, record, place));
    case 'system':
      if (record.subtype !== 'chat_compression') return [];
      return [{ type: 'compacted', ...place, ...parseHistory(payload) }];
    default:
      return [];
  }
}

function readResult(part: JsonObject, record: JsonObject, place: RecordPlace): SessionEvent[] {
  const response = getObject(part, 'functionResponse');
  if (response === undefined) return [];

  const result = getObject(record, 'toolCallResult');
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
