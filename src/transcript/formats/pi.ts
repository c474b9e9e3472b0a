import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  parsedObject,
  textAt,
} from '../../base/text/json.ts';
import { wordList } from '../../base/text/strings.ts';
import { contentText, isCommand, isoTime, resultText, withoutElements } from '../content.ts';
import {
  callEvent,
  type EventPlace,
  type Format,
  OUR_KEY,
  resultEvent,
  type SessionEvent,
} from '../event.ts';

const TYPES = new Set(
  wordList(`
  session custom custom_message compaction branch_summary model_change thinking_level_change label
  session_info leaf reset
`),
);
/** What an OpenClaw agent answers if it has nothing to say; it is not delivered. */
const SILENT = new Set(['NO_REPLY', 'HEARTBEAT_OK']);

/** pi and OpenClaw before its database: `{type, id, parentId, timestamp, …}`, versions 1 to 4. */
export const piFormat: Format = {
  name: 'pi',
  title: 'OpenClaw or pi session (JSONL)',
  recognises(record) {
    const type = textAt(record, 'type');
    if (type === undefined || 'payload' in record || 'uuid' in record || 'sessionId' in record) return false;
    return type === 'message' ? objectAt(record, 'message') !== undefined : TYPES.has(type);
  },
  events: piEvents,
};

/** The events of one entry: of a tree in versions 2 to 4, of a list in version 1. */
export function piEvents(record: JsonObject, at: number): SessionEvent[] {
  const type = textAt(record, 'type') ?? 'untyped';
  const id = textAt(record, 'id');
  if (type === 'session') {
    const [cwd, model] = [textAt(record, 'cwd'), textAt(record, 'modelId')];
    return [{ type: 'facts', session: id, cwd, model }];
  }
  if (type === 'leaf') {
    const to = record.targetId === null ? null : textAt(record, 'targetId');
    return to === undefined ? [] : [{ type: 'back', to }];
  }
  const message = type === 'message' ? objectAt(record, 'message') : undefined;
  const timestamp = isoTime(record.timestamp) ?? isoTime(message?.timestamp);
  const place: EventPlace = { id: id ?? `@${at}`, at, timestamp };
  // Parents are always written before their children; a parent that is nowhere means a line was lost.
  const parent = record.parentId === null ? null : textAt(record, 'parentId');
  // An unknown entry is only attached to the tree.
  const aside = record.appendMode === 'side' || !(type === 'message' || TYPES.has(type));
  const content = message === undefined ? entryEvents(type, record, place) : messageEvents(message, place);
  return [{ type: 'record', id, parent, aside }, ...content];
}

function entryEvents(type: string, record: JsonObject, place: EventPlace): SessionEvent[] {
  if (type === 'reset') return [{ type: 'anew', keepFrom: textAt(record, 'firstKeptEntryId') }];
  if (type === 'custom') {
    const key = textAt(record, 'customType') ?? '';
    const isOurs = key === OUR_KEY || key.startsWith(`${OUR_KEY}:`);
    return isOurs ? [{ type: 'entry', key, data: record.data, ...place }] : [];
  }
  if (type === 'compaction') return [{ type: 'compacted', ...place, summary: textAt(record, 'summary') }];
  if (type === 'custom_message') {
    const text = contentText(record.content);
    return text === '' ? [] : [{ type: 'host', text, ...place }];
  }
  if (type === 'model_change') return [{ type: 'facts', model: textAt(record, 'modelId') }];
  const name = type === 'session_info' ? (textAt(record, 'name')?.trim() ?? '') : '';
  return name === '' ? [] : [{ type: 'title', text: name, by: 'person', ...place }];
}

function messageEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const role = textAt(message, 'role');
  if (role === 'user') return userEvents(message, place);
  if (role === 'assistant') return assistantEvents(message, place);
  return role === 'toolResult' ? [resultOf(message, place)] : [];
}

function userEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const provenance = textAt(objectAt(message, 'provenance'), 'kind');
  const isForeign = provenance === 'inter_session' || provenance === 'internal_system';
  const heard = isForeign ? undefined : piWords(contentText(message.content));
  if (heard === undefined) return [];
  return [{ type: 'person', voice: 'prompt', text: heard.words, ...place, sender: heard.sender }];
}

