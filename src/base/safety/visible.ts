/**
 * Characters that a reader does not see: they hide text, reverse its order, or are obeyed by a terminal.
 * There is only one list, so that all checks agree.
 */

/** Bidirectional controls: they change the order in which other text is shown. */
const BIDI = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

/**
 * Soft hyphen, zero-width spaces, fillers, annotation marks; language tags, which can hide whole sentences.
 */
const HIDDEN =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f' +
  '\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}';

/** Joiners and variation selectors: invisible too, but part of many words and emoji. */
const JOINER = '\\u200c\\u200d\\ufe00-\\ufe0f';
/** Letters of the scripts in which a joiner is part of the spelling of a word (Persian, the Indic family). */
const JOINING = '[\\u0590-\\u061b\\u061d-\\u115e\\u1161-\\u17b3\\u17b6-\\u180a\\u1810-\\u1cff]';
const PICTURE = '\\p{Extended_Pictographic}';

/**
 * Escape sequences (ECMA-48, 7-bit and 8-bit). Each alternative starts at an escape character, which no later
 * part of it may contain, so matching is linear. An unterminated sequence loses only its opener.
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
    // Kept: joiners that are part of the spelling of an emoji or a word.
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
 * The text without escape sequences, control characters and invisible characters. Tabs and line ends stay.
 * What a removal joins (`<\0!--`) is visible to the next check.
 */
export function visible(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  const printable = text.replace(ESCAPES, '').replace(CONTROL, '').toWellFormed();
  if (!MAY_HIDE.test(printable)) return printable;
  return printable.replace(UNSEEN, (mark, kept?: string) => (kept === undefined ? '' : mark));
}

/**
 * Text for a terminal: no escape sequences, no control characters, no bidirectional controls. Line feeds and
 * tabs stay; CRLF becomes LF, because a lone carriage return would let a line overwrite itself.
 */
export function forTerminal(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .replace(/\r\n/g, '\n')
    .replace(ESCAPES, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, '')
    .replace(BIDI_ONLY, '');
}

/** Characters that JSON does not escape and a terminal obeys. */
const OBEYED_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${BIDI}]`, 'g');

/** A value as JSON that is safe to print on a terminal; it parses back to the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.replace(OBEYED_IN_JSON, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
