import { shorten } from '../../base/text/shorten.ts';

const OFFER = /^(?:want me to|shall i|should i|would you like|do you want|let me know (?:which|whether))/i;
/** A shorter question rarely names its subject. */
const SHORT = 60;
/** Ends with a question mark, or introduces a list of questions. */
const ASKS = /\?["')\]]*$|^(?:should|would|shall|do|does|which|want)\b.*:$/i;
/** A polite ending that asks nothing. */
const POLITE =
  /^(?:do(?:es)? (?:that|this) help\b|let me know if (?:you (?:have|need|want|run|see|notice|encounter)|there'?s|anything|that|this|it)|anything else|is there anything else|how can i help|what would you like (?:to (?:do|work on|focus on|tackle)|me to (?:do|work on|help|focus on))|what'?s next|ready (?:for|to) (?:the next|proceed|continue)\b.{0,12}$|would you like (?:me to )?(?:explain|elaborate|clarify|go into|know|see)\b.*\b(?:more|further|any|specific)\b|would you like (?:me )?to (?:add|make|explain|elaborate|clarify|know|learn|see) (?:on |about )?(?:any|more)\b)/i;

/** A question that only makes sense after the previous one, or an option of a list. */
const FOLLOWS = /^(?:or|and|if so|if not|otherwise)\b|^\(?[A-Ha-h1-9][.)]\s/i;

/** The question at the end of an answer: in its last paragraph, or before a list of options. */
export function questionIn(text: string): string | undefined {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, '').trimEnd();
  const paragraphs = prose.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '');
  // A closing remark below a list of options does not answer it.
  const isRemark = !isList(paragraphs.at(-1)) && !(paragraphs.at(-1) ?? '').includes('?');
  const wasClosed = isRemark && isList(paragraphs.at(-2)?.split('\n').at(-1));
  if (wasClosed) paragraphs.pop();
  const tail = paragraphs.slice(-2).reverse();
  for (const [index, paragraph] of tail.entries()) {
    // In the second-to-last paragraph only an offer of the list below it counts.
    if (index > 0 && !isList(tail[0])) continue;
    // Above a remark one of the options, by itself, is not the question.
    const words = wasClosed && index === 0 ? withoutList(paragraph) : paragraph;
    const asked = words
      .replace(/\*\*|__/g, '')
      // The dot of "1." does not end a sentence.
      .split(/(?<=[.!?])(?<!^\s*\w\.)\s+|\n+/m)
      .map((sentence) => sentence.trim().replace(/^(?:[-*•>]|#+)\s+/, ''))
      .filter((sentence) => ASKS.test(sentence) || OFFER.test(sentence))
      .filter((sentence) => !/^(?:\(?[A-Ha-h1-9][.)]\s+)?something else/i.test(sentence));
    const last = asked.at(-1);
    if (last === undefined || last.length < 8 || POLITE.test(last)) continue;
    // The items below "Would you like me to:" may end with a question mark each.
    const lead = asked.findLast((sentence) => sentence.endsWith(':'));
    const main = lead ?? asked.findLast((sentence) => !FOLLOWS.test(sentence) && !POLITE.test(sentence));
    const question =
      main === undefined || main === last || !/^(?:or|and)\b/i.test(last)
        ? (main ?? last)
        : `${main} ${last}`;
    if (question.endsWith(':')) {
      const items = (index > 0 ? (tail[0] ?? '') : paragraph.slice(paragraph.lastIndexOf(question)))
        .split('\n')
        .filter((line) => isList(line))
        .map((line) => line.replace(/\*\*|__/g, '').trim());
      return items.length === 0 ? undefined : `${question} ${items.join('; ')}`;
    }
    return withContext(question.replace(/^\(?[A-Ha-h1-9][.)]\s+/, ''), prose);
  }
  return undefined;
}

const isList = (paragraph: string | undefined): boolean =>
  /^\s*(?:[-*•]|\d+[.)]|[A-Da-d][.)])\s/.test(paragraph ?? '');

const withoutList = (paragraph: string): string =>
  paragraph
    .split('\n')
    .filter((line) => !isList(line))
    .join('\n');

/** "Want me to fix this?" needs the preceding sentence to make sense. */
function withContext(question: string, prose: string): string {
  if (
    question.length > SHORT ||
    !/\b(?:this|that|it|these|those|them|approach|option|way|fix|one)\b/i.test(question)
  )
    return question;
  const before = prose.slice(0, Math.max(0, prose.lastIndexOf(question.slice(0, 20)))).trimEnd();
  const line = before.split('\n').findLast((one) => /\w/.test(one)) ?? '';
  // List items, headings and table rows are not part of the question.
  if (/^\s*(?:[-*•#|>]|\d+[.)])/.test(line) || !/[.!:]["')`*]*$/.test(line)) return question;
  const sentence = (line.split(/(?<=[.!?])\s+/).at(-1) ?? '').replace(/\*\*|__/g, '').trim();
  if (sentence.length < 12) return question;
  return `${shorten(sentence, 110)} ${question}`;
}
