import { byAlphabet } from '../text/alphabet.ts';
import { compiled } from '../text/compile-patterns.ts';
import { lowerCase } from '../text/lower-case.ts';
import { wordList } from '../text/word-list.ts';

/** A sentence of a person, without the words that only lead up to it. */
export interface Clause {
  text: string;
  /** A request (`fix …`, `can you …`), a complaint about something that fails, a question, or anything else. */
  kind: 'request' | 'trouble' | 'question' | 'statement';
}

/** Of a pasted log the beginning tells what it is about. */
const LONGEST_HEARD = 4000;
// In lower case, and so without the flag `i`, which makes a pattern twice as dear to compile.
/** What people say before they say it, in lower case. Where nothing else is left nothing was said. */
const OPENERS = new Set(
  wordList(`ok okay so yeah yep oh ah hey hi hello wow thanks sorry actually basically also and but then please pls dude
bro omg omfg wtf`),
);
const LONGER_OPENERS = [
  ...['thank you', 'my dude', 'f*cking hell', 'fucking hell', 'it looks like', 'it seems like'],
  ...['i think', 'i guess', 'i believe', 'i suppose', 'i mean'],
];
const LAUGHTER = /^(?:hm+|l+o+l|(?:ha){2,}h?|(?:he){2,})$/;
/** These open only before a mark: `no, the other one`. */
const MARKED_OPENERS = new Set(
  wordList('right well yes no nope nah ha cool great perfect good nice now wait still seriously damn man'),
);
const OPENER_END = /[\s,.!?:;…–-]+|$/y;
const MARKED_END = /\s*[,.!?:;…–-]+\s*|$/y;
const OPENER_WORD = /^[^\s,.!?:;…–-]+/;
const ABLE = ['you', 'we', 'u', 'i'];

function duties(who: string): string[] {
  const wishes = ['need to', 'have to', 'want to'];
  return [...wishes, ...wishes.map((wish) => `still ${wish}`), 'should', 'must'].map(
    (what) => `${who} ${what}`,
  );
}

