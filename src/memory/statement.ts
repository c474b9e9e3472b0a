/** Maximum length of one line for a model. */
const LONGEST_STATEMENT = 240;

/** What a passage says: all of it where that is short, else each of its sentences. */
export function statementsOf(text: string): string[] {
  const parts =
    text.length <= LONGEST_STATEMENT
      ? [text]
      : text.split(/(?<=[.!?。！？]["')\]*]*)\s+(?=[\p{Lu}\p{Lo}`"'(*[])/u);
  return parts.filter((part) => part.length <= LONGEST_STATEMENT);
}

/** Whether a line, from 1, is in a block of code. */
export function inCode(lines: readonly string[], line: number): boolean {
  if (/^(?: {4}|\t)(?![-*+\d\s])/.test(lines[line - 1] ?? '')) return true;
  let fences = 0;
  for (const each of lines.slice(0, line - 1)) if (/^\s{0,6}(?:```|~~~)/.test(each)) fences++;
  return fences % 2 === 1;
}
