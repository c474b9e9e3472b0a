import TEXTS from '../../models/words/host-texts.json' with { type: 'json' };
import {
  getNumber,
  getString,
  isObject,
  type JsonObject,
  parseObject,
  toJsonText,
} from '../base/text/json.ts';
import { makeWordSet, withLf } from '../base/text/strings.ts';

/** Greatest depth of nested blocks; hosts use two levels. */
const MAX_DEPTH = 4;
const TEXT_TYPES = new Set(['text', 'Text', 'input_text', 'output_text', 'refusal']);
const PICTURES = makeWordSet('image Image local_image LocalImage input_image image_url inlineData');

/**
 * The text of a message's content: a string as it is, text blocks joined by newlines. Other media become `[image]`,
 * `[audio]`, `[video]` and `[document]`; thinking, tool calls and tool results are left out.
 */
export const extractText = (content: unknown): string => withLf(collectWords(content, 0));

function collectWords(content: unknown, depth: number): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return isObject(content) ? collectWords([content], depth) : '';

  const parts: string[] = [];
  for (const block of content) {
    const part = isObject(block) ? collectBlockWords(block, depth) : block;
    if (typeof part === 'string' && part !== '') parts.push(part);
  }

  return parts.join('\n');
}

function collectBlockWords(block: JsonObject, depth: number): string {
  const type = typeof block.type === 'string' ? block.type : undefined;
  if (type === undefined || TEXT_TYPES.has(type)) {
    const text = getString(block, 'text');
    if (text !== undefined) return text;
    const media = block.inlineData ?? block.fileData;
    return isObject(media) ? nameMedia(getString(media, 'mimeType')) : '';
  }

  if (PICTURES.has(type)) return '[image]';
  if (/^(?:input_)?(?:audio|video)$/.test(type)) return nameMedia(type.replace('input_', ''));
  if (type === 'document' || type === 'file' || type === 'input_file') return '[document]';
  if (type === 'tool_reference') return getString(block, 'tool_name') ?? '';
  if (type === 'resource' && depth < MAX_DEPTH) return collectWords(block.resource, depth + 1);

  return '';
}

/** @param type a MIME type, or its first part */
const nameMedia = (type = ''): string => `[${/^(?:image|audio|video)\b/.exec(type)?.[0] ?? 'document'}]`;

const RESULT_MEMBERS = ['output', 'content', 'text', 'response', 'functionResponse', 'error'];

/** A tool's result as text: of its blocks, or of the first of its `RESULT_MEMBERS` that is not empty; otherwise JSON. */
export function renderResult(value: unknown, depth = 0): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return withLf(value);

  if (Array.isArray(value)) {
    const text = extractText(value);
    return text === '' && value.length > 0 ? toJsonText(value) : text;
  }

  if (isObject(value) && depth < MAX_DEPTH) {
    const members = RESULT_MEMBERS.map((key) => value[key] ?? false).filter((member) => member !== false);
    const isEmpty = (member: unknown): boolean => renderResult(member, depth + 1).trim() === '';
    const member = members.find((each) => !isEmpty(each)) ?? members[0];
    if (member !== undefined) return renderResult(member, depth + 1);
  }

  return toJsonText(value);
}

/** The beginning of an element; its attributes hold text of others, with quotes and brackets as these like. */
const OPENING = /<([a-zA-Z][a-zA-Z_-]{1,40})(?=[\s>])/g;

/**
 * The text without the elements of the given names. An element ends at the last of its closing tags, because its content
 * may hold that tag, too. One that is not closed stays, unless the text begins with it.
 */
export function removeElements(text: string, names: ReadonlySet<string>): string {
  if (!text.includes('<')) return text;

  const opening = new RegExp(OPENING);
  const closings = new Map<string, number>();
  let ownWords = '';
  let from = 0;

  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const name = match[1] ?? '';
    if (!names.has(name)) continue;

    const close = closings.get(name) ?? text.lastIndexOf(`</${name}>`);
    closings.set(name, close);

    if (close >= opening.lastIndex) {
      ownWords += text.slice(from, match.index);
      from = close + name.length + 3;
      opening.lastIndex = from;
    } else if (text.slice(0, match.index).trim() === '') return '';
  }

  return ownWords + text.slice(from);
}

/** The text of each block of a message; a block is either the host's or the person's. */
export const listBlockTexts = (content: unknown): string[] =>
  Array.isArray(content) ? content.map((block) => extractText([block])) : [extractText(content)];

