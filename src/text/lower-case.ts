/** Lower case of the same length, for patterns that do without the flag `i`: `İ`, which would become two characters, stays. */
export function lowerCase(text: string): string {
  if (!text.includes('İ')) return text.toLowerCase();
  return text
    .split('İ')
    .map((part) => part.toLowerCase())
    .join('İ');
}
