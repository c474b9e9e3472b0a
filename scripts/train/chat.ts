import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom } from '../random.ts';

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

/** How many messages are drawn from the phrases of a kind. */
const COUNTS: readonly (readonly [ChatKind, number])[] = [
  ['complaint', 1400],
  ['sarcasm', 1000],
  ['urgent', 1000],
  ['tired', 700],
  ['playful', 500],
  ['curious', 400],
  ['ordinary', 2400],
];

/**
 * Messages to an agent, all different; the same seed gives the same messages. In the folder are `messages.txt`, whole
 * messages, and `phrases.txt`, in which `{slot}` draws from the line that begins with it, `[a|b]` picks one, and `(x)`
 * is included half of the time. In both, `[kind]` is the heading of the lines of a kind; `# ` starts a comment.
 */
export function chatMessages(folder: string, seed: number): ChatMessage[] {
  const random = randomFrom(seed);
  const messages: ChatMessage[] = [];
  const phrases = linesOf(join(folder, 'phrases.txt'));
  const slots = new Map(
    phrases.flatMap(({ kind, text }) => {
      const [, name = '', list = ''] = /^\{(\w+)\} (.*)$/.exec(text) ?? [];
      return kind === undefined && name !== '' ? [[name, list.split('|')] as const] : [];
    }),
  );
  for (const [of, count] of COUNTS) {
    const lines = phrases.filter(({ kind }) => kind === of);
    const seen = new Set<string>();
    for (let i = 0; lines.length > 0 && i < count * 3 && seen.size < count; i++) {
      const text = vary(expand(lines[i % lines.length]?.text ?? '', slots, random), random);
      if (seen.has(text)) continue;
      seen.add(text);
      messages.push({ kind: of, text, weight: 1 });
    }
  }
  return [...messages, ...variants(linesOf(join(folder, 'messages.txt')), random)];
}

function linesOf(file: string): { kind: ChatKind | undefined; text: string }[] {
  let kind: ChatKind | undefined;
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text) => {
      const heading = /^\[(\w+)\]$/.exec(text)?.[1];
      if (heading !== undefined) kind = heading as ChatKind;
      return heading === undefined && text !== '' && !text.startsWith('# ') ? [{ kind, text }] : [];
    });
}

function expand(line: string, slots: ReadonlyMap<string, string[]>, random: () => number): string {
  const pick = (options: readonly string[]): string => options[Math.floor(random() * options.length)] ?? '';
  let text = line.replace(/\[([^\]]*)\]/g, (_, list: string) => pick(list.split('|')));
  text = text.replace(/\(([^)]*)\)/g, (_, list: string) =>
    list.includes('|') ? pick(list.split('|')) : pick(['', list]),
  );
  for (let depth = 0; depth < 2; depth++) {
    text = text.replace(/\{(\w+)\}/g, (_, name: string) => pick(slots.get(name) ?? ['']));
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
function variants(whole: ReturnType<typeof linesOf>, random: () => number): ChatMessage[] {
  const plain = whole.filter(({ kind }) => kind === 'ordinary');
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const messages: ChatMessage[] = [];
  for (const { kind = 'ordinary', text } of whole) {
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
