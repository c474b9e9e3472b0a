/** A text in lower case with straight apostrophes, as in the word lists. */
export function foldProse(text: string): string {
  return text.toLowerCase().replaceAll('’', "'");
}

export function splitWords(text: string): string[] {
  return foldProse(text).match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'_-]*/gu) ?? [];
}

export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?;。！？；])(?=\s|[^\s\p{ASCII}])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

export function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
