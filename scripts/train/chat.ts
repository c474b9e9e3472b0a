import { COMPLAINTS, CURIOUS, ORDINARY, PLAYFUL, SARCASM, SLOTS, TIRED, URGENT } from './chat-phrases.ts';
import { randomFrom } from './random.ts';

/** What a written message is about. */
export type ChatKind = 'complaint' | 'sarcasm' | 'urgent' | 'tired' | 'playful' | 'curious' | 'ordinary';

export interface ChatMessage {
  kind: ChatKind;
  text: string;
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

/** Messages drawn from the phrases, each different, the same for the same seed. */
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
      messages.push({ kind, text });
    }
  }
  return messages;
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
