/** Pieces that byte-pair tokenizers never merge across, as o200k_base splits text (its published pattern, simplified). */
const PIECE =
  /(?<blanks>[ \t]+(?=\S)|\s+)|(?<word>[A-Z]*[a-z]+|[A-Z]+)|(?<digits>\d{1,3})|(?<marks>[!-/:-@[-`{-~]+)|(?<other>[^\x00-\x7f]+)|[\s\S]/g;
const RARE_IN_ENGLISH = /[jqxz]|[bcdfghklmnpqrstvwxz]{4,}/g;

/**
 * An estimate of a text's tokens that errs on the high side: budgets must hold for real
 * tokenizers, and an exact one costs hundreds of milliseconds to load. Held against
 * o200k_base by a test. Beyond ASCII the cost follows the script's measured worst case.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const match of text.matchAll(PIECE)) {
    const { blanks, word, marks, other } = match.groups ?? {};
    if (word !== undefined) tokens += wordCost(word);
    else if (blanks !== undefined) tokens += blankCost(blanks, text.charCodeAt(match.index + blanks.length));
    else if (marks !== undefined) tokens += marks.length <= 3 ? 1 : Math.ceil(marks.length / 2);
    else if (other !== undefined) tokens += otherCost(other);
    else tokens += 1;
  }
  return Math.ceil(tokens);
}

function wordCost(word: string): number {
  const capitals = /^[A-Z]*/.exec(word)?.[0].length ?? 0;
  const rest = word.length - capitals;
  if (capitals > 1) return Math.ceil(capitals / 2) + Math.ceil(rest / 2);
  const strange = word.toLowerCase().match(RARE_IN_ENGLISH)?.join('').length ?? 0;
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
  for (const point of run) {
    const code = point.codePointAt(0) ?? 0;
    if (code < 0x0530) cost += 0.8;
    else if (code < 0x1200 || (code >= 0x3040 && code < 0xd7b0)) cost += 1;
    else if (code >= 0x2010 && code <= 0x2030) cost += 1;
    else cost += code < 0x2000 ? 2.2 : code < 0x10000 ? 1.6 : 3.2;
  }
  return Math.max(1, cost);
}
