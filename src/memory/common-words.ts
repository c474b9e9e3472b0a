import { wordList } from '../base/text/word-list.ts';
import { FILLERS, STOPWORDS } from './words.ts';

/**
 * Words that are common in any conversation, counted in a large body of chat; the topic of a message shows in its
 * other words.
 */
const COMMON = new Set(
  wordList(`
able actual advice amazing answer anymore appreciate ask awful bad basically beat believe best better big bit break
bring bro brother buy call called came care case cause chance change clearly close comes coming couple crazy cute day
days deal different dude dumb easy eat end enjoy entire especially except excited experience face fact fair family
favorite feel feeling feels felt finally find first food forget forgot found free friend friends full fun funny future
game giving great guy guys half hand happen happened happens hard hate head hear heard heart high holy home honestly
hopefully hoping horrible hours huge hurt idea idk imagine issue job joke kid kids knew last late laugh leave left level
life link literally little live living long looked looking looks lose lost love luck man matter means meant mind minutes
miss missed mom moment money months move nah need needed needs new news next night number obviously old open opinion
outside pain part past pay people person phone pick picture piece place play played player point poor possible problem
putting read reading real realize reason rest run sad saying second seeing seems serious seriously share shot side single
situation sound start started state stay step stop story straight strange strong stuff stupid sucks super supposed
surprised switch takes taking talking tbh terrible thing things thinking tho thought time times today told tomorrow
tonight took top totally tough tried truth try trying turn turned two type unfortunately usually wait walk wanna wanted
wants waste watch watching week weird welcome wish won wonder word words work worked working works world worry worse
worst worth wrong year years yesterday young
`),
);
/** Curses, which show a mood, never a subject. */
const CURSES = new Set(wordList('omg omfg wtf lol lmao damn hell bullshit stupid'));
const CURSE_STEMS = ['shit', 'crap', 'fuck', 'idiot'];
// Numbers, colours, hashes.
const NUMBER = /^(?:\d+|(?=.*\d)[\da-f]{6,})$/;
// Names of files, versions, packages.
const NAMED = /[\d._/-]/;
const COMMON_WEIGHT = 0.3;

/** How much a word says about a subject: 0 for `the`, .3 for `problem`, 1 for `libcublas`, more for a name. */
export function tellingOf(word: string): number {
  if (word.length < 2 || STOPWORDS.has(word) || FILLERS.has(word) || isCurse(word)) return 0;
  if (NUMBER.test(word)) return 0.2;
  if (COMMON.has(word)) return COMMON_WEIGHT;
  return NAMED.test(word) ? 1.2 : 1;
}

function isCurse(word: string): boolean {
  return CURSES.has(word) || (CURSE_STEMS.some((stem) => word.startsWith(stem)) && /^\w+$/.test(word));
}

const WORD = /[\p{L}\d]+(?:['’._/-]+[\p{L}\d]+)*/gu;

/** The words of a text in normalised form: lower case, no apostrophes, no plural s. */
export function normalWords(text: string): string[] {
  const words = text.toLowerCase().match(WORD) ?? [];
  return words.map((word) => {
    const bare = word.replaceAll("'", '').replaceAll('’', '');
    return bare.length > 4 && bare.endsWith('s') && !bare.endsWith('ss') ? bare.slice(0, -1) : bare;
  });
}
