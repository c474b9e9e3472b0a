import { join } from 'node:path';
import { tryList } from '../../base/fs/index.ts';
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
import type { Answer, CallOutcome, EventPlace, SessionEvent } from '../event.ts';
import type { Format } from '../format.ts';
import { filesIn, type Home, type Surroundings } from '../home.ts';

/** Days to search, newest first: a busy machine has thousands of rollouts. */
const DAYS = 60;
/** A session older than this is watched only if it is the active one. */
const WATCHED_MS = 2 * 86_400_000;

const rolloutsOf = ({ env, home }: Surroundings): string =>
  join(env.CODEX_HOME || join(home, '.codex'), 'sessions');

const isSession = (name: string): boolean => name.startsWith('rollout-') && name.endsWith('.jsonl');

/** Codex keeps the rollouts of all projects by day; archived ones are elsewhere and are left out. */
const codexHome: Home = {
  sessions(search) {
    const root = rolloutsOf(search);
    const owns = (cwd: string | undefined): boolean => search.match.owns(cwd);
    // Rollouts of the first releases are in the folder itself.
    const found = filesIn(root, isSession, owns);
    let days = 0;
    for (const year of newest(root)) {
      for (const month of newest(join(root, year))) {
        for (const day of newest(join(root, year, month))) {
          if (days++ >= DAYS) return found;
          found.push(...filesIn(join(root, year, month, day), isSession, owns));
        }
      }
    }
    return found;
  },
  places: (search) => [{ root: rolloutsOf(search), folder: isRecentDay, file: isSession }],
};

function newest(directory: string): string[] {
  return tryList(directory)
    .filter((name) => /^\d{2,4}$/.test(name))
    .sort()
    .reverse();
}

function isRecentDay(parts: readonly string[]): boolean {
  if (parts.length > 3 || !parts.every((part) => /^\d{2,4}$/.test(part))) return false;
  const oldest = new Date(Date.now() - WATCHED_MS).toISOString().slice(0, 10).split('-');
  return parts.join('-') >= oldest.slice(0, parts.length).join('-');
}

/**
 * The same message is written as an event, since 2026 as a completed item, and as an item sent to the model.
 */
type Way = 'event' | 'completed' | 'item';

const ITEM_TYPES = new Set(['message', 'reasoning', 'function_call', 'function_call_output']);
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
const INTERRUPTED = /^<turn_aborted>/;
/** Codex's own answers to a command that the person did not allow, and to one that its rules do not. */
const REJECTED = /^(?:exec[ _]command|patch|apply_patch) (?:failed.{0,9000})?rejected by user\b/s;
const DENIED =
  /^(?:exec[ _]command|patch|apply_patch|command) (?:failed.{0,9000})?(?:rejected\b|blocked by policy)/is;
const EXIT = /^(?:Exit code: |Process exited with code )(\d{1,3})$/m;

/** Codex CLI: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export const codexFormat: Format = {
  name: 'codex',
  title: 'Codex rollout (JSONL)',
  takenBack: 'rolled back',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type !== undefined && objectAt(record, 'payload') !== undefined) return true;
    if (textAt(record, 'record_type') !== undefined) return true;
    // Rollouts of 2025 contain bare items, after a line with the session's id.
    return type !== undefined && ITEM_TYPES.has(type) && !('message' in record) && !('uuid' in record);
  },
  events: codexEvents,
  about(record) {
    const payload = objectAt(record, 'payload');
    const spawned =
      objectAt(payload, 'source')?.subagent !== undefined || textAt(payload, 'thread_source') === 'subagent';
    return {
      session: record.type === 'session_meta' ? textAt(payload, 'id') : undefined,
      cwd: textAt(payload, 'cwd') ?? textAt(record, 'cwd'),
      time: isoTime(record.timestamp),
      subagent: spawned ? 'session' : undefined,
    };
  },
  home: codexHome,
};

/** The events of one line. */
function codexEvents(record: JsonObject, at: number): SessionEvent[] {
  const payload = objectAt(record, 'payload') ?? record;
  const type = textAt(record, 'type');
  const place = { id: `@${at}`, at, timestamp: isoTime(record.timestamp) };
  if (type === 'event_msg') return eventMessages(payload, place);
  if (type === 'session_meta') return [metaOf(payload)];
  if (type === 'turn_context') return [contextOf(payload), { type: 'skip', reason: 'turn context' }];
  if (type === 'compacted')
    return [
      { type: 'compacted', ...place, summary: textAt(payload, 'message') },
      { type: 'skip', reason: 'compaction summary' },
    ];
  return itemEvents(payload, place, type);
}

