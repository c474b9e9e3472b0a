/** A line of the notes that lasts: told first, never cut, and kept by `notes clear`. */
const RULE = /^\s*(?:[-*+]\s+)?(?:\*\*)?Rule:/i;

export const isRule = (line: string): boolean => RULE.test(line);

/** The `Rule:` lines of a text. */
export const extractRules = (text: string): string => text.split('\n').filter(isRule).join('\n');

/** The lines of a text, its rules first. */
export function sortRulesFirst(lines: readonly string[]): string[] {
  return [...lines.filter(isRule), ...lines.filter((line) => !isRule(line))];
}

/**
 * Cuts a text that is too long: its rules stay whole as long as there is room for them, and stand first.
 * @param cut keeps the start of a text, so that it fits together with another one
 */
export function cutAfterRules(text: string, cut: (text: string) => string): string {
  return extractRules(text) === '' ? cut(text) : cut(sortRulesFirst(text.split('\n')).join('\n'));
}
