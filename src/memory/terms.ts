import { stem as porter2 } from 'porter2';
import TALK from '../../models/common-talk.json' with { type: 'json' };
import { splitWordList } from '../base/text/strings.ts';

/** Scripts written without spaces between words: Thai, Lao, Burmese, Khmer, Chinese, Japanese; Korean joins particles. */
const WIDE = '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff';
/** An emoji or a dingbat is a word; what follows it chooses a colour or a form. */
const EMOJI = '[\\ud83c-\\ud83e][\\udc00-\\udfff]|[\\u2600-\\u27bf\\u2b50\\u2b55]';
/** All other word characters, without punctuation, symbols, dingbats, emoji or private use. */
const NARROW =
  '0-9A-Za-z\\xaa\\xb5\\xba\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u0dff\\u0f00-\\u0fff\\u10a0-\\u177f\\u1800-\\u1fff\\u2c00-\\u2fff\\u3005-\\u3007\\u3021-\\u303f\\ua000-\\uabff\\ud7b0-\\ud83b\\ud83f-\\udbff\\ufb00-\\ufefe\\uff10-\\uffef';
/** A run of wide characters, an emoji, or a word; an apostrophe with a letter after it belongs to the word. */
const WORD = new RegExp(`[${WIDE}]+|${EMOJI}|[${NARROW}]+(?:['’](?=[A-Za-z\xc0-\u024f])[${NARROW}]+)*`, 'g');
const IS_EMOJI = new RegExp(`^(?:${EMOJI})$`);
const SKIN_TONE = /^\ud83c[\udffb-\udfff]$/;
/** The mark between the thousands of a number: `1,204`. */
const THOUSANDS = /(?<=\d)[,'’](?=\d{3}(?!\d))/g;
const IS_WIDE = new RegExp(`^[${WIDE}]`);
/** The common form of words. */
const PLAIN = /^[a-z0-9]{1,48}$/;
/** A word longer than this is a hash, a key or a line of base64: only its start is kept. */
const LONGEST = 48;

/**
 * Cuts text into lower-case words. Letters with accents are folded, apostrophes inside a word vanish (`don't` is
 * `dont`, `Ann's` is `ann`), runs of scripts without spaces become pairs of characters, a camel-case name yields its
 * parts before the whole, and a German word also its form without umlauts (`Büro` is `buro` and `buero`).
 *
 * The tokenizer is part of the index format: a change here needs a new `VERSION` in `store.ts`.
 */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  // One form of letters with accents, of half-width kana and of full-width Latin.
  const composed = /[^\0-\x7f]/.test(text) ? text.normalize('NFKC') : text;

  for (const raw of composed.replace(THOUSANDS, '').match(WORD) ?? []) {
    if (PLAIN.test(raw)) words.push(raw);
    else if (IS_EMOJI.test(raw)) words.push(...(SKIN_TONE.test(raw) ? [] : [raw]));
    else words.push(...(IS_WIDE.test(raw) ? splitPairs(raw) : splitRawWords(raw)));
  }

  return words;
}