function metaOf(payload: JsonObject): SessionEvent {
  const history = objectAt(payload, 'history_base');
  const [thread, end] = [textAt(history, 'thread_id'), numberAt(history, 'end_byte_offset')];
  return {
    type: 'facts',
    session: textAt(payload, 'id'),
    cwd: textAt(payload, 'cwd'),
    branch: textAt(objectAt(payload, 'git'), 'branch'),
    base: thread === undefined || end === undefined ? undefined : { thread, end },
  };
}

const contextOf = (payload: JsonObject): SessionEvent => ({
  type: 'facts',
  workingDirectory: textAt(payload, 'cwd'),
  model: textAt(payload, 'model'),
});

function eventMessages(payload: JsonObject, place: EventPlace): SessionEvent[] {
  const type = textAt(payload, 'type') ?? 'untyped';
  if (type === 'user_message') {
    const kind = textAt(payload, 'kind') ?? 'plain';
    if (kind === 'plain') return spoken('user', 'event', contentText(payload.message), place);
    return [{ type: 'skip', reason: 'injected context' }];
  }
  if (type === 'agent_message') return spoken('assistant', 'event', contentText(payload.message), place);
  if (type === 'item_completed') {
    const item = objectAt(payload, 'item');
    const kind = textAt(item, 'type');
    const role = kind === 'UserMessage' ? 'user' : kind === 'AgentMessage' ? 'assistant' : undefined;
    if (role === undefined) return [{ type: 'skip', reason: `completed item: ${kind ?? 'untyped'}` }];
    const own = { ...place, id: textAt(item, 'id') ?? place.id };
    return spoken(role, 'completed', contentText(item?.content), own);
  }
  if (type === 'token_count') {
    const info = objectAt(payload, 'info');
    const contextWindow = numberAt(info, 'model_context_window');
    const tokensUsed = numberAt(objectAt(info, 'last_token_usage'), 'total_tokens');
    return [
      { type: 'facts', contextWindow, tokensUsed },
      { type: 'skip', reason: 'token count' },
    ];
  }
  if (type === 'thread_rolled_back')
    return [
      { type: 'back', turns: numberAt(payload, 'num_turns') ?? 0 },
      { type: 'skip', reason: `event: ${type}` },
    ];
  if (type === 'turn_aborted') return [{ type: 'interrupted', reason: 'event: turn_aborted', ...place }];
  return [{ type: 'skip', reason: `event: ${type}` }];
}

function itemEvents(payload: JsonObject, place: EventPlace, record: string | undefined): SessionEvent[] {
  const type = textAt(payload, 'type') ?? record ?? 'untyped';
  if (type === 'message') {
    const role = textAt(payload, 'role');
    const own = { ...place, id: textAt(payload, 'id') ?? place.id };
    if (role === 'user' || role === 'assistant')
      return spoken(role, 'item', contentText(sentByHuman(payload)), own);
    return [{ type: 'skip', reason: 'instructions' }];
  }
  if (CALLS.has(type)) {
    const id = textAt(payload, 'call_id') ?? textAt(payload, 'id') ?? `${place.id}:call`;
    const tool =
      textAt(payload, 'name') ?? (type === 'local_shell_call' ? 'shell' : type.replace(/_call$/, ''));
    const input = payload.arguments ?? payload.input ?? payload.action ?? {};
    return [{ type: 'call', tool, input: isObject(input) ? input : plain(String(input)), ...place, id }];
  }
  if (OUTPUTS.has(type)) return [outputEvent(payload, place), ...answerEvents(payload, place)];
  return [{ type: 'skip', reason: ITEM_TYPES.has(type) ? type : `${type} line` }];
}

