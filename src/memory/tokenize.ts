/**
 * Cuts text into lower-case words. Letters with accents are folded, apostrophes inside a word vanish
 * (`don't` is `dont`, `Ann's` is `ann`), Chinese, Japanese and Korean runs become pairs of characters,
 * and a name written in camel case gives its parts after the whole.
 *
 * The tokenizer is part of the index format: a change here needs a new `TOKENIZER` number in `format.ts`.
 */
export function tokenize(text: string, emit: (word: string) => void): void {
  const end = text.length;
  let i = 0;
  while (i < end) {
    if (kindOf(text.charCodeAt(i)) === SPACE) {
      i++;
      continue;
    }
    const start = i;
    const wide = isWide(text.charCodeAt(i));
    let humps = false;
    let plain = true;
    let joined = false;
    while (i < end) {
      const code = text.charCodeAt(i);
      const kind = kindOf(code);
      if (kind === SPACE || isWide(code) !== wide) {
        if (!isJoin(text, i, wide)) break;
        joined = true;
      } else if (kind === UPPER) {
        if (i > start && kindOf(text.charCodeAt(i - 1)) === LOWER) humps = true;
      } else if (kind === OTHER) plain = false;
      i++;
    }
    const raw = text.slice(start, i);
    if (wide) emitPairs(raw, emit);
    else emitWord(raw, plain, joined, humps, emit);
  }
}

/** A word longer than this is a hash, a key or a line of base64: only its head is kept. */
const LONGEST = 48;

function emitWord(
  raw: string,
  plain: boolean,
  joined: boolean,
  humps: boolean,
  emit: (word: string) => void,
): void {
  let word = raw.length > LONGEST ? raw.slice(0, LONGEST) : raw;
  if (humps) emitHumps(word, emit);
  word = word.toLowerCase();
  if (joined) word = word.replace(/['’]s$/, '').replace(/['’]/g, '');
  // Some characters fall apart into a space and an accent, others into the marks of our own terms.
  if (!plain) word = word.normalize('NFKD').replace(/[\u0300-\u036f\s@/]/g, '');
  if (word !== '') emit(word);
}

function emitHumps(word: string, emit: (word: string) => void): void {
  for (const part of word.split(/(?<=[a-z])(?=[A-Z])/)) if (part.length > 2) emit(part.toLowerCase());
}

function emitPairs(raw: string, emit: (word: string) => void): void {
  if (raw.length === 1) emit(raw);
  for (let i = 0; i + 1 < raw.length; i++) emit(raw.slice(i, i + 2));
}

/** An apostrophe with a letter on both sides belongs to the word. */
function isJoin(text: string, at: number, wide: boolean): boolean {
  const code = text.charCodeAt(at);
  if (wide || (code !== 0x27 && code !== 0x2019) || at + 1 >= text.length) return false;
  const next = kindOf(text.charCodeAt(at + 1));
  return next === LOWER || next === UPPER;
}

const SPACE = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const OTHER = 4;

function kindOf(code: number): number {
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return LOWER;
    if (code >= 0x41 && code <= 0x5a) return UPPER;
    return code >= 0x30 && code <= 0x39 ? DIGIT : SPACE;
  }
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? OTHER : SPACE;
  if (code === 0xd7 || code === 0xf7) return SPACE;
  // General punctuation, arrows, symbols, box drawing, dingbats and the like.
  if (code >= 0x2000 && code < 0x2c00) return SPACE;
  if (code >= 0x3000 && code <= 0x3004) return SPACE;
  if (code >= 0x3008 && code <= 0x3020) return SPACE;
  // Surrogates of emoji and private use areas, full-width punctuation, replacement character.
  if (code >= 0xd83c && code <= 0xd83e) return SPACE;
  if (code >= 0xdc00 && code <= 0xf8ff) return SPACE;
  if (code >= 0xff00 && code <= 0xff0f) return SPACE;
  return code === 0xfeff || code >= 0xfff0 ? SPACE : OTHER;
}

/** Scripts written without spaces between words. */
function isWide(code: number): boolean {
  return (
    code >= 0x2e80 &&
    ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || isIdeograph(code))
  );
}

function isIdeograph(code: number): boolean {
  return code >= 0xf900 && code <= 0xfaff;
}
