import { getObject, getObjects, getString, type JsonObject } from '../../base/text/json.ts';
import { extractText, isCommand, joinOwnWords, listBlockTexts } from '../content.ts';
import { type Format, RowPlace, type SessionEvent } from '../event.ts';

/** The ids of its messages; pi's and OpenClaw's are shorter. */
const ID = /^(?:context-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/;
const TYPES = new Set(['session_start', 'agent_turn_outcome', 'compaction_state', 'session_end']);

/** Droid: entries like pi's, with the blocks of Anthropic's messages. */
export const droidFormat: Format = {
  name: 'droid',
  title: 'Droid session (JSONL)',
  recognises(row) {
    const type = getString(row, 'type') ?? '';
    if (type !== 'message') return TYPES.has(type) && !('uuid' in row) && !('payload' in row);
    const message = getObject(row, 'message');
    return message !== undefined && !('timestamp' in message) && ID.test(getString(row, 'id') ?? '');
  },
  events(row, at) {
    const place = new RowPlace(at, row);
    const type = getString(row, 'type');

    if (type === 'session_start') {
      const [session, cwd] = [getString(row, 'id'), getString(row, 'cwd')];
      const name = row.isSessionTitleManuallySet === true ? getString(row, 'title') : undefined;
      const isSpawned =
        ['callingSessionId', 'callingToolUseId'].some((key) => getString(row, key) !== undefined) ||
        getString(row, 'decompSessionType') === 'worker';
      return [
        { type: 'facts', session, cwd, subagent: isSpawned || undefined },
        ...place.title(name, 'person'),
      ];
    }

    if (type === 'compaction_state') return [{ type: 'compacted', ...place, summary: parseSummary(row) }];

    const message = getObject(row, 'message');

    return message === undefined ? [] : readMessage(message, place);
  },
};

const parseSummary = (row: JsonObject): string | undefined =>
  getString(row, 'summaryText') ?? getString(row, 'summary');

function readMessage(message: JsonObject, place: RowPlace): SessionEvent[] {
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
