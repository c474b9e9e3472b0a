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
import { contentText, elementText, isCommand, isOneElement, isoTime, plain, resultText } from '../content.ts';
import {
  type Answer,
  answerEvents,
  callEvent,
  type EventPlace,
  type Format,
  resultEvent,
  type SessionEvent,
} from '../event.ts';

/**
 * The same message is written as an event, since 2026 as a completed item, and as an item sent to the model.
 */
type Way = 'event' | 'completed' | 'item';

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call']);
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output']);
/** Editors put the open files and the selection before the words, with this line between them. */
const REQUEST = /^## My request(?: for Codex)?:[ \t]*$/gm;
/** The beginning of a preamble of an editor or the app; only a preamble can end with the line above. */
const PREAMBLE =
  /^(?:# (?:Context from my IDE setup|Files mentioned by the user):|<in-app-browser-context\b)/;
/** How texts begin that Codex sends in the person's place. */
const NOT_PERSON = [
  '<user_shell_command>',
  '<turn_aborted>',
  '<hook_prompt ',
  '<codex_internal_context ',
  '<permissions instructions>',
  'Warning: The maximum number of unified exec processes',
  'Warning: apply_patch was requested via ',
  'Another language model started to solve this problem and produced a summary',
  'You are performing a CONTEXT CHECKPOINT COMPACTION',
  'The following is the Codex agent history whose request action you are assessing',
];
/** What stands around a picture in an item; an event has the words alone. */
const PICTURE = /<image(?: [^>\n]{0,300})?>\n?(?:\[image\]\n?)?<\/image>\n?/g;
/** Answers that are given in the app. */
const REPLY = 'send_user_message_question_reply';
/** Codex's own answer to a command that the person did not allow. */
const REJECTED = /^(?:exec[ _]command|patch|apply_patch) (?:failed.{0,9000})?rejected by user\b/s;

/** Codex CLI: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codexFormat: Format = {
  name: 'codex',
  title: 'Codex rollout (JSONL)',
  recognises(record) {
    return textAt(record, 'type') !== undefined && objectAt(record, 'payload') !== undefined;
  },
  events: codexEvents,
};

function codexEvents(record: JsonObject, at: number): SessionEvent[] {
  const payload = objectAt(record, 'payload') ?? {};
  const type = textAt(record, 'type');
  const place = { id: `@${at}`, at, timestamp: isoTime(record.timestamp) };
  if (type === 'event_msg') return eventMessages(payload, place);
  if (type === 'session_meta') return [metaOf(payload)];
  if (type === 'turn_context') {
    const [workingDirectory, model] = [textAt(payload, 'cwd'), textAt(payload, 'model')];
    return [{ type: 'facts', workingDirectory, model }];
  }
  if (type === 'compacted') return [{ type: 'compacted', ...place, summary: textAt(payload, 'message') }];
  return itemEvents(payload, place);
}

function metaOf(payload: JsonObject): SessionEvent {
  const history = objectAt(payload, 'history_base');
  const [thread, end] = [textAt(history, 'thread_id'), numberAt(history, 'end_byte_offset')];
  const isSpawned =
    objectAt(payload, 'source')?.subagent !== undefined || textAt(payload, 'thread_source') === 'subagent';
  return {
    type: 'facts',
    session: textAt(payload, 'id'),
    cwd: textAt(payload, 'cwd'),
    branch: textAt(objectAt(payload, 'git'), 'branch'),
    scripted: textAt(payload, 'source') === 'exec' ? true : undefined,
    base: thread === undefined || end === undefined ? undefined : { thread, end },
    subagent: isSpawned ? true : undefined,
  };
}

function eventMessages(payload: JsonObject, place: EventPlace): SessionEvent[] {
  const type = textAt(payload, 'type');
  if (type === 'user_message') {
    const kind = textAt(payload, 'kind') ?? 'plain';
    return kind === 'plain' ? said('event', payload.message, place) : [];
  }
  if (type === 'agent_message') return answer('event', payload.message, place);
  if (type === 'item_completed') {
    const item = objectAt(payload, 'item');
    const kind = textAt(item, 'type');
    const own = { ...place, id: textAt(item, 'id') ?? place.id };
    if (kind === 'UserMessage') return said('completed', item?.content, own);
    return kind === 'AgentMessage' ? answer('completed', item?.content, own) : [];
  }
  if (type === 'token_count') {
    const info = objectAt(payload, 'info');
    const contextWindow = numberAt(info, 'model_context_window');
    const tokensUsed = numberAt(objectAt(info, 'last_token_usage'), 'total_tokens');
    return [{ type: 'facts', contextWindow, tokensUsed }];
  }
  if (type === 'thread_rolled_back') return [{ type: 'back', turns: numberAt(payload, 'num_turns') ?? 0 }];
  return type === 'turn_aborted' ? [{ type: 'interrupted', ...place }] : [];
}

function itemEvents(payload: JsonObject, place: EventPlace): SessionEvent[] {
  const type = textAt(payload, 'type') ?? 'untyped';
  if (type === 'message') {
    const role = textAt(payload, 'role');
    const own = { ...place, id: textAt(payload, 'id') ?? place.id };
    if (role === 'user') return said('item', sentByHuman(payload), own);
    return role === 'assistant' ? answer('item', sentByHuman(payload), own) : [];
  }
  if (CALLS.has(type)) {
    const shell = type === 'local_shell_call' ? 'shell' : type.replace(/_call$/, '');
    const input = payload.arguments ?? payload.input ?? payload.action ?? {};
    const id = textAt(payload, 'call_id') ?? textAt(payload, 'id');
    return [
      callEvent(place, id, textAt(payload, 'name') ?? shell, isObject(input) ? input : plain(String(input))),
    ];
  }
  return OUTPUTS.has(type) ? outputEvents(payload, place) : [];
}

function answer(way: Way, content: unknown, place: EventPlace): SessionEvent[] {
  const text = contentText(content).trim();
  return text === '' ? [] : [{ type: 'agent', text, way, ...place }];
}

function said(way: Way, content: unknown, place: EventPlace): SessionEvent[] {
  const text = contentText(content);
  const reply = text.trimStart().startsWith(`<${REPLY}>`) ? elementText(text, REPLY) : undefined;
  if (reply !== undefined) {
    const all = listAt(parsedObject(`{"all":${reply}}`), 'all').filter(isObject);
    const answers = all.flatMap((one) => pair(textAt(one, 'question'), textAt(one, 'answer')));
    const words = answers.map((one) => one.answer).join('\n');
    return words === '' ? [] : [{ type: 'person', voice: 'answer', text: words, answers, way, ...place }];
  }
  const words = humanWords(text, way) ?? '';
  return words === '' ? [] : [{ type: 'person', voice: 'prompt', text: words, way, ...place }];
}

const pair = (question = '', given = ''): Answer[] =>
  given.trim() === '' ? [] : [{ question, answer: given.trim() }];

/**
 * Results of the shell are text, or JSON with `output` and `metadata`; those of a question are JSON:
 * `{"answers":{"<id>":{"answers":["…","user_note: …"]}}}`.
 */
function outputEvents(payload: JsonObject, place: EventPlace): SessionEvent[] {
  const call = textAt(payload, 'call_id');
  const { output } = payload;
  const json = typeof output === 'string' && /^\{"(?:output|answers)":/.test(output) ? output : undefined;
  const value = isObject(output) ? output : parsedObject(json);
  const told = objectAt(value, 'metadata') ?? (isObject(output) ? output : undefined);
  const text = resultText(value?.answers === undefined ? (value ?? output) : output);
  const failed = told?.success === false || (numberAt(told, 'exit_code') ?? 0) !== 0;
  const outcome = REJECTED.test(text.trim()) ? 'rejected' : failed ? 'failed' : 'unknown';
  const answers = Object.entries(membersOf(value?.answers)).flatMap(([id, given]) =>
    listAt(membersOf(given), 'answers').flatMap((one) =>
      typeof one === 'string' ? pair(id, one.replace(/^user_note: /, '')) : [],
    ),
  );
  const result = resultEvent(place, call, { text, outcome });
  return call === undefined ? [result] : [result, ...answerEvents(place, call, answers)];
}

/** The blocks of a message, without those marked as added by Codex, if they are marked (0.169). */
function sentByHuman(payload: JsonObject): unknown {
  const kinds = listAt(objectAt(payload, 'internal_chat_message_metadata_passthrough'), 'content_item_kinds');
  const blocks = listAt(payload, 'content');
  if (kinds.length === 0 || kinds.length !== blocks.length) return payload.content;
  return blocks.filter((_, index) => {
    const kind = kinds[index];
    return typeof kind !== 'string' || kind === 'unknown' || kind.startsWith('user.');
  });
}

/**
 * An event contains what was typed, whatever it looks like; an item may also be text added by Codex. An
 * editor's preamble quotes files and selections, any of which may contain the line that ends it, so the last
 * such line counts.
 */
function humanWords(text: string, written: Way): string | undefined {
  const begins = text.trimStart();
  const isShell = begins.startsWith('<user_shell_command>');
  if (isShell || (written === 'item' && NOT_PERSON.some((begin) => begins.startsWith(begin))))
    return undefined;
  const request = PREAMBLE.test(begins) ? [...text.matchAll(REQUEST)].at(-1) : undefined;
  const said = request === undefined ? text : text.slice(request.index + request[0].length);
  const words = (written === 'event' ? said : said.replace(PICTURE, '')).trim();
  if (isCommand(words)) return undefined;
  if (written !== 'item') return words;
  const injected =
    isOneElement(words) || (words.startsWith('# AGENTS.md instructions') && words.includes('<INSTRUCTIONS>'));
  return injected ? undefined : words;
}
