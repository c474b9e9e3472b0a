import TEXTS from '../../../models/words/host-texts.json' with { type: 'json' };
import {
  getObject,
  getObjects,
  getString,
  isObject,
  type JsonObject,
  parseJson,
  parseObject,
  toMembers,
} from '../../base/text/json.ts';
import { makeWordSet } from '../../base/text/strings.ts';
import {
  extractText,
  getElement,
  isCommand,
  isHostJson,
  listBlockTexts,
  removeElements,
  renderResult,
  sumNumbers,
} from '../content.ts';
import { type Answer, type Format, RecordPlace, type SessionEvent, toAnswers, type Voice } from '../event.ts';

const BARE_TYPES = new Set([
  'file-history-snapshot',
  'summary',
  'queue-operation',
  'custom-title',
  'last-prompt',
]);

/** Claude Code: `~/.claude/projects/<folded cwd>/<session>.jsonl`. */
export const claudeFormat: Format = {
  name: 'claude-code',
  title: 'Claude Code session (JSONL)',
  recognises(record) {
    const type = getString(record, 'type');
    if (type === undefined || 'payload' in record) return false;
    if (BARE_TYPES.has(type)) return true;
    return getString(record, 'sessionId') !== undefined || ('parentUuid' in record && 'uuid' in record);
  },
  events: readClaudeRecord,
};

function readClaudeRecord(record: JsonObject, at: number): SessionEvent[] {
  if (record.isSidechain === true) return [{ type: 'facts', subagent: true }];
  const type = getString(record, 'type') ?? 'untyped';
  const place = new RecordPlace(at, { ...record, id: record.uuid }, getString(record, 'sessionId') ?? '');
  return [makeStart(record), makeFacts(record), ...readContent(type, record, place)];
}

function readContent(type: string, record: JsonObject, place: RecordPlace): SessionEvent[] {
  if (type === 'user') return readUser(record, place);
  if (type === 'assistant') return readAssistant(record, place);
  if (type === 'queue-operation') return readQueue(record, place);
  if (type === 'attachment') return readAttachment(record, place);
  if (type !== 'system') return readTitle(record, place);
  return getString(record, 'subtype') === 'compact_boundary' ? [{ type: 'compacted', ...place }] : [];
}

/** The place of a record: only a prompt continues its parent, because parallel calls make branches, too. */
function makeStart(record: JsonObject): SessionEvent {
  const id = getString(record, 'uuid');
  const parent = record.parentUuid === null ? null : getString(record, 'parentUuid');
  const isFromHost = record.isMeta === true || record.isCompactSummary === true;
  const isTyped = record.type === 'user' && !isFromHost && listBlocks(record, 'tool_result').length === 0;
  return isTyped ? { type: 'record', id, parent, soft: true } : { type: 'record', id };
}

function makeFacts(record: JsonObject): SessionEvent {
  const branch = getString(record, 'gitBranch');
  return {
    type: 'facts',
    session: getString(record, 'sessionId'),
    workingDirectory: getString(record, 'cwd'),
    // Outside a repository, and with a detached HEAD, Claude Code writes HEAD.
    branch: branch === 'HEAD' ? undefined : branch,
    scripted: getString(record, 'entrypoint')?.startsWith('sdk-'),
    subagent: false,
    turnEnded: isEndOfTurn(record) || (SPOKEN.has(getString(record, 'type') ?? '') ? false : undefined),
  };
}

const SPOKEN = makeWordSet('user assistant');

/** Whether a record is of the end of a turn that was not interrupted; the last words may follow it. */
const isEndOfTurn = (record: JsonObject): boolean =>
  /^(?:stop_hook_summary|turn_duration)$/.test(getString(record, 'subtype') ?? '') ||
  getString(getObject(record, 'data'), 'hookEvent') === 'Stop';

const listBlocks = (record: JsonObject, type: 'tool_use' | 'tool_result'): JsonObject[] =>
  getObjects(getObject(record, 'message'), 'content').filter((block) => block.type === type);

/** Words that were typed while the agent worked. They follow again, as a prompt or attachment, when the model gets them. */
function readQueue(record: JsonObject, place: RecordPlace): SessionEvent[] {
  const operation = getString(record, 'operation');
  const content = parseQueued(record.content);
  if (operation === 'popAll') return [{ type: 'back', queued: extractText(content) }];
  return operation === 'enqueue' && isFromPerson(record) ? readWords(content, place, 'queued') : [];
}

function readAttachment(record: JsonObject, place: RecordPlace): SessionEvent[] {
  const attachment = getObject(record, 'attachment');
  const call = getString(attachment, 'toolUseID');
  if (call !== undefined && mayChangeAnswers(attachment)) return [{ type: 'back', call }];
  const isTyped =
    getString(attachment, 'type') === 'queued_command' &&
    (getString(attachment, 'commandMode') ?? 'prompt') === 'prompt' &&
    [record, attachment ?? {}].every(isFromPerson);
  return isTyped ? readWords(parseQueued(attachment?.prompt), place, 'queued') : [];
}

