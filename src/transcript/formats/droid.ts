import { getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { extractText, isCommand, joinOwnWords, listBlockTexts } from '../content.ts';
import { type Format, RecordPlace, type SessionEvent } from '../event.ts';

/** The ids of its messages; pi's and OpenClaw's are shorter. */
const ID = /^(?:context-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/;
const TYPES = new Set(['session_start', 'agent_turn_outcome', 'compaction_state', 'session_end']);

/** Droid: entries like pi's, with the blocks of Anthropic's messages. */
export const droidFormat: Format = {
  name: 'droid',
  title: 'Droid session (JSONL)',
  recognises(record) {
    const type = getString(record, 'type') ?? '';
    if (type !== 'message') return TYPES.has(type) && !('uuid' in record) && !('payload' in record);
    const message = getObject(record, 'message');
    return message !== undefined && !('timestamp' in message) && ID.test(getString(record, 'id') ?? '');
  },
  events(record, at) {
    const place = new RecordPlace(at, record);
    const type = getString(record, 'type');

    if (type === 'session_start') {
      const [session, cwd] = [getString(record, 'id'), getString(record, 'cwd')];
      const name = record.isSessionTitleManuallySet === true ? getString(record, 'title') : undefined;
      const isSpawned =
        ['callingSessionId', 'callingToolUseId'].some((key) => getString(record, key) !== undefined) ||
        getString(record, 'decompSessionType') === 'worker';
      return [
        { type: 'facts', session, cwd, subagent: isSpawned || undefined },
        ...place.title(name, 'person'),
      ];
    }

    if (type === 'compaction_state') return [{ type: 'compacted', ...place, summary: parseSummary(record) }];

    const message = getObject(record, 'message');

    return message === undefined ? [] : readMessage(message, place);
  },
};

const parseSummary = (record: JsonObject): string | undefined =>
  getString(record, 'summaryText') ?? getString(record, 'summary');

function readMessage(message: JsonObject, place: RecordPlace): SessionEvent[] {
  // A report on hooks, for the screen.
  if (message.visibility === 'user_only') return [];

  const blocks = getObjects(message, 'content');
  const text = extractText(message.content).trim();
  const tools = place.tools(blocks, 'ok');

  if (message.role === 'assistant')
    return [{ type: 'facts', model: getString(message, 'modelId') }, ...place.agent(text), ...tools];

  if (tools.length > 0 || isCommand(text)) return tools;

  const words = joinOwnWords(listBlockTexts(message.content));
  if (words === '' || message.visibility === 'llm_only' || place.id.startsWith('context-'))
    return place.prompt(text, false);

  return place.prompt(words);
}
