import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom } from '../random.ts';
import { COMPLAINTS, CURIOUS, ORDINARY, PLAYFUL, SARCASM, SLOTS, TIRED, URGENT } from './chat-phrases.ts';

/** The subject of a written message. */
export type ChatKind =
  | 'complaint'
  | 'sarcasm'
  | 'urgent'
  | 'tired'
  | 'playful'
  | 'curious'
  | 'pleased'
  | 'ordinary';

export interface ChatMessage {
  kind: ChatKind;
  text: string;
  /** Its weight in training. */
  weight: number;
}

const PHRASES: readonly (readonly [ChatKind, string, number])[] = [
  ['complaint', COMPLAINTS, 1400],
  ['sarcasm', SARCASM, 1000],
  ['urgent', URGENT, 1000],
  ['tired', TIRED, 700],
  ['playful', PLAYFUL, 500],
  ['curious', CURIOUS, 400],
  ['ordinary', ORDINARY, 2400],
];

/** Messages drawn from the phrases, all different; the same seed gives the same messages. */
export function chatMessages(seed: number): ChatMessage[] {
  const random = randomFrom(seed);
  const messages: ChatMessage[] = [];
  for (const [kind, phrases, count] of PHRASES) {
    const lines = phrases.trim().split('\n');
    const seen = new Set<string>();
    for (let i = 0; i < count * 3 && seen.size < count; i++) {
      const text = vary(expand(lines[i % lines.length] ?? '', random), random);
      if (seen.has(text)) continue;
      seen.add(text);
      messages.push({ kind, text, weight: 1 });
    }
  }
  return [...messages, ...variants(random)];
}

function expand(line: string, random: () => number): string {
  const pick = (options: readonly string[]): string => options[Math.floor(random() * options.length)] ?? '';
  let text = line.replace(/\[([^\]]*)\]/g, (_, list: string) => pick(list.split('|')));
  text = text.replace(/\(([^)]*)\)/g, (_, list: string) =>
    list.includes('|') ? pick(list.split('|')) : pick(['', list]),
  );
  for (let depth = 0; depth < 2; depth++) {
    text = text.replace(/\{(\w+)\}/g, (_, name: string) => pick(SLOTS[name] ?? ['']));
  }
  return text
    .replace(/\s+/g, ' ')
    .replace(/ ([,.!?])/g, '$1')
    .trim();
}

/** As people type: with or without a capital, a full stop, an apostrophe. */
function vary(text: string, random: () => number): string {
  let varied = text;
  if (random() < 0.5) varied = varied.charAt(0).toUpperCase() + varied.slice(1);
  if (random() < 0.3) varied = varied.replace(/'/g, '');
  if (!/[.!?)]$/.test(varied)) varied += ['', '', '.', '!'][Math.floor(random() * 4)] ?? '';
  return varied;
}

/** How often each whole message is seen, each time typed or continued differently. */
const VARIANTS = 4;
const WHOLE_WEIGHT = 4;
const OPENERS = ['ok, ', 'hey, ', 'hmm ', 'so ', 'and ', 'well, ', 'also '];

/** The messages that were written whole: unchanged, typed differently, and with something ordinary before or after. */
function variants(random: () => number): ChatMessage[] {
  const whole = wholeMessages();
  const plain = whole.filter(({ kind }) => kind === 'ordinary');
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const messages: ChatMessage[] = [];
  for (const { kind, text } of whole) {
    messages.push({ kind, text, weight: WHOLE_WEIGHT });
    for (let i = 1; i < VARIANTS; i++) {
      let varied = random() < 0.5 ? text.toLowerCase() : text;
      if (random() < 0.25) varied = `${pick(OPENERS)}${varied}`;
      if (random() < 0.4) varied = varied.replace(/[.!]$/, '');
      else if (random() < 0.3) {
        const other = pick(plain)?.text ?? '';
        varied = random() < 0.5 ? `${stopped(varied)} ${other}` : `${stopped(other)} ${varied}`;
      }
      messages.push({ kind, text: vary(varied, random), weight: WHOLE_WEIGHT });
    }
  }
  return messages;
}

function stopped(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `[kind]` is the heading of the lines of a kind; `#` starts a comment. */
function wholeMessages(): { kind: ChatKind; text: string }[] {
  const file = join(import.meta.dirname, 'chat-messages.txt');
  const messages: { kind: ChatKind; text: string }[] = [];
  let kind: ChatKind = 'ordinary';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const heading = /^\[(\w+)\]$/.exec(line)?.[1];
    if (heading !== undefined) kind = heading as ChatKind;
    else if (line !== '' && !line.startsWith('# ')) messages.push({ kind, text: line });
  }
  return messages;
}
