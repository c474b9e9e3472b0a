import { wordList } from '../base/text/word-list.ts';
import { ownSentences } from '../transcript/hearing/own-words.ts';

/** More sentences, or longer ones, are an essay and not a question. */
const MOST_SENTENCES = 4;
const LONGEST = 400;
/** Any question of at most this many words asks. */
const SHORT = 8;

const setOf = (words: string): ReadonlySet<string> => new Set(wordList(words));

/** Words that begin a question. */
const WHICH = setOf('what whats which who whos whose whom when whens where wheres why how hows');
/** The same in other languages; only with a question mark, because some are other words in English. */
const WHICH_ELSEWHERE = setOf(`
was wer wo wann wie warum wieso welche welcher welches welchen welchem wem wen wessen woher wohin wieviel wieviele
qué quién quiénes dónde cuándo cómo cuál cuáles cuánto cuánta cuántos cuántas
que qui quoi où quand comment pourquoi quel quelle quels quelles combien
quem onde quando como qual quais quanto quanta quantos quantas
chi dove perché quale quali wat waar wanneer hoe waarom welk
`);
/** Words of those languages that name nothing. */
const SMALL_ELSEWHERE = setOf(`
der die das den dem des ein eine einen einem einer von vom zu zum zur im in am an auf mit für und ist sind wir unser
unsere el la los las un una unos de del en al por para con y es son está están hay le les du au aux dans sur avec pour
et est sont notre nos o os a as um uma do da dos no na em com e é são il lo gli di della che nel per het een van op met
`);
/** `do we`, `is the`, `should I`: a question by its verb, if one of these follows or a question mark ends it. */
const VERBS = setOf('do does did is are was were has have had should can could may');
const SUBJECTS = setOf('i we you they he she it there the our my any a an this that these those');
/** Words that go on from what was said, unless a question follows: `and which port is it?`. */
const ONWARD = setOf('and or but so if then because also');
const GREETINGS = setOf('hi hey hello ok okay please well hm hmm quick question again now');

const SEEKS = /\b(?:remind me|not sure|forgot|looking for)\b/;
/** Asks for work or an opinion, not for a fact. */
const REQUEST =
  /^(?:(?:can|could|would|will) you|(?:can|could|shall) we|let'?s|(?:what if|what about|how about|why (?:don'?t|not)))\b/;
/** After an introduction: "I am at the shop, which battery does it take?". */
const CLAUSE = /[,;:–—-]\s+(?=\S[^,;:]*[?？]$)/;

/** The sentences of a person's message that ask for a fact. */
export function askingSentences(message: string): string[] {
  const asked = ownSentences(message).flatMap((sentence) =>
    sentence.length > LONGEST ? [] : (askedIn(sentence) ?? []),
  );
  return asked.slice(0, MOST_SENTENCES);
}

/** A sentence that asks, without what introduces the question. */
function askedIn(sentence: string): string | undefined {
  const asked = questionOf(sentence);
  const clause = sentence.split(CLAUSE).at(-1) ?? sentence;
  if (asked !== undefined || clause === sentence) return asked;
  return WHICH.has(wordsIn(clause)[0] ?? '') ? questionOf(clause) : undefined;
}

function questionOf(sentence: string): string | undefined {
  const words = wordsIn(sentence);
  const isMarked = /[?？]["')\]]*$/.test(sentence);
  while (GREETINGS.has(words[0] ?? '')) words.shift();
  if (ONWARD.has(words[0] ?? '')) {
    if (!isMarked || !WHICH.has(words[1] ?? '')) return undefined;
    words.shift();
  }
  const [first = '', second = ''] = words;
  const text = words.join(' ');
  if (REQUEST.test(text)) return undefined;
  if (isMarked && WHICH_ELSEWHERE.has(first) && !VERBS.has(second))
    return words.filter((word) => !SMALL_ELSEWHERE.has(word) && !WHICH_ELSEWHERE.has(word)).join(' ');
  const isByVerb = first === 'shall' || VERBS.has(first);
  const asks =
    WHICH.has(first) ||
    (isByVerb && (isMarked || SUBJECTS.has(second))) ||
    SEEKS.test(text) ||
    (isMarked && words.length <= SHORT);
  return asks ? sentence : undefined;
}

/** Words in lower case, without marks around them. */
function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’_./-]*/gu) ?? [];
}
