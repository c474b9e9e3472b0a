/** Any value, briefly, for an error that says what was found. */
export function spellValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (!Array.isArray(value)) return 'an object';
  return value.length <= 5 && value.every((item) => typeof item !== 'object')
    ? `[${value.map(spellValue).join(', ')}]`
    : 'an array';
}
