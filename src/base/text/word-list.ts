/** The words of a list that is written as lines of text. */
export function wordList(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** The words of such a list, to look them up. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(wordList(text));
}
