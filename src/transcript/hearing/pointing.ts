import type { Message } from '../types.ts';

/** An item of a list, by its label: "1", "b". */
export interface ListItem {
  label: string;
  text: string;
}

/** "1. …", "(b) …", "**Option 2:** …", "### Step 3. …": its label and its text. */
const ITEM = new RegExp(
  String.raw`^\s{0,4}(?:#{1,4} +)?(?:\*\*)?(?:(?:option|approach|step|fix|issue|choice) +)?` +
    String.raw`(?:\((\w)\)|(\d{1,2}|[A-Ha-h])[.):])(?:\*\*)?[ :]+(.{2,400})$`,
  'i',
);

/** The items of the lists in a text, the last list first. */
function listsIn(text: string): ListItem[][] {
  const lists: ListItem[][] = [[]];
  for (const line of text.replace(/^\s*(```|~~~)[\s\S]*?(?:^\s*\1|$(?![\s\S]))/gm, '').split('\n')) {
    const [, bracketed, label = bracketed, said = ''] = ITEM.exec(line) ?? [];
    if (label === undefined) continue;
    if (/^[1a]$/i.test(label)) lists.push([]);
    lists.at(-1)?.push({ label: label.toLowerCase(), text: said.replace(/\*\*|__|`{2,}/g, '').trim() });
  }
  return lists.reverse().map((items) => items.slice(0, 20));
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
/** What may stand before a label: "yes, let's do option 2". */
const LEADING_WORDS =
  "yes yeah ok okay no hmm please just only then let's lets do go with for pick take choose use try implement start continue option options number approach fix";
const LEAD = new RegExp(`^(?:(?:${LEADING_WORDS.replaceAll(' ', '|')})[,.!]*\\s+)*`, 'i');
const LABEL = String.raw`#?\(?(\d{1,2}|[a-h])\)?`;
const LONE = new RegExp(
  String.raw`^${LABEL}(?:(?:\s*(?:,|&|\+|and|then)\s*)${LABEL})*[.!]?(?:\s*(?:please|is fine|sounds good|looks good))?$`,
  'i',
);
const NAMED = new RegExp(String.raw`\b(?:option|approach|choice|alternative)s?\s+${LABEL}(?!\w)`, 'gi');
const LEADING = /^#?\(?(?:([b-h])[.)]|(\d{1,2}|[b-h])\)?(?:\s*[,:–—]|\s+(?:but|and|is|with|for|please)\b))/i;
const ORDINAL = new RegExp(
  String.raw`\bthe (${ORDINALS.join('|')}|last)( (?:one|option|approach|item|choice))?[.!?]*$`,
  'i',
);

/** The labels that a message refers to: "2", "option B", "1 and 3", "the second one". */
function labelsIn(prompt: string): string[] {
  const text = prompt.trim();
  const rest = text.replace(LEAD, '');
  if (LONE.test(rest)) return rest.match(/(?<![\w.])(\d{1,2}|[a-h])(?![\w])/gi) ?? [];
  const named = [...text.matchAll(NAMED)].flatMap(([, label]) => label ?? []);
  if (named.length > 0) return named;
  const [, letter, leading = letter] = LEADING.exec(text) ?? [];
  if (leading !== undefined) return [leading];
  const [, ordinal, noun] = ORDINAL.exec(text.length > 60 ? '' : text.toLowerCase()) ?? [];
  if (ordinal === undefined || (ordinal === 'last' && noun === undefined)) return [];
  return [ordinal === 'last' ? ordinal : `${ORDINALS.indexOf(ordinal) + 1}`];
}

/** The items of the list in an answer that a message picks. Where several lists have them, it may be any of these. */
export function pickedIn(prompt: string, answer: string): ListItem[] {
  const labels = labelsIn(prompt);
  const lists = labels.length === 0 ? [] : listsIn(answer);
  return labels.flatMap((label) =>
    lists.flatMap((items) =>
      (label === 'last' ? items.slice(-1) : items.filter((one) => one.label === label.toLowerCase())).slice(
        0,
        1,
      ),
    ),
  );
}

/** Picked items in words: `option 2: the newest four`; of several lists `option 2: the newest four, or of another list: HOST.tar`. */
export function spellPicked(items: readonly ListItem[]): string {
  return [...new Set(items.map(({ label }) => label))]
    .map((label) => {
      const texts = items.filter((item) => item.label === label).map(({ text }) => text);
      return `${label}: ${texts.join(', or of another list: ')}`;
    })
    .join('; ');
}

/**
 * What a message that points at items of a list ("2", "option B", "the second one") stands for: the message with the
 * items of the list that was put before it. Any other message as it is.
 *
 * @param messages oldest first; the last is the one to resolve
 */
export function resolved(messages: readonly Message[]): string {
  const last = messages.at(-1);
  const text = last?.content ?? '';
  if (last?.role !== 'user') return text;
  const before = messages.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  return [text, ...pickedIn(text, before?.content ?? '').map((item) => item.text)].join('\n');
}
