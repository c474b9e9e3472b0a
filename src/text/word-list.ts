/** The words of a list that is written as lines of text. */
export function wordList(text: string): string[] {
  return text.trim().split(/\s+/);
}
