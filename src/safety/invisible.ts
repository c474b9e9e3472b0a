/**
 * Characters that a reader does not see: what hides text in text, or turns its
 * order around. One list, so that every guard means the same by it.
 */

/** Bidirectional controls: they change the order in which other text is shown. */
const BIDI = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

/** Soft hyphen, zero-width spaces and joiners, fillers, variation selectors, annotation marks. */
const HIDDEN =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065\\u206a-\\u206f' +
  '\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';

/** Language tags and variation selectors of the supplementary plane: whole sentences can hide in them. */
const TAGS = '\\u{e0000}-\\u{e0fff}';

/**
 * Escape sequences that a terminal obeys. Each part starts at an escape character, which no later part of it
 * may contain, so the whole is linear in the text. A sequence that is never closed loses its opener only.
 */
const ESCAPES = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]', // CSI: colours, cursor, erasing
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)', // OSC, DCS, SOS, PM, APC
    '\\u001b[ -/]*[0-~]', // two-character and charset escapes
  ].join('|'),
  'g',
);
/** What every escape sequence begins with, and hardly a text has. */
const ESCAPE_START = /[\u001b\u0090-\u009f]/;
const BIDI_ONLY = new RegExp(`[${BIDI}]`, 'g');
const INVISIBLE = new RegExp(`[${BIDI}${HIDDEN}${TAGS}]`, 'gu');

/** Without terminal escape sequences (ECMA-48, both the 7-bit and the 8-bit forms). */
export function stripEscapes(text: string): string {
  return ESCAPE_START.test(text) ? text.replace(ESCAPES, '') : text;
}

/** Without bidirectional controls. */
export function stripBidi(text: string): string {
  return text.replace(BIDI_ONLY, '');
}

/** Without any character of the lists above. */
export function stripInvisible(text: string): string {
  return text.replace(INVISIBLE, '');
}

/**
 * Letters as a reader sees them: full-width and other compatibility forms become their plain ones, invisible
 * characters go. For comparing only, never for storing.
 */
export function asSeen(text: string): string {
  return stripInvisible(stripEscapes(text)).normalize('NFKC');
}
