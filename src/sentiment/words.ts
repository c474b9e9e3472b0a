import { compiled } from '../base/text/compile-patterns.ts';

/** A token of prose: a word, an emoticon, an emoji or a run of punctuation. */
export interface Token {
  /** As written. */
  raw: string;
  /** Lower case, curly apostrophes straightened. */
  lower: string;
  kind: 'word' | 'face' | 'mark' | 'number';
}

const FACE = String.raw`[<>]?[:;=8xX%][-'o^*0c~]?[)(\]}{[DdpPoO0/\\|3*$@sSlL<>]{1,4}`;
/** Emoticons, words, numbers, pictures, marks. */
const TOKEN = new RegExp(
  [
    String.raw`(?<![\p{L}\d])${FACE}(?![a-zA-Z0-9])`,
    String.raw`<\/?3+|\^[_.-]?\^|-_+-|[oO][_.][oO]|T_T|¯\\_\(ツ\)_\/¯`,
    String.raw`(?<word>[\p{L}\p{M}]+(?:['’]\p{L}+)*)`,
    String.raw`\d+(?:[.,:]\d+)*`,
    String.raw`(?<picture>\p{Extended_Pictographic}\p{M}*)`,
    '[!?]+|[.…]{2,}',
    String.raw`\S`,
  ].join('|'),
  'gu',
);

/** Splits prose into tokens. */
export function tokenize(prose: string): Token[] {
  return Array.from(prose.matchAll(compiled(TOKEN)), ({ 0: raw, groups }) => ({
    raw,
    lower: raw.toLowerCase().replaceAll('’', "'"),
    kind: groups?.picture === undefined ? kindOf(raw, groups?.word !== undefined) : 'face',
  }));
}

const EIGHT_FACE = /^8[-'o^*]?[)(D]/;
const LETTER_FACE = /^[xX][-'o^*]?[)(\]}D]$|^[xX]D+$|^[oO][_.][oO]$|^T_T$/;

function kindOf(raw: string, isWord: boolean): Token['kind'] {
  if (/^\d/.test(raw)) return EIGHT_FACE.test(raw) ? 'face' : 'number';
  if (isWord || /^[a-z]/i.test(raw)) return LETTER_FACE.test(raw) ? 'face' : 'word';
  return raw.length > 1 && !/^[!?.…]+$/.test(raw) ? 'face' : 'mark';
}

/** The lower-case words among tokens. */
export function plainWords(tokens: readonly Token[]): string[] {
  return tokens.filter(({ kind }) => kind === 'word').map(({ lower }) => lower);
}
