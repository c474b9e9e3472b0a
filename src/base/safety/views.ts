import { readsAsName } from './value.ts';

/** A text with its disguise removed, and where each part came from. */
export interface PlainView {
  text: string;
  /** In order. */
  pieces: readonly Piece[];
}

interface Piece {
  /** Where it starts in the view. */
  at: number;
  /** Its range in the original, up to `end`. */
  start: number;
  end: number;
  /** Whether it is unchanged; otherwise it replaces the range as a whole. */
  kept: boolean;
}

/** Anything that the view below would change. */
const DISGUISE =
  /[^\n\r\t -~]|[*`\\]|~~|%[0-9A-Fa-f]{2}|&(?:#|[A-Za-z]{2,4};)|<\/?[A-Za-z]|["'] ?\+|[\w+/-]\r?\n/;

/**
 * One step of decoding: escapes, invisible characters and markup are removed, encoded characters are decoded.
 * The alternatives are tried at each position, and none is longer than 40 code units.
 */
const STEP = new RegExp(
  `(?=[\\u0000-\\u001f"%&'*<\\\\\`~\\u007f-\\u{10ffff}])(?:${[
    '(?<gone>\\u001b\\[[0-?]{0,12}[@-~]|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
      '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]|[\\u{e0000}-\\u{e0fff}]' +
      '|\\*+|`+|~~|</?(?:b|i|u|s|em|strong|code|span|wbr|tt|kbd|mark|font)(?: [^<>\\n]{0,30})?/?>|["\'] ?\\+ ?["\'])',
    '%(?:25){0,3}(?<percent>[0-7][0-9A-Fa-f])',
    '\\\\(?:u00|x)(?<coded>[0-7][0-9A-Fa-f])',
    '\\\\(?<letter>[nrt])',
    '\\\\(?<plain>[^A-Za-z0-9\\s])',
    '&#(?:[xX](?<hex>[0-9A-Fa-f]{2})|(?<decimal>\\d{2,3}));',
    '&(?<entity>quot|apos|amp|lt|gt|colon|equals|nbsp);',
    '(?<=[\\w+/-])(?<wrap>\\\\?\\r?\\n[ \\t>|]{0,12})(?=[\\w+/-])',
    '(?<wide>[\\uff01-\\uff5e])',
  ].join('|')})`,
  'gu',
);
const ENTITIES = new Map([
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['colon', ':'],
  ['equals', '='],
  ['nbsp', ' '],
]);
const LETTERS = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

function replacement(groups: Record<string, string | undefined>): string {
  const { percent, coded, letter, plain, hex, decimal, entity, wide } = groups;
  if (wide !== undefined) return String.fromCharCode(wide.charCodeAt(0) - 0xfee0);
  const code = percent ?? coded ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Math.min(Number(decimal), 127));
  if (letter !== undefined) return LETTERS.get(letter.toLowerCase()) ?? '';
  if (entity !== undefined) return ENTITIES.get(entity.toLowerCase()) ?? '';
  return plain ?? '';
}

/** Whether a token continues after a line break: both sides look like the inside of one. */
function isBroken(text: string, at: number, length: number): boolean {
  const before = /[\w+/.~$:-]{8,64}$/.exec(text.slice(Math.max(0, at - 64), at))?.[0];
  if (before === undefined || !/\d/.test(before)) return false;
  const next = text.slice(at + length, at + length + 160);
  const after = /^[\w+/~$.-]{5,160}/.exec(next)?.[0];
  if (after === undefined || !/\d|.[A-Z]/.test(after) || readsAsName(after)) return false;
  // A short name before `=`, `:` or `(` starts something else.
  return after.length >= 30 || !/^(?:[(:]|=[^=\s"'`&;])/.test(next.slice(after.length));
}

/** The text without its disguises; null if it has none. */
export function undisguised(text: string): PlainView | null {
  if (!DISGUISE.test(text)) return null;
  const pieces: Piece[] = [];
  let view = '';
  let last = 0;
  const add = (shown: string, start: number, end: number, kept: boolean): void => {
    if (shown === '') return;
    pieces.push({ at: view.length, start, end, kept });
    view += shown;
  };
  let changed = false;
  for (const match of text.matchAll(STEP)) {
    if (match.groups?.wrap !== undefined && !isBroken(text, match.index, match[0].length)) continue;
    changed = true;
    add(text.slice(last, match.index), last, match.index, true);
    last = match.index + match[0].length;
    add(replacement(match.groups ?? {}), match.index, last, false);
  }
  if (!changed) return null;
  add(text.slice(last), last, text.length, true);
  return { text: view, pieces };
}

export function inOriginal(
  { pieces }: PlainView,
  start: number,
  end: number,
): { start: number; end: number } | null {
  const first = pieceAt(pieces, start);
  const last = pieceAt(pieces, end - 1);
  if (first === undefined || last === undefined) return null;
  return {
    start: first.kept ? first.start + start - first.at : first.start,
    end: last.kept ? last.start + end - last.at : last.end,
  };
}

/** The last piece that starts at or before a position. */
function pieceAt(pieces: readonly Piece[], place: number): Piece | undefined {
  let low = 0;
  for (let high = pieces.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.at ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
}