/** French and Italian: `l'équipe`, `dell'anno`. */
const ELISION = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|dell|nell|all|sull|un)['’]/i;

function splitPairs(raw: string): string[] {
  if (raw.length === 1) return [raw];
  return Array.from({ length: raw.length - 1 }, (_, i) => raw.slice(i, i + 2));
}

function splitRawWords(raw: string): string[] {
  const written = raw.slice(0, LONGEST).replace(ELISION, '');
  const parts = /[a-z][A-Z]/.test(raw) ? written.split(/(?<=[a-z])(?=[A-Z])/) : [];
  const whole = written
    .toLowerCase()
    .replace(/['’]s$/, '')
    .replace(/['’]/g, '');
  // Some characters decompose into a space and an accent, others into our own term prefixes.
  const folded = foldLetters(whole);
  const spelled = /[äöü]/.test(whole) ? [foldLetters(whole.replace(/[äöü]/g, '$&e'))] : [];

  return [
    ...parts.filter((part) => part.length > 2).map((part) => part.toLowerCase()),
    ...spelled,
    folded,
  ].filter((word) => word !== '');
}

function foldLetters(word: string): string {
  return word
    .replace(/ß/g, 'ss')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\s@/]/g, '');
}

/** Prefix of a term for the author of a line. The tokenizer never produces it. */
export const AUTHOR_MARK = '@';

/** The words of a text without stopwords, in order, with repeats. */
export function extractWords(text: string): string[] {
  return tokenize(text).filter((word) => !STOPWORDS.has(word));
}

export function extractTerms(text: string): string[] {
  return extractWords(text).map(stem);
}

const AUTHOR =
  /^(?:\[[^\]]{1,40}\]\s*)?(?:\d{1,2}:\d{2}(?::\d{2})?\s+)?[*_]{0,2}((?:[\p{Lu}\p{Lo}][\p{L}\p{M}\p{N}.'’_-]{0,30}\s?){1,3})[*_]{0,2}(?:\s?\([^)]{1,40}\))?\s?:[*_]{0,2}(?:\s|$)/u;

/**
 * The author of a line: the name before its first colon, as in `Ann: see you`, `**Ann Lee:** …` or `[12:30] Ann: …`.
 * Up to three words that begin with a capital or a letter without case.
 */
export function parseAuthor(text: string): string | undefined {
  const match = AUTHOR.exec(text);
  return match?.[1]?.trim();
}

const STOP = `
a about above after again against ago all almost alone along already also although always am among an and another
any anybody anyone anything are arent around as at away back be became because been before behind being below
between both but by can cannot cant come could couldnt did didnt do does doesnt doing done dont down during each
either else enough etc even ever every everybody everyone everything few for from further gave get gets getting
give given go goes going gone gonna got gotta had hadnt has hasnt have havent having he hed hell her here heres hers
herself hes hey hi him himself his how however hows i id if ill im in indeed instead into is isnt it itd itll its
itself ive just keep kept kinda know least less let lets like likely lot lots made make makes making many may maybe
me might mine more most much must my myself neither never no nobody none nor not nothing now of off often oh on once
one ones only onto or other others our ours ourselves out over own per perhaps put quite rather really said same
saw say says see seem seemed seems seen several shall she shed shes should shouldnt since so some somebody someone
something sometimes somewhat soon still such take than that thatd thats the their theirs them themselves then there
theres these they theyd theyll theyre theyve thing things this those though through thus till to together too toward
towards under unless until up upon us use used using very via was wasnt way we wed well went were werent weve what
whatever whats when whenever where wheres whether which while who whod whole whom whos whose why will with within
without wont would wouldnt yet you youd youll your youre yours yourself youve
`;

const FILLER = `
absolutely actually agree alright anyway awesome aww bit bye certainly check cheers completely continue cool
course definitely detail details elaborate else exactly explain fantastic far find fine glad good great guess haha
happy hello help hmm hope interesting kind know lol look mean mention nice nope ok okay perfect please pls
pretty probably question quick quickly remember remind right search sense show sorry sounds suppose sure talk tell
thank thanks think thx totally true understand want wondering wow yeah yep yes yup
`;

/** Words that say nothing about a subject; never indexed. Apostrophes are already gone. */
export const STOPWORDS: ReadonlySet<string> = new Set(splitWordList(STOP));

/**
 * Conversational words that do not name a subject. They are indexed, because a note may be about one of them, but in
 * a query they weigh little and never displace older messages.
 */
const FILLERS: ReadonlySet<string> = new Set(splitWordList(FILLER));

let worths: Map<string, number> | undefined;

/**
 * Significance of a stem in conversation with an agent, from its frequency there: 0 for `continue`, 1 for
 * `kubernetes`.
 */
export function rateTerm(term: string): number {
  if (IS_EMOJI.test(term)) return 0;
  worths ??= readWorths();
  return worths.get(term) ?? 1;
}

function readWorths(): Map<string, number> {
  const out = new Map<string, number>();
  // Words of the first list carry no information in talk, those of each further list a quarter more.
  for (const [level, text] of TALK.levels.entries())
    for (const term of splitWordList(text)) out.set(term, level / TALK.levels.length);
  for (const filler of FILLERS) out.set(stem(filler), 0);

  return out;
}

/**
 * The stem of one lower-case word: Porter2 ("English", https://snowballstem.org/algorithms/english/stemmer.html) of its
 * base form, so that `went` and `going` share a stem. Words with anything but the letters a to z are returned as they are.
 */
export function stem(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? porter2(findBaseForm(word) ?? word) : word;
}

/**
 * Irregular English forms, each after its base. Ambiguous forms (`saw`, `lay`) are included if the verb is the more
 * common reading in notes and chat.
 */
const FORMS = `arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became;
  begin began begun; bend bent; bite bit bitten; bleed bled; blow blew blown; break broke broken;
  breed bred; bring brought; build built; burn burnt; buy bought; catch caught; child children;
  choose chose chosen; cling clung; come came; creep crept; criterion criteria; deal dealt;
  dig dug; dive dove; do did done; draw drew drawn; dream dreamt; drink drank drunk;
  drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought;
  find found; flee fled; fly flew flown flies; foot feet; forbid forbade forbidden;
  forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
  give gave given; go went gone; goose geese; grow grew grown; half halves; hang hung; hear heard;
  hide hid hidden; hold held; keep kept; kneel knelt; knife knives; know knew known; lead led;
  leaf leaves; lean leant; leap leapt; learn learnt; leave left; lend lent; life lives;
  light lit; lose lost; make made; man men; mean meant; meet met; mouse mice; pay paid;
  person people persons; phenomenon phenomena; prove proven; ride rode ridden; ring rang rung;
  rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn;
  shake shook shaken; shelf shelves; shine shone; shoot shot; show shown; shrink shrank shrunk;
  sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken;
  speed sped; spell spelt; spend spent; spill spilt; spin spun; stand stood; steal stole stolen;
  stick stuck; sting stung; strike struck; string strung; swear swore sworn; sweep swept;
  swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
  think thought; throw threw thrown; tooth teeth; understand understood; wake woke woken;
  wear wore worn; weave wove woven; weep wept; wife wives; win won; wind wound; wolf wolves;
  woman women; write wrote written; mom mum mother mothers moms mums; dad father fathers dads`;

let built: ReadonlyMap<string, string> | undefined;

/** The base form of an irregular form; undefined for any other word. */
function findBaseForm(word: string): string | undefined {
  built ??= new Map(
    FORMS.split(';').flatMap((group) => {
      const [base = '', ...forms] = splitWordList(group);
      return forms.map((form) => [form, base] as const);
    }),
  );
  return built.get(word);
}