/** How people lead up to what they ask for, by the first word. */
const ASKING: Readonly<Record<string, readonly string[]>> = {
  can: ABLE.map((who) => `can ${who}`),
  could: ABLE.map((who) => `could ${who}`),
  would: ABLE.map((who) => `would ${who}`),
  will: ABLE.map((who) => `will ${who}`),
  let: ["let's", 'let’s', 'let us', 'let me'],
  lets: ['lets'],
  i: ['i', "i'd", 'i’d', 'i would']
    .flatMap((who) =>
      ['need', 'want', 'like'].flatMap((wish) => [`${who} ${wish} to`, `${who} ${wish} you to`]),
    )
    .concat('i suppose we')
    .concat(['we should', 'we need to', 'you should', 'you need to'].map((what) => `i think ${what}`)),
  we: duties('we'),
  you: duties('you'),
  time: ['time to'],
  try: ['try to'],
  go: ['go ahead and'],
  make: ['make sure you', 'make sure to'],
};
const ASKING_END = /\s+(?:please |just |also |now |maybe |then )*/y;
const ALSO_ASKING = /^(?:please|just|also|now)\s+/;
/** One of these is in whatever */
const REQUIRED = ['need', 'should', 'must', ' to'];
/** is said of a thing, not to the reader: `the selector needs to …`. */
const REQUIRING = /\b(?:needs?|should|must|ha(?:s|ve) to)\b/;
/** A word, and what an apostrophe joins to it. */
const LEADING = /^(\w+)(?:['’](\w+))?/;
const QUESTION_WORDS = new Set(
  wordList(`why what how who where when which is are was were do does did dont doesnt didnt isnt arent can could should
would have has`),
);
const TROUBLES = new Set(wordList('broken breaks slow stuck missing wrong'));
const TROUBLE_STEMS = wordList('fail crash hang leak differ explod');
const WORDS = /\w+/g;
const TIMED_OUT = /\btime[sd]? out\b/;
const NEGATIONS = ['no', "n't", 'n’t', 'nt'];
/** What does not do what it should. */
const NEGATED =
  /\b(?:not?|(?:does|do|is|are|wo|ca|could|did)n['’]?t|nothing)\b.*\b(?:work|load|show|start|update|change|see|run|build|render|respond|match|adhere\b|found\b)/;
const AROUND = /^[\s,.;:–-]+|[\s,.;:!…–-]+$/g;
const FIRST_WORD = /^[a-z]+/;
const ASKED_END = /[\s?]+$/;
const POLITE_END = /[\s,]+(?:please|pls|for me|thanks)$/i;
const VERBS = new Set(
  wordList(`add allow apply ask book build bump bring call change check clean clear close commit compare configure convert copy
create cut debug define delete deploy describe design document download draft drop enable evaluate explain export
extract figure file find finish fix generate give get handle help implement import improve include inline install
integrate introduce investigate kill limit list load look make measure merge migrate mock modify move name open optimise
optimize order organise pin plan port prepare print profile publish pull push put read rebase rebuild redo reduce
refactor release remind remove rename render reorder repair replace reply reproduce research reset restart restore
resize return revert review rewrite roll run save schedule search send separate set ship show simplify sketch sort split
start stop summarise summarize support switch sync tell test think tidy trace track translate trim try tune undo update
upgrade use validate verify wire work wrap write`),
);

/** The sentences of a message, in order, without pasted code, logs and paths. */
export function clausesOf(content: string): Clause[] {
  return sentencesOf(proseOf(content.slice(0, LONGEST_HEARD))).flatMap((sentence) => {
    const clause = clauseOf(sentence);
    return clause === undefined ? [] : [clause];
  });
}

function clauseOf(sentence: string): Clause | undefined {
  let text = sentence.trim();
  for (let next = text; ; text = next) {
    next = text.slice(openerIn(lowerCase(text)));
    if (next === text) break;
  }
  text = text.replace(compiled(AROUND), '');
  if (text === '') return undefined;
  const asked = without(text.slice(askingIn(lowerCase(text))), ALSO_ASKING);
  if (asked !== text || VERBS.has(compiled(FIRST_WORD).exec(lowerCase(asked))?.[0] ?? '')) {
    const bare = asked.replace(compiled(ASKED_END), '').replace(compiled(POLITE_END), '');
    return bare === '' ? undefined : { text: bare, kind: 'request' };
  }
  const lower = lowerCase(text);
  if (text.endsWith('?') || asks(lower)) return { text, kind: 'question' };
  if (isTrouble(lower)) return { text, kind: 'trouble' };
  const requires = REQUIRED.some((word) => lower.includes(word)) && compiled(REQUIRING).test(lower);
  return { text, kind: requires ? 'request' : 'statement' };
}

/** Whether a text in lower case begins as questions do. */
function asks(lower: string): boolean {
  const [, word = '', tail] = compiled(LEADING).exec(lower) ?? [];
  if (QUESTION_WORDS.has(word) || (tail === 't' && QUESTION_WORDS.has(`${word}t`))) return true;
  return word === 'any' && /^any idea\b/.test(lower);
}

function isTrouble(lower: string): boolean {
  const words = lower.match(compiled(WORDS)) ?? [];
  if (words.some((word) => TROUBLES.has(word) || TROUBLE_STEMS.some((stem) => word.startsWith(stem))))
    return true;
  if (lower.includes(' out') && TIMED_OUT.test(lower)) return true;
  return NEGATIONS.some((negation) => lower.includes(negation)) && compiled(NEGATED).test(lower);
}

/** How many characters of a text in lower case only lead up to what it says. */
function openerIn(lower: string): number {
  const word = compiled(OPENER_WORD).exec(lower)?.[0] ?? '';
  const mayLaugh = word.startsWith('h') || word.startsWith('l');
  if (OPENERS.has(word) || (mayLaugh && LAUGHTER.test(word))) return endOf(OPENER_END, lower, word.length);
  const longer = LONGER_OPENERS.find((words) => lower.startsWith(words));
  const end = longer === undefined ? 0 : endOf(OPENER_END, lower, longer.length);
  if (end > 0) return end;
  if (MARKED_OPENERS.has(word) || (word.startsWith('al') && /^al+right$/.test(word)))
    return endOf(MARKED_END, lower, word.length);
  return lower.startsWith('love it') ? endOf(MARKED_END, lower, 'love it'.length) : 0;
}

/** How many characters of a text in lower case only lead up to what is asked for. */
function askingIn(lower: string): number {
  const [word = ''] = compiled(FIRST_WORD).exec(lower) ?? [];
  for (const words of Object.hasOwn(ASKING, word) ? (ASKING[word] ?? []) : []) {
    const end = lower.startsWith(words) ? endOf(ASKING_END, lower, words.length) : 0;
    if (end > 0) return end;
  }
  return 0;
}

/** Where a pattern that stands at a place ends; 0 when it does not. */
function endOf(pattern: RegExp, text: string, at: number): number {
  compiled(pattern).lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}

/** A text without what its beginning has of a pattern of lower-case words. */
function without(text: string, beginning: RegExp): string {
  return text.slice(compiled(beginning).exec(lowerCase(text))?.[0].length ?? 0);
}

const LISTED = /^(?:[-*+•]|\d+[.)])\s/;
const PICTURE = /\.(?:png|jpe?g|gif|webp|pdf)\b/i;
const PICTURE_PATH =
  /['"]\/[^'"\n]{1,400}\.(?:png|jpe?g|gif|webp|pdf)['"]|\/[^\s'"]{1,400}\.(?:png|jpe?g|gif|webp|pdf)/gi;

/** What was written by hand: not code, not a terminal, not a picture's path. Lines that a terminal broke are one again. */
function proseOf(content: string): string {
  const unfenced = content.includes('```') ? content.replace(/```[\s\S]*?(?:```|$)/g, '\n') : content;
  const lines = unfenced.split('\n');
  let prose = '';
  for (const line of lines) {
    const text =
      line.includes('.') && PICTURE.test(line) ? line.replace(PICTURE_PATH, ' ').trim() : line.trim();
    if (text === '' || !isProse(line, text)) prose += '\n';
    else prose += compiled(LISTED).test(text) ? `\n${text.replace(/^\S+\s+/, '')}` : ` ${text}`;
  }
  return prose;
}

const NOT_TYPED =
  /^(?:>|\||[{}[\]<]|at\s|[+-]\s?\d|[+-]{3}|@@|[➜❯$%#»│├└─━]|\w*Error:|\d{4}-\d\d-\d\dT|\[[\w.:-]+\]\s)/u;

const lettersPattern = byAlphabet(({ letter }) => new RegExp(`[${letter}\\s]`, 'gu'));

function isProse(line: string, text: string): boolean {
  if (line.startsWith('        ') || line.startsWith('\t') || compiled(NOT_TYPED).test(text)) return false;
  const letters = text.match(compiled(lettersPattern(text)))?.length ?? 0;
  return letters >= text.length * 0.6;
}

const WIDE = /[^\0-\x7f]/;
const PLAIN_SENTENCE_END = /\n+|(?<=[.!?]["')\]]*)\s+(?![a-z]?\.)/;
let sentenceEnd: RegExp | undefined;

/** Most texts are plain, and V8 takes its time to find out which letters are small and which pictures are shown as such. */
function sentenceEndOf(prose: string): RegExp {
  if (!compiled(WIDE).test(prose)) return PLAIN_SENTENCE_END;
  sentenceEnd ??=
    /\n+|(?<=[.!?…。！？]["')\]]*)\s+(?!\p{Ll}?\.)|(?<=[。！？])|(?<=\p{Emoji_Presentation})\s+/u;
  return sentenceEnd;
}

/** Cut where a sentence ends; a dot inside `theme.ts` or `0.9.3` ends none. */
function sentencesOf(prose: string): string[] {
  return prose
    .split(compiled(sentenceEndOf(prose)))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
