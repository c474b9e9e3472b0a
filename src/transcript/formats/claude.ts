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
import { type Answer, type Format, RowPlace, type SessionEvent, toAnswers, type Voice } from '../event.ts';

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
  recognises(row) {
    const type = getString(row, 'type');
    if (type === undefined || 'payload' in row) return false;
    if (BARE_TYPES.has(type)) return true;
    return getString(row, 'sessionId') !== undefined || ('parentUuid' in row && 'uuid' in row);
  },
  events: readClaudeRow,
};

function readClaudeRow(row: JsonObject, at: number): SessionEvent[] {
  if (row.isSidechain === true) return [{ type: 'facts', subagent: true }];
  const type = getString(row, 'type') ?? 'untyped';
  const place = new RowPlace(at, { ...row, id: row.uuid }, getString(row, 'sessionId') ?? '');
  return [makeStart(row), makeFacts(row), ...readContent(type, row, place)];
}

function readContent(type: string, row: JsonObject, place: RowPlace): SessionEvent[] {
  if (type === 'user') return readUser(row, place);
  if (type === 'assistant') return readAssistant(row, place);
  if (type === 'queue-operation') return readQueue(row, place);
  if (type === 'attachment') return readAttachment(row, place);
  if (type !== 'system') return readTitle(row, place);
  return getString(row, 'subtype') === 'compact_boundary' ? [{ type: 'compacted', ...place }] : [];
}

/** The place of a row: only a prompt continues its parent, because parallel calls make branches, too. */
function makeStart(row: JsonObject): SessionEvent {
  const id = getString(row, 'uuid');
  const parent = row.parentUuid === null ? null : getString(row, 'parentUuid');
  const isFromHost = row.isMeta === true || row.isCompactSummary === true;
  const isTyped = row.type === 'user' && !isFromHost && listBlocks(row, 'tool_result').length === 0;
  return isTyped ? { type: 'row', id, parent, onlyWithPrompt: true } : { type: 'row', id };
}

/** The programs in which a person types; in others, as of the SDK, of actions and of triggers, a program prompts. */
const TYPED_ENTRYPOINT =
  /^(?:cli|ssh-remote|local[-_]agent|claude-(?:vscode|desktop(?:-3p)?|coworker(?:-terminal)?)|claude[-_]in[-_](?:slack|teams)|remote(?:_(?:baku|cowork|desktop|mobile|projects))?)$/;

function makeFacts(row: JsonObject): SessionEvent {
  const branch = getString(row, 'gitBranch');
  const entrypoint = getString(row, 'entrypoint');
  return {
    type: 'facts',
    session: getString(row, 'sessionId'),
    workingDirectory: getString(row, 'cwd'),
    // Outside a repository, and with a detached HEAD, Claude Code writes HEAD.
    branch: branch === 'HEAD' ? undefined : branch,
    scripted: entrypoint === undefined ? undefined : !TYPED_ENTRYPOINT.test(entrypoint),
    subagent: false,
    turnEnded: isEndOfTurn(row) || (SPOKEN.has(getString(row, 'type') ?? '') ? false : undefined),
  };
}

const SPOKEN = makeWordSet('user assistant');

/** Whether a row is of the end of a turn that was not interrupted; the last words may follow it. */
const isEndOfTurn = (row: JsonObject): boolean =>
  /^(?:stop_hook_summary|turn_duration)$/.test(getString(row, 'subtype') ?? '') ||
  getString(getObject(row, 'data'), 'hookEvent') === 'Stop';

const listBlocks = (row: JsonObject, type: 'tool_use' | 'tool_result'): JsonObject[] =>
  getObjects(getObject(row, 'message'), 'content').filter((block) => block.type === type);

/** Words that were typed while the agent worked. They follow again, as a prompt or attachment, when the model gets them. */
function readQueue(row: JsonObject, place: RowPlace): SessionEvent[] {
  const operation = getString(row, 'operation');
  const content = parseQueued(row.content);
  if (operation === 'popAll') return [{ type: 'back', queued: extractText(content) }];
  return operation === 'enqueue' && isFromPerson(row) ? readWords(content, place, 'queued') : [];
}

function readAttachment(row: JsonObject, place: RowPlace): SessionEvent[] {
  const attachment = getObject(row, 'attachment');
  const call = getString(attachment, 'toolUseID');
  if (call !== undefined && mayChangeAnswers(attachment)) return [{ type: 'back', call }];
  const isTyped =
    getString(attachment, 'type') === 'queued_command' &&
    (getString(attachment, 'commandMode') ?? 'prompt') === 'prompt' &&
    [row, attachment ?? {}].every(isFromPerson);
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

function readTitle(row: JsonObject, place: RowPlace): SessionEvent[] {
  const of = getString(row, 'leafUuid');
  return TITLES.flatMap(([key, by]) => place.title(getString(row, key), by, of)).slice(0, 1);
}

function readUser(row: JsonObject, place: RowPlace): SessionEvent[] {
  const results = listBlocks(row, 'tool_result');
  const events = results.flatMap((block) => readResult(block, row, place));
  const { content } = getObject(row, 'message') ?? {};

  if (row.isCompactSummary === true)
    return [...events, { type: 'compacted', summary: extractText(content), ...place }];

  const isHidden = row.isMeta === true || row.isVisibleInTranscriptOnly === true;
  if (isHidden || !isFromPerson(row)) return events;
  return [...events, ...readWords(content, place, 'prompt')];
}

function readWords(content: unknown, place: RowPlace, voice: Voice): SessionEvent[] {
  const message = separateClaudeWords(content);
  if (message === 'host') return [];
  if (message === 'interruption') return [{ type: 'interrupted', ...place }];
  if ('plan' in message) return [{ type: 'plan', text: message.plan, ...place }];
  return [{ type: 'person', voice, text: message.words, ...place }];
}

function readResult(block: JsonObject, row: JsonObject, place: RowPlace): SessionEvent[] {
  const call = getString(block, 'tool_use_id');
  const text = renderResult(block.content);
  const isError = block.is_error === true;
  const isPersons = isDecidedByPerson(row);
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

  const answers = isError || !isPersons ? [] : parseAnswers(row.toolUseResult, text);
  return [result, ...place.answers(id, answers)];
}

/** A hook may refuse a call in the host's own words, or answer a question. Older versions say nothing of it. */
function isDecidedByPerson(row: JsonObject): boolean {
  const source = getString(getObject(row, 'permissionDecision'), 'source') ?? 'user_';
  const denial = getString(row, 'toolDenialKind') ?? 'user-rejected';
  return source.startsWith('user_') && /^(?:user-rejected|interrupted|cancelled)$/.test(denial);
}

function readAssistant(row: JsonObject, place: RowPlace): SessionEvent[] {
  const body = getObject(row, 'message');
  const model = getString(body, 'model');
  const text = extractText(body?.content);
  if (row.isApiErrorMessage === true) return [{ type: 'error', text, ...place }];
  if (model === '<synthetic>') return [];

  const tokensUsed = sumNumbers(getObject(body, 'usage'), TOKENS);
  const words = place.agent(text).map((event) => ({ ...event, answer: getString(body, 'id') }));
  const calls = listBlocks(row, 'tool_use').map((block) => place.call(block));
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

function isFromPerson(row: JsonObject): boolean {
  const isFromAgent =
    row.turnCompanion !== undefined ||
    ['agentId', 'agent_id', 'sourceToolUseID'].some((key) => getString(row, key) !== undefined);
  const origin = getString(getObject(row, 'origin'), 'kind');
  const sources = [origin, getString(row, 'source'), getString(row, 'promptSource')];
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