function spoken(role: 'user' | 'assistant', way: Way, text: string, place: EventPlace): SessionEvent[] {
  if (role === 'assistant') {
    const words = text.trim();
    if (words === '') return [{ type: 'skip', reason: 'empty message' }];
    return [{ type: 'agent', text: words, way, ...place }];
  }
  if (way === 'item' && INTERRUPTED.test(text.trim())) return [{ type: 'skip', reason: 'interruption mark' }];
  const reply = elementText(text, REPLY);
  if (reply !== undefined && text.trimStart().startsWith(`<${REPLY}>`)) {
    const answers = listAt(parsedObject(`{"all":${reply}}`), 'all').flatMap((one) =>
      isObject(one) ? pair(textAt(one, 'question'), textAt(one, 'answer')) : [],
    );
    return answered(answers, { ...place, way });
  }
  const words = humanWords(text, way);
  if (words === undefined || words === '')
    return [{ type: 'skip', reason: words === undefined ? 'injected context' : 'empty message' }];
  return [{ type: 'person', voice: 'prompt', text: words, way, ...place }];
}

const pair = (question: string | undefined, answer: string | undefined): Answer[] =>
  answer === undefined || answer.trim() === '' ? [] : [{ question: question ?? '', answer: answer.trim() }];

function answered(answers: Answer[], place: EventPlace & { way?: Way; call?: string }): SessionEvent[] {
  const text = answers.map(({ answer }) => answer).join('\n');
  if (text === '') return [{ type: 'skip', reason: 'empty message' }];
  return [{ type: 'person', voice: 'answer', text, answers, ...place }];
}

/** Answers to the agent's questions are JSON: `{"answers":{"<id>":{"answers":["…","user_note: …"]}}}`. */
function answerEvents(payload: JsonObject, place: EventPlace): SessionEvent[] {
  const call = textAt(payload, 'call_id');
  const { output } = payload;
  if (call === undefined || typeof output !== 'string' || !output.startsWith('{"answers":')) return [];
  const all = Object.entries(membersOf(parsedObject(output)?.answers)).flatMap(([id, value]) =>
    listAt(membersOf(value), 'answers').flatMap((one) =>
      typeof one === 'string' ? pair(id, one.replace(/^user_note: /, '')) : [],
    ),
  );
  return all.length === 0 ? [] : answered(all, { ...place, call, id: `${call}:words` });
}

/** Results of the shell are text with the exit status on top, or JSON with `output` and `metadata`. */
function outputEvent(payload: JsonObject, place: EventPlace): SessionEvent {
  const call = textAt(payload, 'call_id');
  const { text, told } = outputOf(payload.output);
  const exit = numberAt(told, 'exit_code') ?? exitIn(text);
  let outcome: CallOutcome = exit === undefined ? 'unknown' : exit === 0 ? 'ok' : 'failed';
  if (exit === undefined && REJECTED.test(text.trim())) outcome = 'rejected';
  else if (exit === undefined && DENIED.test(text.trim())) outcome = 'denied';
  else if (exit === undefined && told?.success === false) outcome = 'failed';
  return {
    type: 'result',
    ...place,
    id: call === undefined ? `${place.id}:result` : `${call}:result`,
    call,
    text,
    outcome,
  };
}

function outputOf(output: unknown): { text: string; told: JsonObject | undefined } {
  if (isObject(output)) return { text: resultText(output), told: objectAt(output, 'metadata') ?? output };
  if (typeof output === 'string' && output.startsWith('{"output":')) {
    const value = parsedObject(output);
    return value === undefined
      ? { text: plain(output), told: undefined }
      : { text: resultText(value), told: objectAt(value, 'metadata') };
  }
  return { text: resultText(output), told: undefined };
}

/** The status that Codex writes above the output of a command. */
function exitIn(text: string): number | undefined {
  const head = text.slice(0, 400).split(/^Output:$/m, 1)[0] ?? '';
  const status = head.length < Math.min(text.length, 400) ? EXIT.exec(head)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
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
