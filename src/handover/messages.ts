import { redactSecrets } from '../base/safety/index.ts';
import { estimateTokens } from '../pad/tokens.ts';
import { ownWords } from '../transcript/hearing/own-words.ts';
import { pickedIn, spellPicked } from '../transcript/hearing/pointing.ts';
import { cutMiddle, type Did, type Item, turnsOf } from '../transcript/record.ts';
import type { StoredSession } from '../transcript/store.ts';
import { ACTS, AGREES, MANNER, MANNER_INSIDE, RULES, RULES_INSIDE, TALK, wordsOf } from './vocabulary.ts';

/** A message of the person, as it is repeated. */
export interface Said {
  /** The host's id, to leave it out with `forget`. */
  id: string;
  /** ISO 8601. */
  at?: string;
  text: string;
  /** What they said it to: a question, a refused call, a list of options. */
  to?: string;
  /** The host put it into a prompt: the title of a plan. */
  isPlan?: boolean;
  /** Only agrees, or was only pasted. */
  agrees: boolean;
  /** How much one of its sentences looks like a rule. */
  rule: number;
  /** How much it says beside what all messages say; 0 for an approval. */
  score: number;
  /** Holds words of obligation. */
  rules: boolean;
}

/** Tokens of the person's messages that a session is told. */
export const WORDS_TOKENS = 500;
/** Longest message that is repeated whole, in characters; of a longer one the middle is left out. */
const LONGEST = 700;
const LONGEST_CONTEXT = 160;
/** Lines of a paste that are shown at its beginning and end. */
const PASTE_ENDS = 1;
const PASTE_LENGTH = 180;

/** Whether a message only agrees or thanks. */
export function isApproval(text: string): boolean {
  const words = wordsOf(text);
  return words.length <= 12 && words.every((word) => AGREES.has(word));
}

/** All that the person said in a session, oldest first, without what they want forgotten. */
export function messagesOf({ record, forgotten }: Pick<StoredSession, 'record' | 'forgotten'>): Said[] {
  const items = turnsOf(record).flat();
  const said: Said[] = [];
  let before: Item | undefined;
  for (const item of items) {
    if (item.type === 'person' && !forgotten.includes(item.id)) said.push(saidBy(item, before, items));
    if (item.type === 'plan' && !forgotten.includes(item.id)) said.push(planGiven(item));
    if (item.type === 'agent') before = item;
  }
  return said;
}

/** The messages of a session, after those that it had taken over from the one before it. */
export function messagesWith(stored: StoredSession, all: readonly StoredSession[]): Said[] {
  const others = all.filter((one) => one !== stored);
  const before = others.find(({ takenBy }) => takenBy === stored.session);
  return [...(before === undefined ? [] : messagesWith(before, others)), ...messagesOf(stored)];
}

