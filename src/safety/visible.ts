/**
 * Characters that a reader does not see: what hides text in text, turns its order around, or is obeyed by a
 * terminal instead of shown. One list, so that every guard means the same by it.
 */

/** Bidirectional controls: they change the order in which other text is shown. */
const BIDI = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

/** Soft hyphen, zero-width spaces, fillers, annotation marks; language tags, in which whole sentences can hide. */
const HIDDEN =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f' +
  '\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}';

/** Joiners and variation selectors: hidden like the others, but part of many words and pictures. */
const JOINER = '\\u200c\\u200d\\ufe00-\\ufe0f';
/** Letters of the scripts in which a joiner belongs to the spelling of a word (Persian, the Indic family). */
const JOINING = '[\\u0590-\\u061b\\u061d-\\u115e\\u1161-\\u17b3\\u17b6-\\u180a\\u1810-\\u1cff]';
const PICTURE = '\\p{Extended_Pictographic}';

/**
 * Escape sequences (ECMA-48, in 7-bit and 8-bit form). Each part starts at an escape character, which no later
 * part of it may contain, so the whole is linear. A sequence that is never closed loses its opener only.
 */
const ESCAPES = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]', // CSI: colours, cursor, erasing
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)', // OSC, DCS, SOS, PM, APC
    '\\u001b[ -/]*[0-~]', // two-character and charset escapes
  ].join('|'),
  'g',
);
const CONTROL = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;
const UNSEEN = new RegExp(
  [
    // Kept: joiners that belong to the spelling of an emoji or a word.
    `(?<kept>(?<=${PICTURE}(?:\\ufe0f|[\\u{1f3fb}-\\u{1f3ff}])?)\\u200d(?=${PICTURE})` +
      `|(?<=${PICTURE})\\ufe0f|(?<=[0-9#*])\\ufe0f(?=\\u20e3)|(?<=${JOINING})[\\u200c\\u200d](?=${JOINING}))`,
    `[${BIDI}${HIDDEN}${JOINER}]+`,
  ].join('|'),
  'gu',
);
const MAY_HIDE = new RegExp(`[${BIDI}${HIDDEN}${JOINER}]`, 'u');
const BIDI_ONLY = new RegExp(`[${BIDI}]`, 'g');
const UNUSUAL = /[^\n\t -~]/;

/**
 * The text without escape sequences, control characters and characters that nobody sees. Tabs and every kind
 * of line end stay. What a removal puts together (`<\0!--`) is there to be seen by whoever looks next.
 */
export function visible(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const printable = text.replace(ESCAPES, '').replace(CONTROL, '').toWellFormed();
  if (!MAY_HIDE.test(printable)) return printable;
  return printable.replace(UNSEEN, (mark, kept?: string) => (kept === undefined ? '' : mark));
}

/**
 * Text for a terminal: no escape sequences, no control characters, nothing that turns the reading order
 * around. Line feeds and tabs stay; CRLF becomes LF, because a lone carriage return would let a line overwrite
 * itself.
 */
export function forTerminal(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .replace(/\r\n/g, '\n')
    .replace(ESCAPES, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '')
    .replace(BIDI_ONLY, '');
}

/** What JSON leaves as it is and a terminal obeys. */
const OBEYED_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${BIDI}]`, 'g');

/** A value as JSON that is safe to print on a terminal; it reads back as the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.replace(OBEYED_IN_JSON, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
