import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from '../../base/text/json.ts';
import { isCommand, isoTime, resultText } from '../content.ts';
import { callEvent, type EventPlace, type Format, resultEvent, type SessionEvent } from '../event.ts';

/** What hooks have added to a prompt is a part of its own. */
const ADDED = '<qwen:';

/** Qwen Code: lines like Claude Code's, with the parts of Gemini's messages. */
export const qwenFormat: Format = {
  name: 'qwen-code',
  title: 'Qwen Code session (JSONL)',
  recognises: (record) => textAt(record, 'provenance') !== undefined && textAt(record, 'uuid') !== undefined,
  events(record, at) {
    const id = textAt(record, 'uuid');
    const place: EventPlace = { id: id ?? `@${at}`, at, timestamp: isoTime(record.timestamp) };
    const parent = record.parentUuid === null ? null : textAt(record, 'parentUuid');
    const facts = { session: textAt(record, 'sessionId'), cwd: textAt(record, 'cwd') };
    return [{ type: 'record', id, parent }, { type: 'facts', ...facts }, ...contentEvents(record, place)];
  },
};

function contentEvents(record: JsonObject, place: EventPlace): SessionEvent[] {
  const parts = listAt(objectAt(record, 'message'), 'parts').filter(isObject);
  const text = parts
    .flatMap((part) => (part.thought === true ? [] : (textAt(part, 'text') ?? [])))
    .filter((words) => !words.startsWith(ADDED))
    .join('\n')
    .trim();
  const payload = objectAt(record, 'systemPayload');
  switch (textAt(record, 'type')) {
    case 'user': {
      const isPerson = record.provenance === 'real_user';
      const words = (isPerson ? textAt(payload, 'displayText') : undefined) ?? text;
      if (words === '' || isCommand(words)) return [];
      if (!isPerson) return [{ type: 'host', text: words, ...place }];
      return [{ type: 'person', voice: 'prompt', text: words, ...place }];
    }
    case 'assistant':
      return answerEvents(record, parts, text, place);
    case 'tool_result':
      return parts.flatMap((part) => resultOf(part, record, place));
    case 'system':
      if (record.subtype !== 'chat_compression') return [];
      return [{ type: 'compacted', ...place, summary: summaryIn(payload) }];
    default:
      return [];
  }
}

function answerEvents(
  record: JsonObject,
  parts: readonly JsonObject[],
  text: string,
  place: EventPlace,
): SessionEvent[] {
  const tokensUsed = numberAt(objectAt(record, 'usageMetadata'), 'totalTokenCount');
  const calls = parts.flatMap((part) => {
    const call = objectAt(part, 'functionCall');
    return call === undefined ? [] : [callEvent(place, textAt(call, 'id'), textAt(call, 'name'), call.args)];
  });
  const said: SessionEvent[] = text === '' ? [] : [{ type: 'agent', text, ...place }];
  return [{ type: 'facts', model: textAt(record, 'model'), tokensUsed }, ...said, ...calls];
}

function resultOf(part: JsonObject, record: JsonObject, place: EventPlace): SessionEvent[] {
  const response = objectAt(part, 'functionResponse');
  if (response === undefined) return [];
  const result = objectAt(record, 'toolCallResult');
  const display = objectAt(result, 'resultDisplay');
  const isOk = textAt(result, 'status') === 'success' && (numberAt(display, 'exitCode') ?? 0) === 0;
  const text = resultText(objectAt(response, 'response')?.output ?? response.response);
  const [id, tool] = [textAt(response, 'id'), textAt(response, 'name')];
  return [resultEvent(place, id, { text, outcome: isOk ? 'ok' : 'failed', tool })];
}

/** The first message of the history that took the place of the old one. */
function summaryIn(payload: JsonObject | undefined): string | undefined {
  const [first] = listAt(payload, 'compressedHistory').filter(isObject);
  const [part] = listAt(first, 'parts').filter(isObject);
  return textAt(part, 'text');
}
