/**
 * The words of a list that is written as lines of text. Parted at blanks as they are: a pattern would be compiled for
 * every process that loads a list.
 */
export function wordList(text: string): string[] {
  return text.trim().replaceAll('\n', ' ').split(' ');
}
