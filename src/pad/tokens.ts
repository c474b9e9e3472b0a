/** Pieces that byte-pair tokenizers never merge across, as o200k_base splits text (its published pattern, simplified). */
const PIECE =
  /(?<blanks>[ \t]+(?=\S)|\s+)|(?<word>[A-Z]*[a-z]+|[A-Z]+)|(?<digits>\d{1,3})|(?<marks>[!-/:-@[-`{-~]+)|(?<other>[^\x00-\x7f]+)|[\s\S]/g;
const RARE_IN_ENGLISH = /[jqxz]|[bcdfghklmnpqrstvwxz]{4,}/g;
/** Prose and code have some 3 % of such letters, keys and noise 20 % and more. */
const NOISE_SHARE = 0.1;
const NOISE_FACTOR = 1.75;

/**
 * An estimate of a text's tokens that errs on the high side: budgets must hold for real
 * tokenizers, and an exact one costs hundreds of milliseconds to load. Held against
 * o200k_base by tests, on prose and on noise in many scripts. Text beyond ASCII is charged
 * the worst that its script was measured at, which is up to twice what its prose costs.
 */
export function estimateTokens(text: string): number {
  let words = 0;
  let letters = 0;
  let rare = 0;
  let rest = 0;
  for (const match of text.matchAll(PIECE)) {
    const { blanks, word, marks, other } = match.groups ?? {};
    if (word !== undefined) {
      const strange = strangeLetters(word);
      words += wordCost(word, strange);
      letters += word.length;
      rare += strange;
    } else if (blanks !== undefined) rest += blankCost(blanks, text.charCodeAt(match.index + blanks.length));
    else if (marks !== undefined) rest += marks.length <= 2 ? 1 : Math.ceil(marks.length / 1.8);
    else if (other !== undefined) rest += otherCost(other);
    else rest += 1;
  }
  return Math.ceil(rest + (rare > letters * NOISE_SHARE ? words * NOISE_FACTOR : words));
}

function strangeLetters(word: string): number {
  return word.toLowerCase().match(RARE_IN_ENGLISH)?.join('').length ?? 0;
}

function wordCost(word: string, strange: number): number {
  const capitals = /^[A-Z]*/.exec(word)?.[0].length ?? 0;
  if (capitals > 1) return Math.ceil(capitals / 2) + Math.ceil((word.length - capitals) / 2);
  // Most English words of up to eight letters are one token; what does not look like one costs more.
  if (strange < 3) return word.length <= 8 ? 1 : Math.ceil(word.length / 5);
  return Math.ceil((word.length - strange) / 5) + Math.ceil(strange / 2.5);
}

/** One blank joins the word or sign after it; before a digit it stands alone, and a run keeps one token for the rest. */
function blankCost(blanks: string, next: number): number {
  const beforeDigit = next >= 48 && next <= 57;
  if (blanks === ' ') return beforeDigit ? 1 : 0;
  return Math.ceil(blanks.length / 4) + (beforeDigit ? 1 : 0);
}

function otherCost(run: string): number {
  let cost = 0;
  for (const point of run) cost += pointCost(point.codePointAt(0) ?? 0);
  return Math.max(1, cost);
}

/** Tokens a code point, by block: Latin and Cyrillic, the Near and South East of Asia, East Asia, and the rest. */
function pointCost(code: number): number {
  if (code < 0x0530) return 1.1;
  if (code < 0x1100) return 1.3;
  if (code >= 0x2010 && code <= 0x2030) return 1;
  if (code >= 0x3000 && code < 0xd7b0) return 1.3;
  return code < 0x10000 ? 3 : 4;
}
