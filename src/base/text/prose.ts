/** A text in lower case with straight apostrophes, as in the word lists. */
export const foldProse = (text: string): string => text.toLowerCase().replaceAll('’', "'");

export const splitWords = (text: string): string[] =>
  foldProse(text).match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'_-]*/gu) ?? [];

export const splitSentences = (text: string): string[] =>
  text
    .split(/(?<=[.!?;。！？；])(?=\s|[^\s\p{ASCII}])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

export const toOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