function assistantEvents(message: JsonObject, place: EventPlace): SessionEvent[] {
  const tokensUsed = usedTokens(objectAt(message, 'usage'));
  const events: SessionEvent[] = [{ type: 'facts', model: textAt(message, 'model'), tokensUsed }];
  const calls = listAt(message, 'content')
    .filter(isObject)
    .filter((block) => block.type === 'toolCall');
  const text = contentText(message.content);
  if (text !== '' && !SILENT.has(text.trim())) events.push({ type: 'agent', text, ...place });
  for (const block of calls)
    events.push(callEvent(place, textAt(block, 'id'), textAt(block, 'name'), block.arguments));
  if (textAt(message, 'stopReason') === 'aborted') events.push({ type: 'interrupted', ...place });
  return events;
}

function resultOf(message: JsonObject, place: EventPlace): SessionEvent {
  const text = resultText(message.content);
  const outcome = message.isError === true ? 'failed' : message.isError === false ? 'ok' : 'unknown';
  return resultEvent(place, textAt(message, 'toolCallId'), {
    text,
    outcome,
    tool: textAt(message, 'toolName'),
  });
}

function usedTokens(usage: JsonObject | undefined): number | undefined {
  const parts = ['input', 'output', 'cacheRead', 'cacheWrite'];
  const sum = parts.reduce((total, key) => total + (numberAt(usage, key) ?? 0), 0);
  const total = numberAt(usage, 'totalTokens') ?? sum;
  return total > 0 ? total : undefined;
}

/** Marks headers of context that OpenClaw adds before or after the person's words. */
const MARKER = '⟦openclaw:ctx⟧';
/** Such a header, also in the form of before the marker, and the block or the paragraph below it. */
const CONTEXT = new RegExp(
  String.raw`^[ \t]*([^\n]*${MARKER}|[^\n]{0,90}\((?:untrusted|metadata)[^\n]{0,60}\):)[ \t]*(?:\n|$(?![^]))` +
    '([ \\t]*```[^]*?(?:\n[ \\t]*```[ \\t]*(?:\n|$(?![^]))|$(?![^]))|(?:[^\\S\n]*\\S[^\n]*(?:\n|$))*(?:[ \\t]*\n)?)',
  'gim',
);
const BARE = new RegExp(`^Context: ${MARKER}[ \\t]*$`, 'm');
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const STAMP = new RegExp(`^\\[${DAY} \\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}[^\\]\\n]{0,40}\\] *`);
/** `[WhatsApp +1555… +30s Sun 2026-01-18 00:20:12 CST] `: channel and sender, time since the last, time. */
const ENVELOPE = new RegExp(
  `^\\[(?<from>[A-Z][^\\]\\n]{1,200}?)(?: \\+\\d+(?:ms|[smhdw]))?(?: (?:${DAY} )?\\d{4}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}[^\\]\\n]{0,60})?\\][ \\t]*`,
);
const CHANNEL =
  /^(?:WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|SMS|Teams|MSTeams|Matrix|Mattermost|Zalo Personal|Zalo|BlueBubbles|LINE|Feishu|Nostr|IRC|Twitch|Email)\b ?/;
