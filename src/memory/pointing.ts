import type { Message } from '../transcript/message.ts';

/** An item of a list: its number or letter, and its text. */
const ITEM =
  /^[ \t]*(?:[-*][ \t]+)?(?:\*\*)?(?:option[ \t]+)?(\d{1,2}|[A-Ha-h])(?:\*\*)?[.):][ \t]+(\S.*)$/gim;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
/** "1", "2.", "B)", "option 2", "the second one", "1 and 3", "yes, do 2", "let's go with A". */
const PICK =
  /^(?:(?:yes|yeah|yep|ok(?:ay)?|sure|please|then|let'?s|lets|do|try|go(?: with)?|take|use|pick|choose|implement|start with|tackle|i like|i prefer|number|option|options|the)[\s,]+)*((?:(?:\d{1,2}|[a-h]|first|second|third|fourth|fifth|sixth|last)(?:\s+(?:one|option))?[.):=]?(?:\s*(?:,|\+|&|and)\s*|\s+|$))+)(?:please|then|first|is fine|sounds good)?[\s.!]*$/i;
const LONGEST_PICK = 60;

/**
 * Expands a message that only refers to items of a list ("2", "option B", "the second") with these items from the
 * preceding list. Any other message is returned unchanged.
 *
 * @param messages oldest first; the last is the one to resolve
 */
export function resolved(messages: readonly Message[]): string {
  const text = messages.at(-1)?.content ?? '';
  if (text.length > LONGEST_PICK || messages.at(-1)?.role !== 'user') return text;
  const picked = PICK.exec(text.trim())?.[1]
    ?.toLowerCase()
    .match(/\d+|\b[a-h]\b|[a-z]{4,}/g);
  if (!picked) return text;
  const before = messages
    .slice(0, -1)
    .findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  const items = itemsOf(before?.content ?? '');
  const found = picked.flatMap((pick) => {
    const ordinal = pick === 'last' ? items.length - 1 : ORDINALS.indexOf(pick);
    const item = ordinal >= 0 ? items[ordinal] : items.findLast(({ label }) => label === pick);
    return item === undefined ? [] : [item.text];
  });
  return [text, ...found].join('\n');
}

function itemsOf(text: string): { label: string; text: string }[] {
  return [...text.matchAll(ITEM)].map(([, label = '', item = '']) => ({
    label: label.toLowerCase(),
    text: item,
  }));
}
