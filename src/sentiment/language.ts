const ENGLISH =
  "the a an and or but if then of to in on at by for with from as is are was were be been being am do does did have has had will would can could should may might must not no yes this that these those it its i you he she we they me him her us them my your his our their what which who when where why how all any some more most other than too very just so now here there out up down about into over after again please thanks ok it's don't i'm can't that's doesn't";
const FOREIGN =
  'el la los las una por para con que qué pero está esta muy como cómo más estoy hay del al es un y lo le les des une est pas vous nous je suis avec pour dans sur qui ce cette mais très et du au aux der die das und nicht ist ich sie wir mit für auf den dem ein eine aber auch kann wie bitte warum não uma você está isso mas muito obrigado com em os il che non per sono di mi è questo perché grazie het een niet van ik je dat deze maar wat waarom det och att inte som jag är på med nie jest się tak proszę bu bir ve için değil ne bunu dit nooit ook voor naar nog nein kein keine nie schon noch hai nahi bhi kya ikke jeg og ei';

let english: Set<string> | undefined;
let foreign: Set<string> | undefined;

/** How likely a text is English, and whether English function words say so. */
export interface Language {
  /** 0 to 1. */
  english: number;
  isSure: boolean;
}

/**
 * The confidence decreases only on evidence: another script, or more function words of another language than of
 * English; terse English without function words passes.
 */
export function languageOf(prose: string, words: readonly string[]): Language {
  if (words.length === 0) return { english: 1, isSure: true };
  english ??= new Set(ENGLISH.split(' '));
  foreign ??= new Set(FOREIGN.split(' '));
  const head = prose.slice(0, 400);
  const letters = head.match(/\p{L}/gu)?.length ?? 0;
  const latin = head.match(/[a-z]/gi)?.length ?? 0;
  if (letters > 0 && latin / letters < 0.6) return { english: 0, isSure: false };
  let ours = 0;
  let theirs = 0;
  for (const word of words.slice(0, 80)) {
    if (english.has(word)) ours++;
    if (foreign.has(word) && !english.has(word)) theirs++;
  }
  const accents = letters > 0 ? 1 - latin / letters : 0;
  const isSure = ours > theirs;
  if (accents > 0.04 && ours === 0) return { english: 0, isSure };
  if (theirs >= 2 && theirs > ours) return { english: 0.1, isSure };
  if (theirs >= 1 && ours === 0 && words.length <= 6 && theirs / words.length >= 0.3)
    return { english: 0.2, isSure };
  return { english: 1, isSure };
}