const SPEAKER = /^([^\n:[\]]{1,60}): /;
const FROM_LINE = /^\[from: ([^\]\n]{1,120})\][ \t]*$/m;
/** Lines of the host's: notes, those between messages that came while the agent worked, and one after an abort. */
const NOTE_LINES = [
  /^(?:\[message_id: [^\]\n]*\]|System(?: \(untrusted\))?: \[[^\n]*|\[media attached[: ][^\n]*)[ \t]*(?:\n|$)/gim,
  /^\[Queued messages while agent was busy\]\s*$/gm,
  /^---\nQueued #\d+(?: \([^)\n]*\))?\s*$/gm,
  /^(?:Note: The previous agent run was aborted by the user\.|To send an image back, ).*$/gm,
];
/** What stands before it is of others, and of before. */
const CURRENT = '[Current message - respond to this]';
const HISTORY = '[Chat messages since your last reply';
/** What a skill or a file that was named with the words says; it may hold the mark of its own end. */
const LEADING = [
  ['<skill name="', '\n</skill>'],
  ['<file name="', '</file>'],
] as const;
const ADDED = new Set(['relevant-memories', 'active_memory_plugin']);
/** A message that is replied to. */
const REPLIED = /^\[Replying to [^\n]{0,200}\]\n[\s\S]*?\n\[\/Replying\]\n*/;

/** Prompts that the host sends on the person's behalf. */
const HOST_PROMPTS = [
  'Read HEARTBEAT.md if it exists',
  'A new session was started via /new or /reset',
  'Pre-compaction memory flush',
  'Continue where you left off. The previous model attempt failed or timed out',
  '[cron:',
  '[Inter-session message]',
  '[Subagent Context]',
  '[Subagent Task]',
  '[Post-compaction context refresh]',
  '[Queue overflow]',
  'Run your Session Startup sequence',
  'An async command you ran earlier has completed',
  'A scheduled reminder has been triggered',
];

function piWords(text: string): { words: string; sender?: string } | undefined {
  const blocks: { label: string; body: JsonObject }[] = [];
  const added = withoutAdded(text.replace(STAMP, ''));
  // What follows a bare `Context:` header is the channel's, to the end.
  const [said = ''] = added.split(BARE, 1);
  let words = said.replace(CONTEXT, (_, label: string, block: string) => {
    const body = parsedObject(block.replace(/^\s*```.*$/gm, ''));
    if (body !== undefined) blocks.push({ label, body });
    return '';
  });
  let sender = senderOf(blocks);
  for (const line of NOTE_LINES) words = words.replace(line, '');
  words = words.trim().replace(STAMP, '');
  if (HOST_PROMPTS.some((prompt) => words.startsWith(prompt))) return undefined;
  const envelope = ENVELOPE.exec(words);
  const from = envelope?.groups?.from ?? '';
  if (envelope !== null && CHANNEL.test(from)) {
    words = words.slice(envelope[0].length);
    const person = from.replace(CHANNEL, '').trim();
    const speaker = /group|#|channel|room|@g\.us|chat id/i.test(from) ? SPEAKER.exec(words) : null;
    if (speaker !== null) words = words.slice(speaker[0].length);
    sender ??= speaker?.[1] ?? (person === '' ? undefined : person);
  }
  const named = FROM_LINE.exec(words);
  if (named !== null) {
    words = words.replace(FROM_LINE, '');
    sender ??= named[1];
  }
  words = words.replace(REPLIED, '').trim();
  return words === '' || isCommand(words) ? undefined : { words, sender };
}

/** Removes what the host put before the words: earlier messages of a group, a skill, files, memories. */
function withoutAdded(text: string): string {
  let words = withoutElements(text, ADDED).trimStart();
  if (words.startsWith(HISTORY))
    words = words.slice(words.lastIndexOf(CURRENT)).replace(CURRENT, '').trimStart();
  for (const [begin, close] of LEADING) {
    const end = words.startsWith(begin) ? words.lastIndexOf(close) : -1;
    if (end !== -1) words = words.slice(end + close.length).trimStart();
  }
  return words;
}

const NAMES = ['name', 'label', 'username', 'e164', 'id'];
const nameIn = (body: JsonObject): string | undefined => NAMES.map((key) => textAt(body, key)).find(Boolean);

function senderOf(blocks: readonly { label: string; body: JsonObject }[]): string | undefined {
  const own = blocks.find(({ label }) => label.startsWith('Sender'));
  const body = blocks.find(({ label }) => label.startsWith('Conversation info'))?.body;
  if (own !== undefined || body === undefined) return own && nameIn(own.body);
  if (isObject(body.sender)) return nameIn(body.sender) ?? textAt(body, 'sender_id');
  return textAt(body, 'sender') ?? textAt(body, 'sender_name') ?? textAt(body, 'sender_id');
}