const ADDED_TAGS = makeWordSet(TEXTS.any.tags);
/**
 * The start of the text of files and resources that the person named with `@` (Gemini CLI, Qwen Code). It extends to the
 * end of the message, since a file may contain the end mark.
 */
export const ATTACHED = /(?:^|\n)--- Content from (?:referenced files|MCP resource .*) ---[\s\S]*$/;

/** A person's words in the texts of a message's blocks, without what a host has put before, between and behind them. */
export function joinOwnWords(blocks: readonly string[]): string {
  const ownParts = blocks
    .map((text) => removeElements(text, ADDED_TAGS).trim())
    .filter((text) => text !== '');
  return ownParts.join('\n').replace(ATTACHED, '').trim();
}

/** The content of the first element of that name; undefined if there is none. */
export function getElement(text: string, name: string): string | undefined {
  const open = text.indexOf(`<${name}>`);
  if (open === -1) return undefined;
  const from = open + name.length + 2;
  const close = text.indexOf(`</${name}>`, from);
  return close === -1 ? undefined : text.slice(from, close).trim();
}

/**
 * Whether the whole text is one element, such as `<environment_context>…</environment_context>`. One with its tags on
 * lines of their own, as hosts write them, may hold its closing tag.
 */
export function isOneElement(text: string): boolean {
  const whole = text.trim();
  const name = /^<([a-zA-Z][\w-]{1,40}(?: \w{1,40})?)(?:>| \w+=)/.exec(whole)?.[1];
  const close = `</${name}>`;
  if (name === undefined || !whole.endsWith(close)) return false;
  return whole.indexOf(close) + close.length === whole.length || /^.+>\n[\s\S]*\n<[^\n]+$/.test(whole);
}

/** Whether the whole text calls a command of the host: `/model`, `/model opus`; not a path, and no sentence. */
export const isCommand = (text: string): boolean => /^\/(?:[\w:.-]{0,60}(?:[ \t]+\S+)?)?$/.test(text);

/** The person's words in the call of a command: the sentence after its name. */
export const extractCommandWords = (typed: string): string =>
  keepSentence(typed.replace(/^\/\S*/, '').trim());

/** The words behind a command's name, if they are a sentence; a single word, as in `/model opus`, is an argument. */
export const keepSentence = (words: string): string =>
  /\s|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(words) ? words : '';

/** Whether a text is a report of a tool or a message between agents: a JSON object with a type. */
export const isHostJson = (words: string): boolean =>
  words.startsWith('{') && words.endsWith('}') && getString(parseObject(words), 'type') !== undefined;

/** The sum of some members; undefined if it is 0. */
export const sumNumbers = (record: JsonObject | undefined, keys: readonly string[]): number | undefined =>
  keys.reduce((total, key) => total + (getNumber(record, key) ?? 0), 0) || undefined;

/** Epoch numbers below this are seconds, others milliseconds (1e11 s is the year 5138, 1e11 ms is 1973). */
const SECONDS_BELOW = 1e11;

/**
 * A host's timestamp as ISO 8601 in UTC: an ISO string, in UTC unless it names a zone, or an epoch number in seconds or
 * milliseconds. Undefined if it is neither, or out of range.
 */
export function parseIsoTime(value: unknown): string | undefined {
  const text = ['number', 'string'].includes(typeof value) ? String(value).trim() : '';
  const isEpoch = /^\d{9,16}(?:\.\d+)?$/.test(text);
  const date = new Date(isEpoch ? toEpochMs(Number(text)) : parseIsoDate(text));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const toEpochMs = (epoch: number): number => (epoch < SECONDS_BELOW ? epoch * 1000 : epoch);

function parseIsoDate(text: string): number {
  if (!/^\d{4}-\d{2}.{0,33}$/.test(text)) return Number.NaN;
  return Date.parse(/^[-\d]{10}[T ][\d:.]{5,}$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
}

/** Keys, without `agent:<id>:`, of sessions without a person. */
const UNATTENDED = /^(?:cron|hook|heartbeat|subagent|acp)(?::|$)|:(?:cron|heartbeat|subagent)(?::|$)/;

/** Whether a key belongs to a session that a timer, a hook or another agent started. */
export const isUnattended = (key: string): boolean => UNATTENDED.test(key.replace(/^agent:[^:]*:/, ''));