function saidBy(item: Item & { type: 'person' }, before: Item | undefined, items: readonly Item[]): Said {
  const to = contextOf(item, before, items);
  const own = item.answers === undefined ? ownWords(item.text).trim() : item.text;
  const rule = ruleOf(item.text, own);
  // What was only pasted says nothing of its own.
  const agrees = to === undefined && (isApproval(item.text) || (own === '' && rule.weight === 0));
  const exact = (own.match(/`[^`]+`|"[^"]+"|“[^”]+”|\b\d+/g) ?? []).length;
  return {
    id: item.id,
    text: redactSecrets(inShort(item.text, rule.text)),
    agrees,
    rule: rule.weight,
    rules: rule.weight >= IS_RULE,
    score: agrees ? 0 : 2 * rule.weight + Math.min(exact, 4) / 2 + Math.min(wordsOf(own).length, 60) / 30,
    at: item.timestamp,
    to: to && redactSecrets(to),
  };
}

/** The rule in a person's own words; or in the last sentence, if it stands on a line that looks pasted. */
function ruleOf(text: string, own: string): Rule {
  const rule = ruleIn(own, own.length < text.trim().length / 2);
  const end = text.trimEnd().slice(-200).split('\n').at(-1) ?? '';
  if (rule.weight >= IS_RULE || own.endsWith(end)) return rule;
  const last = ruleIn(/[.!]\s+([^.!]{5,160}[.!]?)$/.exec(end)?.[1] ?? '');
  return last.weight > Math.max(1, rule.weight) ? last : rule;
}

/** The title of a plan stands for it. */
export const titleOf = (plan: string): string =>
  (/^#{1,3} +(.+)$/m.exec(plan)?.[1] ?? plan.split('\n', 1)[0] ?? '').replace(/^Plan: */i, '').trim();

function planGiven(item: Item & { type: 'plan' }): Said {
  return {
    id: item.id,
    text: redactSecrets(titleOf(item.text).slice(0, LONGEST_CONTEXT)),
    isPlan: true,
    agrees: false,
    rule: 0,
    rules: false,
    score: 2,
    at: item.timestamp,
  };
}

/** What a message answers, where it does not say it itself. */
function contextOf(
  item: Item & { type: 'person' },
  before: Item | undefined,
  items: readonly Item[],
): string | undefined {
  if (item.answers !== undefined)
    return item.answers.map(({ question }) => question.slice(0, LONGEST_CONTEXT)).join(' / ');
  if (item.voice === 'rejection') {
    const isIt = (one: Item): one is Did => one.type === 'did' && one.id.startsWith(`${item.call}:`);
    const facts = items.find(isIt)?.facts;
    if (facts === undefined) return undefined;
    const what = facts.command ?? facts.edits[0]?.path;
    return `refusing ${facts.tool}${what === undefined ? '' : ` ${what.split('\n', 1)[0]?.slice(0, 80)}`}`;
  }
  if (before?.type !== 'agent') return undefined;
  const options = pickedIn(item.text, before.text).map(({ label, text }) => ({
    label,
    text: text.slice(0, LONGEST_CONTEXT),
  }));
  return options.length === 0 ? undefined : `option ${spellPicked(options)}`;
}

/**
 * A message with what was pasted into it, and then its middle, cut if it is long.
 * @param keep a sentence of it that is not cut
 */
export function inShort(text: string, keep = '', most = LONGEST): string {
  if (text.length <= most) return text;
  const short = withoutPastes(text);
  const cut = cutMiddle(short, most);
  if (cut.includes(keep) || keep.length > most / 2) return cut;
  const at = short.indexOf(keep);
  if (at === -1) return cut;
  const rest = most - keep.length;
  const [before, after] = [short.slice(0, at), short.slice(at + keep.length)];
  return `${cutEnd(before, rest * 0.6)}${keep}${cutMiddle(after, Math.max(40, Math.floor(rest * 0.4)))}`;
}

const cutEnd = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most).toWellFormed()}\n[… ${text.length - Math.floor(most)} characters left out …]\n`;

function withoutPastes(text: string): string {
  const own = ownWords(text).split('\n');
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  if (own.length !== lines.length) return text;
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    let end = at;
    while (end < lines.length && own[end]?.trim() === '' && lines[end]?.trim() !== '') end += 1;
    if (end - at <= 2 * PASTE_ENDS + 1) kept.push(lines[at] ?? '');
    else {
      kept.push(
        ...lines.slice(at, at + PASTE_ENDS).map((line) => line.slice(0, PASTE_LENGTH).toWellFormed()),
        '[… pasted lines …]',
        ...lines.slice(end - PASTE_ENDS, end).map((line) => line.slice(-PASTE_LENGTH).toWellFormed()),
      );
      at = end - 1;
    }
  }
  return kept.join('\n');
}

/** Messages that were chosen to be repeated, and how many are left between them. */
export interface Choice {
  messages: Said[];
  left: number;
}

/** How many of the messages that look most like rules come before the last ones. */
const RULES_FIRST = 3;
/** Tokens of a message that halve what its rule counts for: a budget holds more of short ones. */
const LONG_TOKENS = 100;

/**
 * The messages that matter most, oldest first, within a budget: the last, the three that look most like rules, the first
 * that rules something, the last three, and of the others those that say most.
 * @param already texts that the model holds; a message that stands in one of them is left out
 */
export function chooseMessages(
  all: readonly Said[],
  budgetTokens: number,
  already: readonly string[] = [],
): Choice {
  const held = already.map((text) => ` ${wordsOf(text).join(' ')} `);
  const told = withoutRepeats(all.filter(({ agrees }) => !agrees));
  const candidates = told.filter((said) => !held.some((text) => holds(text, said)));
  const first = candidates.find(({ rules }) => rules);
  const last = candidates.slice(-3).reverse();
  const others = [...candidates].sort((a, b) => b.score - a.score);
  const worth = (said: Said): number => said.rule / (1 + costOf(said) / LONG_TOKENS);
  const rules = others.filter((said) => said.rules).sort((a, b) => worth(b) - worth(a));
  const order = [
    ...last.slice(0, 1),
    ...rules.slice(0, RULES_FIRST),
    ...(first === undefined ? [] : [first]),
    ...last,
    ...others,
  ];
  const chosen = new Set<Said>();
  let left = budgetTokens;
  for (const said of order) {
    const cost = costOf(said);
    if (chosen.has(said) || cost > left) continue;
    chosen.add(said);
    left -= cost;
  }
  return {
    messages: candidates.filter((said) => chosen.has(said)),
    left: candidates.length - chosen.size,
  };
}

/** A message of few words that only asks for an act: "commit this". It was done then. */
const isOrder = ({ text, to, rule }: Said): boolean => {
  const words = wordsOf(text);
  return (
    to === undefined && rule === 0 && words.length <= ORDER_WORDS && words.some((word) => ACTS.has(word))
  );
};
const ORDER_WORDS = 4;

/**
 * Without pictures that stand alone, orders that were carried out, and what the person says again, word for word or
 * with more words.
 */
function withoutRepeats(said: readonly Said[]): Said[] {
  const plain = said.map(
    ({ text }) => ` ${wordsOf(text.replace(/\[Image[^\]\n]{0,20}\]/gi, ' ')).join(' ')} `,
  );
  const isAgain = (at: number): boolean => plain.some((text, i) => i > at && text.includes(plain[at] ?? ''));
  return said.filter((one, at) => {
    if (one.to !== undefined) return true;
    const isLast = at === said.length - 1;
    return plain[at]?.trim() !== '' && !isAgain(at) && (isLast || !isOrder(one));
  });
}

const costOf = (said: Said): number => estimateTokens(lineOf(said)) + 1;

/** A message that stands nearly word for word in a text: most of its runs of five words do, and all of its rule. */
function holds(text: string, { text: said, rule }: Said): boolean {
  const words = wordsOf(said);
  if (words.length === 0) return true;
  if (words.length < 5) return text.includes(` ${words.join(' ')} `);
  if (rule > 0 && !text.includes(` ${wordsOf(ruleIn(ownWords(said)).text).join(' ')} `)) return false;
  const runs = words.slice(4).map((_, index) => words.slice(index, index + 5).join(' '));
  return runs.filter((run) => text.includes(` ${run} `)).length >= 0.8 * runs.length;
}

/** A message as one line: what it answers, and the words as they were typed; a plan by its title. */
export function lineOf({ text, to, isPlan }: Said): string {
  if (isPlan === true) return `[a plan to implement: ${text}]`;
  return to === undefined ? `“${text}”` : `(${to}) “${text}”`;
}

/** A sentence of a message that may hold from now on, and how much it looks like it. */
interface Rule {
  text: string;
  /** 0 for a sentence that rules nothing. */
  weight: number;
}

/** From this weight on a sentence probably rules something. */
const IS_RULE = 2;

/** A sentence of more words says less with each of them. */
const PLAIN_WORDS = 9;
/** People state in passing what they want at the end of what they say. */
const LAST = 1.3;
/** A last sentence that neither asks nor talks of what is there states something, whatever its words. */
const STATES = 1.6;
const MOST_OF_A_KIND = 4;

/**
 * The sentence of a text that looks most like a rule, by its words.
 * @param text what the person typed
 * @param beside whether it stands beside more that was pasted
 */
function ruleIn(text: string, beside = false): Rule {
  const sentences = text
    .split(/(?<=[.!?;。！？；])(?=\s|[^\s\p{ASCII}])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
  let best: Rule = { text: '', weight: 0 };
  for (const [index, sentence] of sentences.entries()) {
    const isLast = index === sentences.length - 1;
    const weight = weightOf(sentence, isLast && (index > 0 || beside) ? STATES : 0) * (isLast ? LAST : 1);
    if (weight >= best.weight && weight > 0) best = { text: sentence, weight };
  }
  return best;
}

function weightOf(sentence: string, states: number): number {
  if (/[?？]["”')]*$/.test(sentence)) return 0;
  const words = wordsOf(sentence);
  const distinct = [...new Set(words)];
  const count = (set: ReadonlySet<string>, inside: readonly string[] = []): number =>
    Math.min(
      MOST_OF_A_KIND,
      distinct.filter((word) => set.has(word)).length +
        inside.filter((part) => sentence.includes(part)).length,
    );
  const rules = count(RULES, RULES_INSIDE);
  const manner = count(MANNER, MANNER_INSIDE);
  const talk = count(TALK);
  const stated = talk === 0 && words.length >= 3 ? states : 0;
  if (rules + manner + stated === 0) return 0;
  const length = Math.min(1, Math.sqrt(PLAIN_WORDS / words.length));
  return Math.max(0, 2 * rules + manner + stated - talk) * length;
}
