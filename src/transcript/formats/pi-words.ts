import { isObject, type JsonObject, parsedObject, textAt } from '../../base/text/json.ts';
import { isCommand, withoutElements } from '../content.ts';

/** Marks headers of context that OpenClaw adds before or after the person's words. */
const MARKER = '⟦openclaw:ctx⟧';
/** The same headers before the marker was introduced. */
const HEADER = /^[^\n]{0,90}\((?:untrusted|metadata)[^\n]{0,60}\):$/i;
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
const NOTE_LINES =
  /^(?:\[message_id: [^\]\n]*\]|System(?: \(untrusted\))?: \[[^\n]*|\[media attached[: ][^\n]*)[ \t]*(?:\n|$)/gim;
/** Lines that the host puts between messages that came while the agent worked, and above one after an abort. */
const FRAME_LINES = [
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

/** The person's words and name, or why there are none. */
export type PiText = { words: string; sender?: string } | { reason: string };

/** Removes the host's additions from a user message. */
export function piWords(text: string): PiText {
  const stripped = withoutContext(withoutAdded(text.replace(STAMP, '')));
  let sender = stripped.sender;
  let words = stripped.text.replace(NOTE_LINES, '');
  for (const line of FRAME_LINES) words = words.replace(line, '');
  words = words.trim().replace(STAMP, '');
  if (HOST_PROMPTS.some((prompt) => words.startsWith(prompt))) return { reason: 'host prompt' };
  const envelope = ENVELOPE.exec(words);
  const from = envelope?.groups?.from ?? '';
  if (envelope !== null && CHANNEL.test(from)) {
    words = words.slice(envelope[0].length);
    const person = from.replace(CHANNEL, '').trim();
    const speaker = isGroup(from) ? SPEAKER.exec(words) : null;
    if (speaker !== null) words = words.slice(speaker[0].length);
    sender ??= speaker?.[1] ?? (person === '' ? undefined : person);
  }
  const named = FROM_LINE.exec(words);
  if (named !== null) {
    words = words.replace(FROM_LINE, '');
    sender ??= named[1];
  }
  words = words.replace(REPLIED, '').trim();
  if (isCommand(words)) return { reason: 'command' };
  if (words === '') return { reason: text.trim() === '' ? 'empty message' : 'injected context' };
  return sender === undefined ? { words } : { words, sender };
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

function isGroup(from: string): boolean {
  return /group|#|channel|room|@g\.us|chat id/i.test(from);
}

/** Removes the blocks below context headers; the sender is read from them. */
function withoutContext(text: string): { text: string; sender?: string } {
  if (!text.includes(MARKER) && !/\((?:untrusted|metadata)/i.test(text)) return { text };
  const lines = text.split('\n');
  const kept: string[] = [];
  const found: Array<{ label: string; body: JsonObject }> = [];
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').trim();
    const marked = line.endsWith(MARKER);
    if (!marked && !HEADER.test(line)) {
      kept.push(lines[index] ?? '');
      continue;
    }
    const end = blockEnd(lines, index + 1);
    // What follows a bare `Context:` header is the channel's, to the end.
    if (marked && line === `Context: ${MARKER}`) break;
    const body = parseFence(lines.slice(index + 1, end));
    if (body !== undefined) found.push({ label: line, body });
    index = end - 1;
  }
  const sender = senderOf(found);
  return { text: kept.join('\n'), sender };
}

/** Index after a fenced block, or after the paragraph if there is no fence. */
function blockEnd(lines: string[], from: number): number {
  const fenced = lines[from]?.trim().startsWith('```') === true;
  for (let index = fenced ? from + 1 : from; index < lines.length; index++) {
    const line = lines[index]?.trim();
    if (fenced ? line === '```' : line === '') return index + 1;
  }
  return lines.length;
}

function parseFence(lines: string[]): JsonObject | undefined {
  return parsedObject(lines.filter((line) => !line.trim().startsWith('```')).join('\n'));
}

function senderOf(found: Array<{ label: string; body: JsonObject }>): string | undefined {
  const named = (body: JsonObject): string | undefined =>
    textAt(body, 'name') ??
    textAt(body, 'label') ??
    textAt(body, 'username') ??
    textAt(body, 'e164') ??
    textAt(body, 'id');
  const own = found.find(({ label }) => label.startsWith('Sender'));
  if (own !== undefined) return named(own.body);
  for (const { label, body } of found) {
    if (!label.startsWith('Conversation info')) continue;
    const sender = body.sender;
    const name = isObject(sender) ? named(sender) : (textAt(body, 'sender') ?? textAt(body, 'sender_name'));
    return name ?? textAt(body, 'sender_id');
  }
  return undefined;
}