/** The result has the answers that a hook put there, and still says that the person gave them. */
function mayChangeAnswers(attachment: JsonObject | undefined): boolean {
  const output = getString(attachment, 'stdout')?.trim() ?? '';
  if (getString(attachment, 'hookEvent') !== 'PostToolUse' || !output.startsWith('{')) return false;
  const value = parseObject(output);
  return value === undefined || getObject(value, 'hookSpecificOutput')?.updatedToolOutput !== undefined;
}

/** Members with the name of a session, and who gave it; `summary` is of older versions. */
const TITLES = [
  ['customTitle', 'person'],
  ['aiTitle', 'host'],
  ['summary', 'host'],
] as const;

function readTitle(record: JsonObject, place: RecordPlace): SessionEvent[] {
  const of = getString(record, 'leafUuid');
  return TITLES.flatMap(([key, by]) => place.title(getString(record, key), by, of)).slice(0, 1);
}

function readUser(record: JsonObject, place: RecordPlace): SessionEvent[] {
  const results = listBlocks(record, 'tool_result');
  const events = results.flatMap((block) => readResult(block, record, place));
  const { content } = getObject(record, 'message') ?? {};

  if (record.isCompactSummary === true)
    return [...events, { type: 'compacted', summary: extractText(content), ...place }];

  const isHidden = record.isMeta === true || record.isVisibleInTranscriptOnly === true;
  if (isHidden || !isFromPerson(record)) return events;
  return [...events, ...readWords(content, place, 'prompt')];
}

function readWords(content: unknown, place: RecordPlace, voice: Voice): SessionEvent[] {
  const message = separateClaudeWords(content);
  if (message === 'host') return [];
  if (message === 'interruption') return [{ type: 'interrupted', ...place }];
  if ('plan' in message) return [{ type: 'plan', text: message.plan, ...place }];
  return [{ type: 'person', voice, text: message.words, ...place }];
}

function readResult(block: JsonObject, record: JsonObject, place: RecordPlace): SessionEvent[] {
  const call = getString(block, 'tool_use_id');
  const text = renderResult(block.content);
  const isError = block.is_error === true;
  const isPersons = isDecidedByPerson(record);
  const rejection = isPersons ? parseRejection(text, isError) : undefined;
  const completed = isError ? 'failed' : 'ok';
  const outcome = rejection === undefined ? completed : 'rejected';
  const result = place.result(call, { text, outcome });
  const id = call ?? place.id;

  if (rejection)
    return [
      result,
      { type: 'person', voice: 'rejection', ...place, id: `${id}:words`, call: id, text: rejection },
    ];

  const answers = isError || !isPersons ? [] : parseAnswers(record.toolUseResult, text);
  return [result, ...place.answers(id, answers)];
}

/** A hook may refuse a call in the host's own words, or answer a question. Older versions say nothing of it. */
function isDecidedByPerson(record: JsonObject): boolean {
  const source = getString(getObject(record, 'permissionDecision'), 'source') ?? 'user_';
  const denial = getString(record, 'toolDenialKind') ?? 'user-rejected';
  return source.startsWith('user_') && /^(?:user-rejected|interrupted|cancelled)$/.test(denial);
}

function readAssistant(record: JsonObject, place: RecordPlace): SessionEvent[] {
  const body = getObject(record, 'message');
  const model = getString(body, 'model');
  const text = extractText(body?.content);
  if (record.isApiErrorMessage === true) return [{ type: 'error', text, ...place }];
  if (model === '<synthetic>') return [];

  const tokensUsed = sumNumbers(getObject(body, 'usage'), TOKENS);
  const words = place.agent(text).map((event) => ({ ...event, answer: getString(body, 'id') }));
  const calls = listBlocks(record, 'tool_use').map((block) => place.call(block));
  return [{ type: 'facts', model, tokensUsed }, ...words, ...calls];
}

const TOKENS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

/** Text that Claude Code adds to user messages: elements, messages by their beginnings, and lines by their beginnings. */
const { tags, starts: NOT_PERSON, lines: HOST_LINES } = TEXTS['claude-code'];
const INJECTED = makeWordSet(tags);

const INTERRUPTED = /^\[Request interrupted by user[^\]\n]*\](?:\n+|$)/;
/** A hook's output: `Stop hook feedback:`, `PostToolUse:Edit hook additional context:`. */
const HOOK_LINE =
  /^[A-Z]\w{2,30}(?::\S{1,80})? hook (?:feedback|success|(?:blocking )?error|additional context):/;
/** A report on work in the background; what is typed may follow it. */
const NOTIFICATION = /\[SYSTEM NOTIFICATION - NOT USER INPUT\](?:[\s\S]*<\/task-notification>|[\s\S]*)/;
/** The beginning of the host's text around a command, and the element in it with the words that the person typed. */
const ARGUMENTS: readonly (readonly [RegExp, string])[] = [
  [/^<command-(?:message|name)>/, 'command-args'],
  [/^<user-memory-input>/, 'user-memory-input'],
];
const PLAN = /^Implement the following plan:\s*\n+/;
/** The text below a plan that Claude Code puts into a prompt. */
const PLAN_FOOT = /\nIf you need specific details from before exiting plan mode[\s\S]*$/;

