import TEXTS from '../../../models/words/host-texts.json' with { type: 'json' };
import { getString, isObject, type JsonObject, parseObject } from '../../base/text/json.ts';
import { makeAlternation, makeWordSet } from '../../base/text/strings.ts';
import { isCommand, isHostJson, removeElements } from '../content.ts';

/*
 * OpenClaw puts its own texts into the person's place: polls, timers, announcements of subagents, context of a channel.
 * This is the one place that knows their shapes (2026.1 to 2026.9), for session files and for the database.
 */

const END = '$(?![^])';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const STAMP = new RegExp(`^\\[${DAY} \\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}[^\\]\\n]{0,40}\\] *`);

const { starts: HOST_MESSAGES, tags, channels } = TEXTS.openclaw;
/** Reports of a subagent or a timer, with instructions on the result. */
const REPORTS: readonly RegExp[] = [
  /^A (?:background task|sub-?agent(?: task)?|cron job)\b[\s\S]{0,4000}? just [a-z][\s\S]*\n(?:Findings|Results?|Stats|Instruction):?[ \n]/,
  /^A completed [^\n]{1,80} is ready for parent review\./,
];

/** A poll or a timer; the prompt of a heartbeat may have any words. */
const TIMER =
  /^(?:\[OpenClaw (?:heartbeat|cron)|\[cron:|Follow the heartbeat|Run the following periodic|A scheduled (?:reminder|cron)|Pre-compaction memory flush|Write a dream diary)|\bHEARTBEAT\.md\b[^?]{0,80}\b(?:do|follow|act|handle|work|execute|carry|instructions?|exists|tu|mach|folge|befolge)\b|\b(?:reply|respond|answer|say|return|output|antworte)\b[^.?\n]{0,40}\bHEARTBEAT_OK\b(?![^.\n]*\?)/i;
export const isTimerPrompt = (text: string): boolean => TIMER.test(text.replace(STAMP, '').trimStart());

/** The head of a message that was collected from several; the text before the first item is the host's. */
const QUEUE = '[Queued messages while agent was busy]';
const QUEUED_ITEM = /^---\nQueued #\d+[^\n]*$/gm;

/** Parts that the host added. The last end of a part counts, because text of others in it may hold the end, too. */
const ADDED: readonly (readonly [start: RegExp, end: string])[] = [
  [/<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>/, '<<<END_OPENCLAW_INTERNAL_CONTEXT>>>'],
  [
    /(?:^SECURITY NOTICE:[\s\S]{0,4000}?)?<<<EXTERNAL_UNTRUSTED_CONTENT/m,
    '<<<END_EXTERNAL_UNTRUSTED_CONTENT',
  ],
  [/^<file name="/m, '</file>'],
  [/^<skill name="/m, '\n</skill>'],
  [/^\[(?:Replying to|Quoting) /m, '\n[/'],
  [/^\[Thread (?:history|starter) - for context\]/m, '\n\n'],
  // Earlier messages, and those of others.
  [
    /^\[(?:Chat messages since your last reply|Recent chat messages) - for context\]/m,
    '[Current message - respond to this]',
  ],
  [
    /^(?:\[Startup context loaded by runtime\]|A new session was started via \/new or \/reset\b)/m,
    'User note for this reset turn (treat as ordinary user input, not startup instructions):',
  ],
  [/^System: \[[^\n]*Post-Compaction Audit:/m, 'restored after memory compaction.'],
];
const TAILS: readonly RegExp[] = [
  // Text of the channel follows a bare header of context.
  /^(?:Context: ⟦openclaw:ctx⟧|Untrusted context \(metadata[^\n]{0,60}\):)[ \t]*$/m,
  /^\[Forwarded from [^\n]*\]/m,
  // A retry puts its instruction below the prompt.
  /(?:^|\n\n)The previous (?:attempt|assistant turn) [^\n]{0,200}(?:user-visible|visible answer|final answer now|Act now)/,
  /(?:^|\n\n)The latest user message is a short approval to proceed\. Do not recap/,
];
const LINES: readonly RegExp[] = [
  // Further lines of an event have no time, and before 2026.4 no name, either.
  /^System(?: \(untrusted\))?: \[[^\n]*(?:\n[^\n]*\S[^\n]*)*(?:\n|$(?![\s\S]))/gim,
  /^System note: \d+ image attachments? could not be loaded;[^\n]*/gm,
  /^\[System: [^\]]*\][^\n]*$|^\[System: [^\n]*$/gm,
  /^\[message_id: [^\]\n]*\][ \t]*(?:\n|$(?![\s\S]))/gim,
  /^\[media attached[: ][^\n]*(?:\n|$(?![\s\S]))/gim,
  /^(?:Note: The previous agent run was (?:aborted by the user|interrupted)\.|To send an image back, |Delivery: (?:to send a message|Final assistant text|No visible reply)).*$/gm,
  /^\[Queued user message from a previous active turn;[^\]\n]*\]\n/gm,
  /^(?:Continue pursuing the current goal\.(?: (?:Note|Interpret this JSON string as the resume note): |\nOperator note: |$)|Pursue this goal exactly as written from this JSON string: )/gm,
  // A note above the words, or alone.
  /^\[Bootstrap pending\](?:\n[^\n]+)*\n*/gm,
  /^Current time: [^\n]*\d{4}[^\n]*$/gm,
  /^Current message:\n/gm,
  /^\[Replying to: "(?:[^"\\\n]|\\.)*"\]\n?/gm,
];
/** The time or the header of context before a person's words. */
const OWN_MARK = String.raw`^(?:\[[^\]\n]{0,260}\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\]\n]{0,60}\] |[^\n]*⟦openclaw:ctx⟧|[^\n]{0,90}\((?:untrusted|metadata)[^\n]{0,60}\):[ \t]*\n[ \t]*\`\`\`)`;
/** An event from outside, such as a mail, without "System:" before each line: its end is not marked. */
const FOREIGN = String.raw`^System: \[[^\]\n]*\] (?!Exec (?:[a-z]+ed|running) \(|Node: [^\n]* · |Post-Compaction)(?![^\n]*\nSystem: (?!\[))[\s\S]*`;
const FOREIGN_EVENT = new RegExp(`${FOREIGN}(?=${OWN_MARK})|${FOREIGN}`, 'm');

const MESSAGE_NUMBER = /^#\d+:[ \t]*/;

/** A picture or a video that a model has described; the transcript of a voice message is the person's. */
const DESCRIBED = /^\[(?:Image|Video)(?: \d+\/\d+)?\]\n(?:User text:\n[\s\S]*?\n)?Description:\n/m;
const MEDIA_HEAD = /^\[(?:Audio|Image|Video)(?: \d+\/\d+)?\]$/m;
const SPOKEN_HEADS = /^(?:\[(?:Audio|Image|Video)(?: \d+\/\d+)?\]|User text:|Transcript:)\n/gm;

/** Marks headers of context that OpenClaw adds before or after the person's words. */
const MARKER = '⟦openclaw:ctx⟧';
/** A header of context, in older versions without the marker, and the block or the paragraph below it. */
const CONTEXT = new RegExp(
  String.raw`^[ \t]*(?![ \t])([^\n]*${MARKER}|[^\n]{0,90}\((?:untrusted|metadata)[^\n]{0,60}\):)[ \t]*(?:\n|${END})` +
    `([ \\t]*\`\`\`[^]*?(?:\n[ \\t]*\`\`\`[ \\t]*(?:\n|${END})|${END})|(?:[^\\S\n]*\\S[^\n]*(?:\n|$))*(?:[ \\t]*\n)?)`,
  'gim',
);
const MEMORIES = makeWordSet(tags);
/** The header of memories, which looks like that of a channel's context. */
const MEMORY_HEADER = /^Untrusted context \(metadata[^\n]{0,60}\):[ \t]*\n(?=<active_memory_plugin>)/gm;
/** `[WhatsApp +1555… +30s Sun 2026-01-18 00:20:12 CST] `: channel and sender, time since the last, time. */
const ENVELOPE = new RegExp(
  `^\\[(?<from>[A-Z][^\\]\\n]{1,200}?)(?: \\+\\d+(?:ms|[smhdw]))?(?: (?:${DAY} )?\\d{4}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}[^\\]\\n]{0,60})?\\][ \\t]*`,
);
const CHANNEL = new RegExp(`^${makeAlternation(channels)}\\b ?`);
const SPEAKER = /^([^\n:[\]]{1,60}): /;
const FROM_LINE = /^\[from: ([^\]\n]{1,120})\][ \t]*$/m;

interface PersonWords {
  words: string;
  sender?: string | undefined;
}

/** The person's words in a message of the role user, and who said them; nothing if the host wrote it. */
export function openClawWords(text: string): PersonWords | undefined {
  const plain = text.replace(STAMP, '').trimStart();
  if (!plain.startsWith(QUEUE)) return extractPersonWords(plain);

  // Added parts go first, because they may hold a line like that of an item.
  const [, ...items] = ADDED.reduce(removeAddedPart, plain).split(QUEUED_ITEM);
  const personItems = items.flatMap((item) => extractPersonWords(item.trim()) ?? []);

  if (personItems.length === 0) return undefined;

  const senders = new Set(personItems.map(({ sender }) => sender));

  return {
    words: personItems.map(({ words }) => words).join('\n\n'),
    sender: senders.size === 1 ? personItems[0]?.sender : undefined,
  };
}

function extractPersonWords(text: string): PersonWords | undefined {
  const blocks: { label: string; body: JsonObject }[] = [];
  const plain = text.replace(MEMORY_HEADER, '').replace(FOREIGN_EVENT, '');
  let words = ADDED.reduce(removeAddedPart, removeElements(plain, MEMORIES));
  for (const tail of TAILS) words = words.slice(0, tail.exec(words)?.index);
  words = words.replace(CONTEXT, (_, label: string, block: string) => {
    const body = parseObject(block.replace(/^[ \t]*```.*$/gm, ''));
    if (body !== undefined) blocks.push({ label, body });
    return '';
  });
  for (const line of LINES) words = words.replace(line, '');
  words = removeDescription(words.trim().replace(STAMP, '').replace(MESSAGE_NUMBER, ''));
  const isHost =
    HOST_MESSAGES.some((start) => words.startsWith(start)) || isHostJson(words) || TIMER.test(words);
  if (isHost || REPORTS.some((shape) => shape.test(words))) return undefined;

  const addressed = removeEnvelope(words);
  const sender = findSender(blocks) ?? addressed.sender;

  words = addressed.words.trim();

  return words === '' || isCommand(words) ? undefined : { words, sender };
}

/** A message without the description of a picture, which reaches to its end, and without heads of media. */
function removeDescription(text: string): string {
  const described = DESCRIBED.exec(text);
  const end = described === null ? text.length : described.index + described[0].lastIndexOf('Description:\n');
  return MEDIA_HEAD.test(text) ? text.slice(0, end).replace(SPOKEN_HEADS, '').trim() : text;
}

/** Removes an added part up to its last end; without an end, up to the end of the text. */
function removeAddedPart(text: string, [start, end]: (typeof ADDED)[number]): string {
  const index = start.exec(text)?.index;
  if (index === undefined) return text;

  const before = text.slice(0, index);
  const endIndex = text.lastIndexOf(end);
  if (endIndex < index) return before;

  const after = text.slice(endIndex + end.length);
  // Some ends are only the beginning of the closing line: `[/Replying]`, `<<<END_… id="1">>>`.
  const isWholeLine = !/[\w/]$/.test(end);

  return before + (isWholeLine ? after : after.replace(/^[^\n]*/, ''));
}

function removeEnvelope(text: string): PersonWords {
  let words = text;
  let sender: string | undefined;
  const envelope = ENVELOPE.exec(words);
  const from = envelope?.groups?.from ?? '';

  if (envelope !== null && CHANNEL.test(from)) {
    words = words.slice(envelope[0].length);
    const person = from.replace(CHANNEL, '').trim();
    const speaker = /group|#|channel|room|@g\.us|chat id/i.test(from) ? SPEAKER.exec(words) : null;

    if (speaker !== null) words = words.slice(speaker[0].length);
    sender = speaker?.[1] ?? (person === '' ? undefined : person);
  }

  const named = FROM_LINE.exec(words);
  if (named === null) return { words, sender };

  return { words: words.replace(FROM_LINE, ''), sender: sender ?? named[1] };
}

/** Marks around a word: Markdown, tags, the quotes of JSON. */
const EDGE = String.raw`(?:</?\w{1,20}>|[^\p{L}\p{N}])*`;
/** Answers of an agent that has nothing to say. They are not delivered; nor are a few words beside `HEARTBEAT_OK`. */
const SILENT = new RegExp(
  String.raw`^${EDGE}(?:HEARTBEAT_OK\b|(?:action" ?: ?")?(?:(?:NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)${EDGE})+$)|\bHEARTBEAT_OK${EDGE}$`,
  'u',
);
const MOST_BESIDE = 300;

export const isSilentAnswer = (text: string): boolean => text.length <= MOST_BESIDE + 20 && SILENT.test(text);

const NAMES = ['name', 'label', 'username', 'e164', 'id'];
const getName = (body: JsonObject): string | undefined =>
  NAMES.map((key) => getString(body, key)).find(Boolean);

function findSender(blocks: readonly { label: string; body: JsonObject }[]): string | undefined {
  const own = blocks.find(({ label }) => label.startsWith('Sender'));
  const body = blocks.find(({ label }) => label.startsWith('Conversation info'))?.body;
  if (own !== undefined || body === undefined) return own && getName(own.body);
  if (isObject(body.sender)) return getName(body.sender) ?? getString(body, 'sender_id');
  return getString(body, 'sender') ?? getString(body, 'sender_name') ?? getString(body, 'sender_id');
}
