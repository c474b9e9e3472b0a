import { ownSentences } from '../hearing/own-words.ts';
import { stem } from '../text/stem.ts';
import { wordList } from '../text/word-list.ts';

/** An action that a person forbids: its verb, and what it must not be done to. */
interface Ban {
  /** The stem of the verb. */
  verb: string;
  /** For each object the stems of the words that name it, and names of files as they are; none if it has no object. */
  things: string[][];
}

const NOT =
  /\b(?:do not|don'?t|dont|never|(?:must|may|should|shall)(?: not|n'?t)|not to|to never)\s+(?:(?:ever|just|even|actually|also|please|you|be)\s+|(?:start|begin|continue|keep|go)\s+(?=[a-z]+ing\b))*(?=[a-z])/gi;
const GERUND =
  /\b(?:stop|avoid|without|no more|(?:ask|check with|tell|warn) me (?:first )?before)\s+(?=[a-z]+ing\b)|\b(?:ask|check with|tell|warn) me (?:first )?before (?:you\s+)?(?=[a-z])/gi;
/** Where what is forbidden comes before the verb: "sent invoices must never change". */
const SUBJECT = /^(.{3,80}?)\s+(?:must|may|should|shall)(?: never| not|n'?t)\b/i;
/** Where the object of a verb ends. */
const END =
  /[,;:.!?()–—]\s|[,;:.!?()–—]$|\s-\s|\b(?:because|since|before|until|till|unless|when|while|if|so|as|without|but|then|after|whatever|that|which|who|just)\b/i;

/** Words that name no particular thing. */
const ANYTHING = new Set(
  wordList(
    'it this that them these those all any anything everything something more code file files folder folders directory function functions method class thing things stuff package again yet now here there the a an my our your their its of in on to from for with by at into onto me us you first please ever just always also too branch change changes work new existing other others another one ones everywhere anywhere whole entire no not is are be is up out off over own and or nor directly ever without',
  ),
);

/** Verbs that change something, and those that remove it. */
const CHANGES = stems(
  'touch change edit modify alter rewrite reformat format rename refactor move update fix replace simplify convert extend split clean adjust tweak revise rework restructure patch bump migrate delete remove drop wipe overwrite add',
);
const REMOVES = stems('delete remove drop wipe clear purge prune clean erase');
const SAME: readonly ReadonlySet<string>[] = [
  REMOVES,
  stems('push ship'),
  stems('deploy ship release'),
  stems('publish release'),
  stems('run execute rerun start launch'),
  stems('install add'),
];
/** What is worth a word whatever it is done to. */
const ALONE = stems(
  'commit push forcepush deploy merge release publish ship stash amend rebase reset delete prune wipe drop purge erase destroy',
);
/** A ban on one of these verbs covers every way to change a thing. */
const COVERS_CHANGES = stems('touch change edit modify alter rewrite mess');

/** "adding" and "add" have the same. */
function rootOf(word: string): string {
  return stem(word.toLowerCase()).replace(/([^aeiou])\1$/, '$1');
}

function stems(words: string): Set<string> {
  return new Set(wordList(words).map(rootOf));
}

/** The actions that an instruction forbids. */
export function bansIn(instruction: string): Ban[] {
  const text = normal(instruction).replace(/[“”"]/g, '');
  const found: Ban[] = [];
  for (const pattern of [NOT, GERUND])
    for (const match of text.matchAll(pattern)) {
      const rest = text.slice(match.index + match[0].length);
      const subject = SUBJECT.exec(text.slice(0, match.index + match[0].length));
      const before =
        subject === null || /\b(?:you|we|i)$/i.test(subject[1] ?? '') ? [] : objectIn(subject[1] ?? '');
      found.push(...actionsIn(rest, before));
    }
  return found;
}

/** "edit or delete the fixtures": two actions, the first with the object of the second. */
function actionsIn(rest: string, before: readonly string[][]): Ban[] {
  const [clause = ''] = rest.split(END);
  const found: Ban[] = [];
  for (const part of clause.split(/\s+(?:or|and|nor)\s+/)) {
    const [verb = '', ...words] = part.trim().split(/\s+/);
    const last = found.at(-1);
    if (last === undefined || isAction(verb))
      found.push({ verb: rootOf(verb), things: [...before, ...objectIn(words.join(' '))] });
    else last.things.push(...objectIn(part));
  }
  return found.map(({ verb, things }, index) => ({
    verb,
    things:
      things.length > 0 ? things : (found.slice(index).find((next) => next.things.length > 0)?.things ?? []),
  }));
}

const isAction = (word: string): boolean => {
  const verb = rootOf(word);
  return CHANGES.has(verb) || SAME.some((group) => group.has(verb));
};

/** The words of an object; none if they name no particular thing. */
function objectIn(text: string): string[][] {
  const words = text.split(/\s+/).flatMap((word) => {
    const plain = word.toLowerCase().replace(/^[^\w.~/]+|[^\w]+$/g, '');
    if (ANYTHING.has(plain) || plain.length < 2) return [];
    return isName(plain) ? [plain.slice(plain.lastIndexOf('/') + 1)] : [rootOf(plain)];
  });
  return words.length === 0 ? [] : [words];
}

/** A name of a file is compared as it is: `local.yml` is not `local`. */
const isName = (word: string): boolean => /\w[./_]\w|^\.\w/.test(word);

/** "force push" and "push --force" as one verb. */
function normal(text: string): string {
  return text
    .replace(/[’‘]/g, "'")
    .replace(/\bforce[- ]push(\w*)/gi, 'forcepush$1')
    .replace(/\bpush\w* (?:with )?--?force\S*/gi, 'forcepush');
}

const QUESTION_THAT_ASKS = /^(?:\w+[,!]\s+)?(?:please )?(?:can|could|would|will) (?:you|we)\b/i;
const POLITE =
  /^(?:(?:ok(?:ay)?|yes|yeah|no|please|now|then|great|perfect|nice|good|thanks|also|next|finally|first|just|again|so|and|let'?s|can you|could you|would you|will you|can we|could we|go ahead and|go and|you can|you may|you should|i(?:'d| would)? (?:want|need|like) you to|make sure (?:to|you)|try to|start by|quickly)\b[,!.]*\s*)+/i;
const CLAUSES = /[,;:]\s+|\s+(?:and(?: then)?|then|but|plus)\s+/i;
const NEGATED = /\b(?:not|never|without|don'?t|dont|no)\b/i;

/** What a message asks for, as verbs with the words after them. */
function requestsIn(prompt: string): { verb: string; text: string }[] {
  return ownSentences(normal(prompt))
    .slice(0, 12)
    .filter(
      (sentence) => sentence.length < 300 && (!sentence.includes('?') || QUESTION_THAT_ASKS.test(sentence)),
    )
    .flatMap((sentence) => sentence.split(CLAUSES))
    .flatMap((clause) => {
      const [, verb = '', text = ''] = /^([a-z]+)\b(.*)$/is.exec(clause.trim().replace(POLITE, '')) ?? [];
      return verb === '' || NEGATED.test(clause) ? [] : [{ verb: rootOf(verb), text: text.toLowerCase() }];
    });
}

/**
 * Whether a message asks for something that an instruction forbids: the same action, or a change where any change is
 * forbidden, and the same thing if the instruction names one.
 */
export function asksForBanned(prompt: string, instruction: string): boolean {
  const bans = bansIn(instruction);
  return bans.length > 0 && requestsIn(prompt).some((request) => bans.some((ban) => isOf(request, ban)));
}

function isOf({ verb, text }: { verb: string; text: string }, { verb: banned, things }: Ban): boolean {
  const sameVerb =
    verb === banned ||
    SAME.some((group) => group.has(banned) && group.has(verb)) ||
    (COVERS_CHANGES.has(banned) && CHANGES.has(verb));
  if (!sameVerb) return false;
  // "do not change anything" is about the work of its moment, not about every later change.
  if (things.length === 0) return ALONE.has(banned);
  const words = new Set(text.split(/[^\p{L}\p{N}]+/u).map(rootOf));
  return things.some((object) => {
    if (object.some((word) => isName(word) && text.includes(word))) return true;
    const named = object.filter((word) => !isName(word));
    // "integration tests" are not just any tests.
    return named.length > 0 && named.filter((word) => words.has(word)).length >= Math.min(2, named.length);
  });
}

/** Whether an instruction forbids something in particular. */
export function forbidsSomething(instruction: string): boolean {
  if (/\bno (?:new|extra|additional|more) \w/i.test(instruction)) return true;
  return bansIn(instruction).some(({ verb, things }) => things.length > 0 || ALONE.has(verb));
}

/** In later sessions an instruction holds for so long at the latest. */
export const LONGEST_MS = 14 * 86_400_000;
const DAY_MS = 86_400_000;
const UNTIL = /\b(?:before|until|till|'til|by|as long as|while|unless)\b(.*)$/i;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** What does not depend on the agent: other people, and events. */
const EVENT =
  /^\s*(?:he|she|they|everyone|everybody|someone|somebody|(?:the|our|my) (?:team|boss|customers?|clients?|lawyers?|designers?|reviewers?))\b|\b(?:release|launch|demo|freeze|merged?|reviews?|reviewed|approved|approval|rollout|go-live|meeting|stand-?up|vacation|holidays?|weekend|sprint|audit|maintenance|back from|(?:is|are|'s|'re) back)\b/i;

/**
 * When an instruction ends that names a later date or an event ("before Friday", "until Ines is back"), ISO 8601: at
 * the end of that day, and after two weeks at the latest. Undefined for any other.
 *
 * @param said when it was said, ISO 8601
 * @param standing whether it would otherwise be permanent: then a date alone does not end it
 */
export function endOf(instruction: string, said: string, standing: boolean): string | undefined {
  const [condition = '', after] = UNTIL.exec(instruction) ?? [];
  const start = new Date(said);
  if (Number.isNaN(start.getTime()) || (standing && after === undefined)) return undefined;
  const last = start.getTime() + LONGEST_MS;
  const day =
    dayIn(after ?? instruction, start) ?? (after === undefined ? undefined : dayIn(instruction, start));
  if (day !== undefined) {
    const end = new Date(day).setHours(23, 59, 59, 999);
    return new Date(Math.min(end, last)).toISOString();
  }
  if (/^by\b/i.test(condition)) return undefined;
  // What the person or the agent does next is a matter of this session.
  if (after === undefined || /^\s*(?:i|we|you)(?:'\w+)?\b/i.test(after)) return undefined;
  const names =
    /^\s*\p{Lu}\p{Ll}+ (?:is|are|has|have|gets?|comes?|returns?|says?|agrees?|approves?|signs?|looked|confirms?)\b/u;
  return EVENT.test(after) || names.test(after) ? new Date(last).toISOString() : undefined;
}

/** The day that a text names, epoch milliseconds. */
function dayIn(text: string, from: Date): number | undefined {
  const in_ = (days: number): number => new Date(from).setDate(from.getDate() + days);
  const iso = /\b(20\d\d)-(\d\d)-(\d\d)\b/.exec(text);
  if (iso !== null) return new Date(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])).getTime();
  const name = new RegExp(`\\b(${DAYS.join('|')})\\b(?!s)`, 'i').exec(text)?.[1]?.toLowerCase();
  if (name !== undefined) return in_(((DAYS.indexOf(name) - from.getDay() + 6) % 7) + 1);
  if (/\btomorrow\b/i.test(text)) return in_(1);
  if (/\b(?:today|tonight|this (?:morning|afternoon|evening)|end of (?:the )?day)\b/i.test(text))
    return in_(0);
  if (/\bnext week\b/i.test(text)) return in_(14 - ((from.getDay() + 6) % 7) - 1);
  if (/\b(?:this week|end of (?:the )?week|(?:the|this) weekend)\b/i.test(text))
    return in_(6 - ((from.getDay() + 6) % 7));
  const date = new RegExp(
    `\\b(?:(${MONTHS.join('|')})[a-z]*\\.? (\\d{1,2})|(\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(${MONTHS.join('|')}))`,
    'i',
  ).exec(text);
  if (date === null) return undefined;
  const month = MONTHS.indexOf((date[1] ?? date[4] ?? '').toLowerCase());
  const day = new Date(from.getFullYear(), month, Number(date[2] ?? date[3])).getTime();
  return day < from.getTime() - DAY_MS
    ? new Date(from.getFullYear() + 1, month, Number(date[2] ?? date[3])).getTime()
    : day;
}
