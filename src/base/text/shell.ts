/** A word as a POSIX shell takes it: in double quotes, which every shell knows, if nothing in it has a meaning there. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(word)) return word;
  return /["$`!\\\p{Cc}]/u.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}

/** A command of ours with its arguments, to be copied into a shell. */
export const formatCall = (...words: readonly string[]): string =>
  ['scratchpad', ...words.map(quoteWord)].join(' ');
