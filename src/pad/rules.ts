import { shorten } from '../base/text/strings.ts';

/** A line of the notes that lasts: told first, cut last, and kept by `notes clear`. */
const RULE = /^\s*(?:[-*+]\s+)?(?:\*\*)?Rule:/i;

export const isRule = (line: string): boolean => RULE.test(line);

export const extractRules = (text: string): string => text.split('\n').filter(isRule).join('\n');

export const sortRulesFirst = (lines: readonly string[]): string[] => [
  ...lines.filter(isRule),
  ...lines.filter((line) => !isRule(line)),
];

/**
 * Cuts a text that is too long, its rules first. A rule that would be cut in two is left out.
 * @param cut returns the start of a text that fits
 */
export function cutAfterRules(text: string, cut: (text: string) => string): string {
  const sorted = sortRulesFirst(text.split('\n'));
  const lines = cut(sorted.join('\n')).split('\n');
  const last = lines.length - 1;
  const isHalfRule = last > 0 && isRule(sorted[last] ?? '') && lines[last] !== sorted[last];

  return (isHalfRule ? lines.slice(0, last) : lines).join('\n');
}

const MOST_NAMED = 3;
const RULE_CHARACTERS = 72;

export function warnOfLostRules(before: string, after: string): string[] {
  const present = new Set(after.split('\n'));
  const lost = [...new Set(before.split('\n'))].filter((line) => isRule(line) && !present.has(line));
  if (lost.length === 0) return [];

  const rules = lost.slice(0, MOST_NAMED).map((line) => shorten(line.trim(), RULE_CHARACTERS));
  if (lost.length > MOST_NAMED) rules.push(`and ${lost.length - MOST_NAMED} more`);

  return [`no longer in the notes: ${rules.join('; ')}`];
}
