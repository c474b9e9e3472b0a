/**
 * commander takes any word that begins with a dash for an option, but a list item is not one:
 * `notes append "- found it"`. Words that start with a dash and a space travel with another first
 * character and get their dash back before anyone sees them.
 */
const STAND_IN = '\u{f0000}';

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((word) => (/^-+\s/.test(word) ? STAND_IN + word.slice(1) : word));
}

export function unguard(text: string): string {
  return text.includes(STAND_IN) ? text.replaceAll(STAND_IN, '-') : text;
}
