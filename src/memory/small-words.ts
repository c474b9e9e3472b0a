import QUESTIONS from '../../models/words/questions.json' with { type: 'json' };
import SMALL from '../../models/words/small.json' with { type: 'json' };
import { STOPWORDS, tokenize } from './terms.ts';

let lists: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** The small words of each language, as the tokenizer writes them. */
function readLists(): ReadonlyMap<string, ReadonlySet<string>> {
  lists ??= new Map(Object.entries(SMALL).map(([language, text]) => [language, new Set(tokenize(text))]));
  return lists;
}

/** Languages written without blanks: their small words are taken out before the rest is cut into pairs. */
const WITHOUT_BLANKS = { ja: /[\u3040-\u30ff]/, zh: /[\u4e00-\u9fff]/ } as const;

/** Words of one character stay where they may be a part of another, except these. */
const LONE = /^[的了吗呢吧啊呀我你您他她它是]$/;

function removeSmallWords(text: string, language: keyof typeof WITHOUT_BLANKS): string {
  const words = SMALL[language].split(' ').filter((word) => word.length > 1 || LONE.test(word));
  return text.replace(new RegExp(words.sort((a, b) => b.length - a.length).join('|'), 'g'), ' ');
}

/** The words of a question that name something, in any language that is known. */
export function listContentWords(question: string): string[] {
  const [language] = (['ja', 'zh'] as const).filter((each) => WITHOUT_BLANKS[each].test(question));
  const text = language === undefined ? question : removeSmallWords(question, language);
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

const WIDE = '\\u3040-\\u9fff\\uac00-\\ud7af';

/** A pattern for any of some phrases, as whole words where there are blanks between words. */
function matchPhrases(phrases: string, start = ''): RegExp {
  const any = phrases.replaceAll(', ', '|');
  return new RegExp(`${start}(?<![\\p{L}\\p{M}])(?:${any})(?:(?<=[${WIDE}])|(?![\\p{L}\\p{M}]))`, 'iu');
}

let patterns: Record<'amount' | 'when' | 'times', RegExp> | undefined;

function readPatterns(): NonNullable<typeof patterns> {
  patterns ??= {
    amount: matchPhrases(QUESTIONS.amount),
    // Other words may introduce it: `and since when …`.
    when: matchPhrases(QUESTIONS.when, '^(?:\\P{L}*\\p{L}+\\P{L}+)?\\P{L}*'),
    times: matchPhrases(QUESTIONS.times),
  };
  return patterns;
}

/** Whether the answer to a question holds a number. */
export const isAskingForNumber = (question: string): boolean => readPatterns().amount.test(question);

/** Whether only a line with a number, a date or a time answers a question. */
export const needsNumber = (question: string): boolean =>
  isAskingForNumber(question) || readPatterns().when.test(question);

/** Whether a text holds a number, a date or a time. */
export const hasAmount = (text: string): boolean => /\d/.test(text) || readPatterns().times.test(text);
