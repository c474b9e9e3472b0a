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
import { withLf } from '../../base/text/strings.ts';
import { extractText, getElement, isCommand, isOneElement, renderResult } from '../content.ts';
import { type Format, RowPlace, type SessionEvent, toAnswers } from '../event.ts';

/** The forms of a message, which is written in two or three of them: an event, a completed item, an item for the model. */
type Way = 'event' | 'completed' | 'item';

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call']);
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output']);
/** Editors put the open files and the selection before the words, with this line between them. */
const REQUEST = /^## My request(?: for Codex)?:[ \t]*$/gm;
/** The beginning of an editor's or the app's preamble, which ends with the line above. */
const PREAMBLE =
  /^(?:# (?:Context from my IDE setup|Files mentioned by the user):|<in-app-browser-context\b)/;
const NOT_PERSON = TEXTS.codex.starts;
/** The element of a picture in an item; an event has only the words. */
const PICTURE = /<image(?: [^>\n]{0,300})?>\n?(?:\[image\]\n?)?<\/image>\n?/g;
const REPLY = 'send_user_message_question_reply';
/** Codex's own answer to a command that the person did not allow. */
const REJECTED = /^(?:exec[ _]command|patch|apply_patch) (?:failed.{0,9000})?rejected by user\b/s;

/** Codex CLI: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codexFormat: Format = {
  name: 'codex',
  title: 'Codex rollout (JSONL)',
  recognises(row) {
    return getString(row, 'type') !== undefined && getObject(row, 'payload') !== undefined;
  },
  events: readCodexRow,
};

function readCodexRow(row: JsonObject, at: number): SessionEvent[] {
  const payload = getObject(row, 'payload') ?? {};
  const type = getString(row, 'type');
  const place = new RowPlace(at, { timestamp: row.timestamp });

  if (type === 'event_msg') return readEventMessage(payload, place);
  if (type === 'session_meta') return [readMeta(payload)];

  if (type === 'turn_context') {
    const [workingDirectory, model] = [getString(payload, 'cwd'), getString(payload, 'model')];
    return [{ type: 'facts', workingDirectory, model }];
  }

  if (type === 'compacted') return [{ type: 'compacted', ...place, summary: readSummary(payload, place) }];

  return readItem(payload, place);
}

function readSummary(payload: JsonObject, place: RowPlace): string | undefined {
  const history = getObjects(payload, 'replacement_history');
  const events = history.flatMap((item) => readItem(item, place));
  const words = events.flatMap((event) => (event.type === 'person' ? event.text : []));
  const texts = [getString(payload, 'message') ?? '', ...words].filter((text) => text !== '');
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function readMeta(payload: JsonObject): SessionEvent {
  const history = getObject(payload, 'history_base');
  const [thread, end] = [getString(history, 'thread_id'), getNumber(history, 'end_byte_offset')];
  const source = getObject(payload, 'source');
  const isSpawned =
    ['subagent', 'internal'].some((kind) => source?.[kind] !== undefined) ||
    (getString(payload, 'thread_source') ?? 'user') !== 'user';

  return {
    type: 'facts',
    session: getString(payload, 'id'),
    cwd: getString(payload, 'cwd'),
    branch: getString(getObject(payload, 'git'), 'branch'),
    scripted: /^(?:exec|mcp)$/.test(getString(payload, 'source') ?? '') || undefined,
    base: thread === undefined || end === undefined ? undefined : { thread, end },
    subagent: isSpawned || undefined,
  };
}

function readEventMessage(payload: JsonObject, place: RowPlace): SessionEvent[] {
  const type = getString(payload, 'type');
  if (type === 'user_message') {
    const kind = getString(payload, 'kind') ?? 'plain';
    return kind === 'plain' ? readPersonMessage('event', payload.message, place) : [];
  }

  if (type === 'agent_message') return readAnswer('event', payload.message, place);

  if (type === 'item_completed') {
    const item = getObject(payload, 'item');
    const kind = getString(item, 'type');
    const own = place.withId(getString(item, 'id'));

    if (kind === 'UserMessage') return readPersonMessage('completed', item?.content, own);
    return kind === 'AgentMessage' ? readAnswer('completed', item?.content, own) : [];
  }

  if (type === 'token_count') {
    const info = getObject(payload, 'info');
    const contextWindow = getNumber(info, 'model_context_window');
    const tokensUsed = getNumber(getObject(info, 'last_token_usage'), 'total_tokens');
    return [{ type: 'facts', contextWindow, tokensUsed }];
  }

  if (type === 'thread_rolled_back') return [{ type: 'back', turns: getNumber(payload, 'num_turns') ?? 0 }];

  return type === 'turn_aborted' ? [{ type: 'interrupted', ...place }] : [];
}

function readItem(payload: JsonObject, place: RowPlace): SessionEvent[] {
  const type = getString(payload, 'type') ?? 'untyped';
  if (type === 'message') {
    const role = getString(payload, 'role');
    const own = place.withId(getString(payload, 'id'));
    if (role === 'user') return readPersonMessage('item', selectHumanBlocks(payload), own);
    return role === 'assistant' ? readAnswer('item', selectHumanBlocks(payload), own) : [];
  }

  if (CALLS.has(type)) {
    const shell = type === 'local_shell_call' ? 'shell' : type.replace(/_call$/, '');
    const input = payload.arguments ?? payload.input ?? payload.action ?? {};
    const id = getString(payload, 'call_id') ?? getString(payload, 'id');

    const text = isObject(input) ? input : withLf(String(input));
    const [namespace, tool = shell] = [getString(payload, 'namespace'), getString(payload, 'name')];
    const name = namespace === undefined ? tool : `${namespace}.${tool}`;

    return [place.call({ name, input: text }, id)];
  }

  return OUTPUTS.has(type) ? readOutput(payload, place) : [];
}

const readAnswer = (way: Way, content: unknown, place: RowPlace): SessionEvent[] =>
  place.agent(extractText(content).trim(), way);

function readPersonMessage(way: Way, content: unknown, place: RowPlace): SessionEvent[] {
  const text = extractText(content);
  const reply = text.trimStart().startsWith(`<${REPLY}>`) ? getElement(text, REPLY) : undefined;

  if (reply !== undefined) {
    const replies = getObjects(parseObject(`{"replies":${reply}}`), 'replies');
    const answers = replies.flatMap((each) =>
      toAnswers(getString(each, 'question'), getString(each, 'answer')),
    );
    const words = answers.map(({ answer }) => answer).join('\n');
    return words === '' ? [] : [{ ...place, type: 'person', voice: 'answer', text: words, answers, way }];
  }

  const words = extractHumanWords(text, way) ?? '';

  return words === '' ? [] : [{ type: 'person', voice: 'prompt', text: words, way, ...place }];
}

/**
 * Results of the shell are text, or JSON with `output` and `metadata`; those of a question are JSON:
 * `{"answers":{"<id>":{"answers":["…","user_note: …"]}}}`.
 */
function readOutput(payload: JsonObject, place: RowPlace): SessionEvent[] {
  const call = getString(payload, 'call_id');
  const { output } = payload;
  const json = typeof output === 'string' && /^\{"(?:output|answers)":/.test(output) ? output : undefined;
  const value = isObject(output) ? output : parseObject(json);
  const metadata = getObject(value, 'metadata') ?? (isObject(output) ? output : undefined);
  const text = renderResult(value?.answers === undefined ? (value ?? output) : output);
  const hasFailed = metadata?.success === false || (getNumber(metadata, 'exit_code') ?? 0) !== 0;
  const completed = hasFailed ? 'failed' : 'unknown';
  const outcome = REJECTED.test(text.trim()) ? 'rejected' : completed;
  const answers = Object.entries(toMembers(value?.answers)).flatMap(([question, reply]) =>
    getList(toMembers(reply), 'answers')
      .filter((answer) => typeof answer === 'string')
      .flatMap((answer) => toAnswers(question, answer.replace(/^user_note: /, ''))),
  );

  const result = place.result(call, { text, outcome });

  return call === undefined ? [result] : [result, ...place.answers(call, answers)];
}

/** The blocks of a message that Codex marks as the person's; all of them where it marks none. */
function selectHumanBlocks(payload: JsonObject): unknown {
  const kinds = getList(
    getObject(payload, 'internal_chat_message_metadata_passthrough'),
    'content_item_kinds',
  );
  const blocks = getList(payload, 'content');
  if (kinds.length === 0 || kinds.length !== blocks.length) return payload.content;

  return blocks.filter((_, index) => {
    const kind = kinds[index];
    return typeof kind !== 'string' || kind === 'unknown' || kind.startsWith('user.');
  });
}

/**
 * The words that the person typed; `undefined` for none. An event has only typed words, an item may also be text that
 * Codex added. An editor's preamble may quote the line that ends it, so the last such line counts.
 */
function extractHumanWords(text: string, way: Way): string | undefined {
  const trimmed = text.trimStart();
  if (trimmed.startsWith('<user_shell_command>')) return undefined;
  if (way === 'item' && NOT_PERSON.some((start) => trimmed.startsWith(start))) return undefined;

  const request = PREAMBLE.test(trimmed) ? [...text.matchAll(REQUEST)].at(-1) : undefined;
  const requestText = request === undefined ? text : text.slice(request.index + request[0].length);
  const words = (way === 'event' ? requestText : requestText.replace(PICTURE, '')).trim();

  if (isCommand(words)) return undefined;
  if (way !== 'item') return words;

  const isInstructions = words.startsWith('# AGENTS.md instructions') && words.includes('<INSTRUCTIONS>');

  return isOneElement(words) || isInstructions ? undefined : words;
}