const REJECTED: readonly RegExp[] = [
  /^The user doesn't want to (?:proceed with this tool use|take this action right now)\./,
  /^The agent proposed a plan that was rejected by the user\./,
  /^Permission for this tool use was denied\. .{1,300} The user said:\n/,
];
/** The person's words with a refusal, and Claude Code's note below them. */
const REJECTION_WORDS =
  /(?:[Tt]he user said:|The user provided the following reason for the rejection:)\s+([\s\S]+)$/;
const REJECTION_FOOT = /\n\nNote: The user's next message may contain a correction or preference\.[\s\S]*$/;
/** Claude Code's own words where the person answers only some of its questions, and wants to talk. */
const CLARIFY =
  /^The user (?:wants to clarify these questions|has indicated they have provided enough answers)\b/;
const ANSWERED = /^(?:The user|User) (?:has )?answered\b|^Your questions have been answered\b/;
/** Hosts and kinds of input that come from a person. */
const PERSON = makeWordSet('human user sdk typed queued cli suggestion_accepted');

/** The content of a user message: the person's words, a plan that the host put there, or something else. */
type ClaudeText = { words: string } | { plan: string } | 'interruption' | 'host';

/** Separates the person's words in a user message from what Claude Code added, block by block. */
export function separateClaudeWords(content: unknown): ClaudeText {
  const blocks = listBlockTexts(content).map(separateBlockWords);
  const words = blocks.flatMap((block) => (typeof block === 'object' && 'words' in block ? block.words : []));
  const plan = blocks.find((block) => typeof block === 'object' && 'plan' in block);

  if (plan !== undefined) return plan;
  if (words.length > 0) return { words: words.join('\n') };
  return blocks.includes('interruption') ? 'interruption' : 'host';
}

function separateBlockWords(text: string): ClaudeText {
  const trimmed = text.trimStart();
  if (NOT_PERSON.some((start) => trimmed.startsWith(start)) || HOOK_LINE.test(trimmed)) return 'host';
  if (PLAN.test(text)) return { plan: text.replace(PLAN, '').replace(PLAN_FOOT, '').trim() };

  const typed = removeElements(text.replace(NOTIFICATION, ''), INJECTED)
    .split('\n')
    .filter((line) => !HOST_LINES.some((start) => line.startsWith(start)))
    .join('\n')
    .trim();
  const words = typed.replace(INTERRUPTED, '').trim();

  if (words === '' && typed !== '') return 'interruption';
  if (words !== '') return isCommand(words) || isHostJson(words) ? 'host' : { words };

  // `/fix the login page still fails`: the sentence after the command is the person's. A single word, as in
  // `/model opus`, is an argument.
  const element = ARGUMENTS.find(([start]) => start.test(trimmed))?.[1] ?? '';
  const sentence = getElement(text, element) ?? '';
  return /\S\s+\S/.test(sentence) ? { words: sentence } : 'host';
}

/** The content of a queued message: a text, or its blocks as JSON; nothing for other JSON, which is the host's. */
function parseQueued(content: unknown): unknown {
  const text = extractText(content).trim();
  if (!/^[[{]/.test(text)) return content;

  const value = parseJson(text);
  if (value === undefined) return content;
  return Array.isArray(value) ? value : '';
}

function isFromPerson(record: JsonObject): boolean {
  const isFromAgent =
    record.turnCompanion !== undefined ||
    ['agentId', 'agent_id', 'sourceToolUseID'].some((key) => getString(record, key) !== undefined);
  const origin = getString(getObject(record, 'origin'), 'kind');
  const sources = [origin, getString(record, 'source'), getString(record, 'promptSource')];
  return !isFromAgent && sources.every((source) => source === undefined || PERSON.has(source));
}

/**
 * The person's words with a refusal of a call; `undefined` for any other result. A refusal is an error that begins with
 * Claude Code's notice, which a command's output may quote.
 */
function parseRejection(text: string, isError: boolean): string | undefined {
  if (!isError || !REJECTED.some((notice) => notice.test(text))) return undefined;

  const words = (REJECTION_WORDS.exec(text)?.[1] ?? '').replace(REJECTION_FOOT, '').trim();
  return CLARIFY.test(words) ? '' : words;
}

function parseAnswers(result: unknown, text: string): Answer[] {
  if (!ANSWERED.test(text) || !isObject(result) || !Array.isArray(result.questions)) return [];

  const [answers, annotations] = [toMembers(result.answers), toMembers(result.annotations)];
  const questions = new Set([...Object.keys(answers), ...Object.keys(annotations)]);

  return [...questions].flatMap((question) => {
    const parts = [answers[question], toMembers(annotations[question]).notes];
    const answer = parts.flatMap((part) => (typeof part === 'string' ? part.trim() : []));
    return toAnswers(question, answer.filter(Boolean).join('\n'));
  });
}
