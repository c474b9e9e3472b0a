import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../base/text/json.ts';
import { contentText, isCommand, isoTime, resultText } from '../content.ts';
import { callEvent, type EventPlace, type Format, resultEvent, type SessionEvent } from '../event.ts';

/** The ids of its messages; pi's and OpenClaw's are shorter. */
const ID = /^(?:context-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/;
const TYPES = new Set(['session_start', 'agent_turn_outcome', 'compaction_state', 'session_end']);

/** Droid: entries like pi's, with the blocks of Anthropic's messages. */
export const droidFormat: Format = {
  name: 'droid',
  title: 'Droid session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type') ?? '';
    if (type !== 'message') return TYPES.has(type) && !('uuid' in record) && !('payload' in record);
    const message = objectAt(record, 'message');
    return message !== undefined && !('timestamp' in message) && ID.test(textAt(record, 'id') ?? '');
  },
  events(record, at) {
    const id = textAt(record, 'id') ?? `@${at}`;
    const place: EventPlace = { id, at, timestamp: isoTime(record.timestamp) };
    const type = textAt(record, 'type');
    if (type === 'session_start') {
      const [cwd, title] = [textAt(record, 'cwd'), textAt(record, 'title')];
      const isNamed = title !== undefined && record.isSessionTitleManuallySet === true;
      const named: SessionEvent[] = isNamed ? [{ type: 'title', text: title, by: 'person', ...place }] : [];
      return [{ type: 'facts', session: textAt(record, 'id'), cwd }, ...named];
    }
    if (type === 'compaction_state') return [{ type: 'compacted', ...place, summary: summaryIn(record) }];
    const message = objectAt(record, 'message');
    return message === undefined ? [] : messageEvents(message, place);
  },
};

const summaryIn = (record: JsonObject): string | undefined =>
  textAt(record, 'summaryText') ?? textAt(record, 'summary');

function messageEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  // What hooks have done, for the screen.
  if (message.visibility === 'user_only') return [];
  const blocks = listAt(message, 'content').filter(isObject);
  const text = contentText(message.content).trim();
  if (message.role === 'assistant') {
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map((block) => callEvent(place, textAt(block, 'id'), textAt(block, 'name'), block.input));
    const said: SessionEvent[] = text === '' ? [] : [{ type: 'agent', text, ...place }];
    return [{ type: 'facts', model: textAt(message, 'modelId') }, ...said, ...calls];
  }
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => {
      const outcome = block.is_error === true ? 'failed' : 'ok';
      return resultEvent(place, textAt(block, 'tool_use_id'), {
        ...{ text: resultText(block.content), outcome, tool: undefined },
      });
    });
  if (results.length > 0 || text === '' || isCommand(text)) return results;
  if (text.startsWith('<system-reminder>') || place.id.startsWith('context-'))
    return [{ type: 'host', text, ...place }];
  return [{ type: 'person', voice: 'prompt', text, ...place }];
}
