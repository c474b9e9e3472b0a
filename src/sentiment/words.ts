/** A token of prose: a word, an emoticon, an emoji or a run of punctuation. */
export interface Token {
  /** As written. */
  raw: string;
  /** Lower case, curly apostrophes straightened. */
  lower: string;
  kind: 'word' | 'face' | 'mark' | 'number';
}

/** Tokens of a text: emoticons, words, numbers, pictures, marks. */
function tokenPattern(letter: string, mark: string, picture: string, flags: string): RegExp {
  const face = `[<>]?[:;=8xX%][-'o^*0c~]?[)(\\]}{[DdpPoO0/\\\\|3*$@sSlL<>]{1,4}`;
  const alternatives = [
    `(?<![${letter}\\d])${face}(?![a-zA-Z0-9])`,
    '<\\/?3+|\\^[_.-]?\\^|-_+-|[oO][_.][oO]|T_T|¯\\\\_\\(ツ\\)_\\/¯',
    `[${letter}${mark}]+(?:['’][${letter}]+)*`,
    '\\d+(?:[.,:]\\d+)*',
    ...(picture === '' ? [] : [`${picture}${mark}*`]),
    '[!?]+|[.…]{2,}',
    `[^\\s${letter}\\d]`,
  ];
  return new RegExp(alternatives.join('|'), flags);
}

/** Most texts are plain, and the engine takes a millisecond to find out what all letters and pictures are. */
const ASCII = /^[\0-\x7f]*$/;
let plain: RegExp | undefined;
let any: RegExp | undefined;

function patternFor(prose: string): RegExp {
  if (ASCII.test(prose)) {
    plain ??= tokenPattern('a-zA-Z', '', '', 'g');
    return plain;
  }
  any ??= tokenPattern('\\p{L}', '\\p{M}', '\\p{Extended_Pictographic}', 'gu');
  return any;
}

/** Splits prose into tokens. */
export function tokenize(prose: string): Token[] {
  const tokens: Token[] = [];
  const pattern = patternFor(prose);
  pattern.lastIndex = 0;
  for (let match = pattern.exec(prose); match !== null; match = pattern.exec(prose)) {
    const raw = match[0];
    tokens.push({ raw, lower: raw.toLowerCase().replaceAll('’', "'"), kind: kindOf(raw) });
  }
  return tokens;
}

function kindOf(raw: string): Token['kind'] {
  // Most tokens begin with a letter that no emoticon begins with.
  if (/^[a-np-wyzA-NP-SU-WYZ]/.test(raw)) return 'word';
  const isPlain = raw.charCodeAt(0) < 0x80;
  // Patterns of what all pictures and letters are stand where they are used: most texts need none.
  if (!isPlain && /^\p{Extended_Pictographic}/u.test(raw)) return 'face';
  if (/^\d/.test(raw)) return /^8[-'o^*]?[)(D]/.test(raw) ? 'face' : 'number';
  if (isPlain ? /^[a-zA-Z]/.test(raw) : /^[\p{L}\p{M}]/u.test(raw))
    return /^[xX][-'o^*]?[)(\]}D]$|^[xX]D+$|^[oO][_.][oO]$|^T_T$/.test(raw) ? 'face' : 'word';
  return raw.length > 1 && !/^[!?.…]+$/.test(raw) ? 'face' : 'mark';
}

/** The lower-case words among tokens. */
export function wordsOf(tokens: readonly Token[]): string[] {
  const words: string[] = [];
  for (const token of tokens) if (token.kind === 'word') words.push(token.lower);
  return words;
}
