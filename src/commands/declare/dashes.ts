/**
 * commander takes any word that begins with a dash for an option. A list item is none:
 * `notes append "- found it"`. Words of a dash and a blank travel with another first
 * character and get their dash back before anybody sees them.
 */
const STAND_IN = '\u{f0000}';

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((word) => (/^-+\s/.test(word) ? STAND_IN + word.slice(1) : word));
}

export function unguard(text: string): string {
  return text.includes(STAND_IN) ? text.replaceAll(STAND_IN, '-') : text;
}
