import type { Message } from '../types.ts';

/** An item of a list, by its label. */
export interface ListItem {
  label: string;
  text: string;
  /** Whether it is called an option or an approach. */
  named?: boolean;
}

const ITEM =
  /^\s{0,4}(?:#{1,4} +)?(?:\*\*)?(?:(option|approach|step|fix|issue|choice) +)?(?:\((\w)\)|(\d{1,2}|[A-Ha-h])[.):])(?:\*\*)?[ :]+(.{2,400})$/i;

/** Items of the last list in a text, by their label: "1", "b". */
export function listIn(text: string): ListItem[] {
  let items: ListItem[] = [];
  let fence = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) fence = !fence;
    if (fence) continue;
    const [, word, bracketed, label = bracketed, said = ''] = ITEM.exec(line) ?? [];
    if (label === undefined) continue;
    if (/^[1a]$/i.test(label)) items = [];
    const named = word !== undefined && /^(?:option|approach|choice)$/i.test(word);
    const plain = said.replace(/\*\*|__|`{2,}/g, '').trim();
    items.push({ label: label.toLowerCase(), text: plain, named });
  }
  return items.slice(0, 20);
}

/** Item of a list that a message points at; `named` if it is called an option or an approach. */
export interface Pick {
  label: string;
  named: boolean;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
const LEAD =
  /^(?:(?:yes|yeah|ok|okay|no|hmm|please|just|only|then)[,.!]*\s+|let'?s\s+|(?:do|go with|go for|pick|take|choose|use|try|implement|start with|continue with)\s+|(?:option|options|number|approach|fix)\s+)*/i;
const LABEL = String.raw`#?\(?(\d{1,2}|[a-h])\)?`;
const LONE = new RegExp(
  String.raw`^${LABEL}(?:(?:\s*(?:,|&|\+|and|then)\s*)${LABEL})*[.!]?(?:\s*(?:please|is fine|sounds good|looks good))?$`,
  'i',
);
const NAMED = new RegExp(String.raw`\b(?:option|approach|choice|alternative)s?\s+${LABEL}(?!\w)`, 'gi');
const LEADING = /^#?\(?(?:([b-h])[.)]|(\d{1,2}|[b-h])\)?(?:\s*[,:–—]|\s+(?:but|and|is|with|for|please)\b))/i;
const ORDINAL = new RegExp(
  String.raw`\bthe (${ORDINALS.join('|')}|last)(?: (?:one|option|approach|item|choice))?[.!?]*$`,
  'i',
);

/** The list items that a message refers to: "2", "option B", "1 and 3", "the second one". */
export function picksIn(prompt: string): Pick[] {
  const text = prompt.trim();
  const rest = text.replace(LEAD, '');
  const labels = (found: Iterable<RegExpMatchArray>, named: boolean): Pick[] =>
    [...found].map((match) => ({ label: (match[1] ?? '').toLowerCase(), named }));
  if (LONE.test(rest)) {
    const named = /\b(?:option|approach)s?\b/i.test(text.slice(0, text.length - rest.length));
    return labels(rest.matchAll(/(?<![\w.])(\d{1,2}|[a-h])(?![\w])/gi), named);
  }
  const named = labels(text.matchAll(NAMED), true);
  if (named.length > 0) return named;
  const [, letter, leading = letter] = LEADING.exec(text) ?? [];
  if (leading !== undefined) return [{ label: leading.toLowerCase(), named: false }];
  const ordinal = ORDINAL.exec(text)?.[1]?.toLowerCase();
  if (ordinal === undefined || text.length > 60) return [];
  if (ordinal === 'last')
    return /\blast (?:one|option|approach|item|choice)/i.test(text) ? [{ label: 'last', named: false }] : [];
  return [{ label: `${ORDINALS.indexOf(ordinal) + 1}`, named: false }];
}

/**
 * What a message that points at items of a list ("2", "option B", "the second one") stands for: the message with the
 * items of the list that was put before it. Any other message as it is.
 *
 * @param messages oldest first; the last is the one to resolve
 */
export function resolved(messages: readonly Message[]): string {
  const text = messages.at(-1)?.content ?? '';
  const picks = messages.at(-1)?.role === 'user' ? picksIn(text) : [];
  if (picks.length === 0) return text;
  const before = messages
    .slice(0, -1)
    .findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  return [text, ...picked(picks, listIn(before?.content ?? '')).map((item) => item.text)].join('\n');
}

/** The items of a list that are picked. */
export function picked<Item extends { label: string }>(
  picks: readonly Pick[],
  items: readonly Item[],
): Item[] {
  return picks.flatMap(({ label }) => {
    const item = label === 'last' ? items.at(-1) : items.find((one) => one.label === label);
    return item === undefined ? [] : [item];
  });
}
