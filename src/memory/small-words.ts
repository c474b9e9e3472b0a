import SMALL from '../../models/words/small.json' with { type: 'json' };
import { STOPWORDS, tokenize } from './terms.ts';

let lists: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** The small words of each language, as the tokenizer writes them. */
function readLists(): ReadonlyMap<string, ReadonlySet<string>> {
  lists ??= new Map(Object.entries(SMALL).map(([language, text]) => [language, new Set(tokenize(text))]));
  return lists;
}

/** Languages written without blanks: their small words are taken out before the rest is cut into pairs. */
const WITHOUT_BLANKS = { zh: /[\u4e00-\u9fff]/, ja: /[\u3040-\u30ff]/ } as const;
const patterns = new Map<string, RegExp>();

/** Words of one character stay where they may be a part of another, except these. */
const LONE = /^[的了吗呢吧啊呀我你您他她它是]$/;

function makePattern(language: 'zh' | 'ja'): RegExp {
  const known = patterns.get(language);
  if (known) return known;

  const words = SMALL[language].split(' ').filter((word) => word.length > 1 || LONE.test(word));
  const made = new RegExp(words.sort((a, b) => b.length - a.length).join('|'), 'g');

  patterns.set(language, made);

  return made;
}

/** The words of a question that name something, in any language that is known. */
export function listContentWords(question: string): string[] {
  let text = question;
  if (WITHOUT_BLANKS.ja.test(text)) text = text.replace(makePattern('ja'), ' ');
  else if (WITHOUT_BLANKS.zh.test(text)) text = text.replace(makePattern('zh'), ' ');
  const words = tokenize(text).filter((word) => !STOPWORDS.has(word));
  const small = loadSmallWords(question);
  const content = words.filter((word) => small?.has(word) !== true);

  return content.length > 0 ? content : words;
}

/** The small words of a text's language, if it is not English. */
function loadSmallWords(text: string): ReadonlySet<string> | undefined {
  const words = tokenize(text);
  const count = (list: ReadonlySet<string>): number => words.filter((word) => list.has(word)).length;
  let [most, found] = [count(STOPWORDS), undefined as ReadonlySet<string> | undefined];

  for (const list of readLists().values()) {
    const held = count(list);
    if (held > most) [most, found] = [held, list];
  }

  return found;
}

const AMOUNT =
  /\b(?:how (?:much|many|often|long|old|big|large|far|fast|full|high|deep|wide|heavy|late|early|soon|tall)|what (?:time|version|port|size|price|percentage|part of)|which (?:version|release|port|year|address)|wie ?(?:viele?|oft|lange|alt|gro(?:ß|ss)|teuer|hoch|weit)|(?:um )?wie viel uhr|(?:ab|zu|um) welche[rmn]?|welche[rsn]? (?:version|port|preis|uhrzeit)|was kostet|combien|quelle? (?:heure|version|taille|port|prix|score|longueur)|cu[aá]nt[oa]s?|qu[eé] (?:hora|versi[oó]n|tama[ñn]o|puerto|precio|release)|quant[oaie]s?|hoeveel)\b|多少|几[点个次天号年]|多[大长久少高]|版本|何时|いくつ|いくら|何[時分個日]|몇|얼마/iu;

const WHEN =
  /^\W*(?:(?:and|und|et|y) )?(?:since |seit |desde |depuis )?(?:when|wann|quand|cu[aá]ndo|quando|wanneer)\b|什么时候|何时|いつ|언제/iu;
/** A number, or a time in words. */
const TOLD =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|daily|weekly|monthly|nightly|noon|midnight|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october|november|december|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|mitternacht|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|minuit|midi|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|medianoche)\b|\b(?:at (?:its|the) (?:end|start|beginning)|after|before|every|until|nach|vor|bis|jede[nmrs]?|après|avant|chaque|después|antes|cada)\b|[一二三四五六七八九十两百千万每]/iu;

/** Whether the answer to a question holds a number. */
export const isAskingForNumber = (question: string): boolean => AMOUNT.test(question);

/** Whether only a line with a number, a date or a time answers a question. */
export const needsNumber = (question: string): boolean => AMOUNT.test(question) || WHEN.test(question);

/** Whether a text holds a number, a date or a time. */
export const hasAmount = (text: string): boolean => TOLD.test(text);
