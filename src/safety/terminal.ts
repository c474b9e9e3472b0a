import { stripBidi, stripEscapes } from './invisible.ts';

/**
 * Text that is safe to print on a terminal: no escape sequences, no control characters, nothing that turns
 * the reading order around. Line feeds and tabs stay; CRLF becomes LF, because a lone carriage return would
 * let a line overwrite itself.
 */
export function forTerminal(text: string): string {
  if (!/[^\n\t -~]/.test(text)) return text;
  const flat = text.replace(/\r\n/g, '\n');
  return stripBidi(stripEscapes(flat).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, ''));
}
