/** A token of prose: a word, an emoticon, an emoji or a run of punctuation. */
export interface Token {
  /** As written. */
  raw: string;
  /** Lower case, curly apostrophes straightened. */
  lower: string;
  kind: 'word' | 'face' | 'mark' | 'number';
}

const TOKEN =
  /(?<![\p{L}\d])[<>]?[:;=8xX%][-'o^*0c~]?[)(\]}{[DdpPoO0/\\|3*$@sSlL<>]{1,4}(?![a-zA-Z0-9])|<\/?3+|\^[_.-]?\^|-_+-|[oO][_.][oO]|T_T|¯\\_\(ツ\)_\/¯|[\p{L}\p{M}]+(?:['’][\p{L}]+)*|\d+(?:[.,:]\d+)*|\p{Extended_Pictographic}\p{M}*|[!?]+|[.…]{2,}|[^\s\p{L}\d]/gu;
const WORD = /^[\p{L}\p{M}]/u;
const PICTURE = /^\p{Extended_Pictographic}/u;
const MAX_TOKENS = 1500;

/** Splits prose into tokens, at most 1,500 of them. */
export function tokenize(prose: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (
    let match = TOKEN.exec(prose);
    match !== null && tokens.length < MAX_TOKENS;
    match = TOKEN.exec(prose)
  ) {
    const raw = match[0];
    tokens.push({ raw, lower: raw.toLowerCase().replace(/’/g, "'"), kind: kindOf(raw) });
  }
  TOKEN.lastIndex = 0;
  return tokens;
}

function kindOf(raw: string): Token['kind'] {
  if (PICTURE.test(raw)) return /^\d/.test(raw) ? 'number' : 'face';
  if (/^\d/.test(raw)) return /^8[-'o^*]?[)(D]/.test(raw) ? 'face' : 'number';
  if (WORD.test(raw))
    return /^[xX][-'o^*]?[)(\]}D]$|^[xX]D+$|^[oO][_.][oO]$|^T_T$/.test(raw) ? 'face' : 'word';
  return raw.length > 1 && !/^[!?.…]+$/.test(raw) ? 'face' : 'mark';
}

/** The lower-case words among tokens. */
export function wordsOf(tokens: readonly Token[]): string[] {
  const words: string[] = [];
  for (const token of tokens) if (token.kind === 'word') words.push(token.lower);
  return words;
}
