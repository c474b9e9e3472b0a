import { redactSecrets } from '../base/safety/index.ts';
import { wordList, wordSet } from '../base/text/strings.ts';
import { termsOf, worthOf } from '../memory/terms.ts';
import { estimateTokens } from '../pad/tokens.ts';
import { ownWords, pickedIn, spellPicked } from '../transcript/hearing.ts';
import { cutMiddle, type Did, type Item, turnsOf } from '../transcript/record.ts';
import type { StoredSession } from '../transcript/store.ts';

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
  rule: number;
  rules: boolean;
}

export const WORDS_TOKENS = 500;
/** Longest message that is repeated whole, in characters; of a longer one the middle is left out. */
const LONGEST = 700;
const LONGEST_CONTEXT = 160;
export function isApproval(text: string): boolean {
  const words = wordsOf(text);
  return words.length <= 12 && words.every((word) => AGREES.has(word));
}

export function messagesOf({ record, forgotten }: Pick<StoredSession, 'record' | 'forgotten'>): Said[] {
  const items = turnsOf(record).flat();
  const said: Said[] = [];
  let before: Item | undefined;
  for (const item of items) {
    if (item.type === 'agent') before = item;
    if (forgotten.includes(item.id)) continue;
    if (item.type === 'person') said.push(saidBy(item, before, items));
    if (item.type === 'plan') {
      const text = redactSecrets(titleOf(item.text).slice(0, LONGEST_CONTEXT));
      const rules = { rule: 0, rules: false, agrees: false };
      said.push({ id: item.id, at: item.timestamp, text, isPlan: true, ...rules });
    }
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
  const rule = ruleIn(own, own.length < item.text.trim().length / 2);
  return {
    id: item.id,
    at: item.timestamp,
    text: redactSecrets(inShort(item.text)),
    // What was only pasted says nothing of its own.
    agrees: to === undefined && (isApproval(item.text) || own === ''),
    rule,
    rules: rule >= IS_RULE,
    to: to && redactSecrets(to),
  };
}

export const titleOf = (plan: string): string =>
  (/^#{1,3} +(.+)$/m.exec(plan)?.[1] ?? plan.split('\n', 1)[0] ?? '').replace(/^Plan: */i, '').trim();

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
    const refused = items.find(isIt)?.facts.refused;
    return refused && `refusing ${refused}`;
  }
  if (before?.type !== 'agent') return undefined;
  const options = pickedIn(item.text, before.text);
  if (options.length === 0) return undefined;
  return `option ${spellPicked(options.map(({ label, text }) => ({ label, text: text.slice(0, LONGEST_CONTEXT) })))}`;
}

/** A message with what was pasted into it, and then its middle, cut if it is long. */
function inShort(text: string): string {
  if (text.length <= LONGEST) return text;
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const own = ownWords(text).split('\n');
  // Only the beginning and the end of a very long one are read.
  if (own.length !== lines.length) return cutMiddle(text, LONGEST);
  const marked = lines.map((line, at) => (own[at]?.trim() === '' ? `\0${line}` : line)).join('\n');
  const short = marked
    .replace(/(?:^\0.*\n?){4,}/gm, '[… pasted lines …]\n')
    .replaceAll('\0', '')
    .trim();
  return cutMiddle(short, LONGEST);
}

/** How many of the messages that look most like rules come before the last ones. */
const RULES_FIRST = 3;
/** Tokens of a message that halve what its rule counts for: a budget holds more of short ones. */
const LONG_TOKENS = 100;

/**
 * The messages that matter most, oldest first, within a budget, and how many others there are: the last, the three that look
 * most like rules, the first that rules something, the last three, and of the others those that ask for something, and
 * for what the prompt is about.
 * @param already texts that the model holds; a message that stands in one of them is left out
 * @param prompt what the person says now
 */
export function chooseMessages(
  all: readonly Said[],
  budgetTokens: number,
  already: readonly string[] = [],
  prompt = '',
): { messages: Said[]; left: number } {
  const held = already.map(plain);
  const about = new Set(tellingWords(prompt));
  const isAbout = ({ text }: Said): boolean =>
    about.size === 0 || tellingWords(text).some((word) => about.has(word));
  const candidates = worthTelling(all).filter((said) => !held.some((text) => isHeld(text, said)));
  const last = candidates.slice(-3).reverse();
  const worth = (said: Said): number => said.rule / (1 + costOf(said) / LONG_TOKENS);
  const rules = candidates.filter((said) => said.rules).sort((a, b) => worth(b) - worth(a));
  const others = candidates.filter((said) => !asks(said) && isAbout(said));
  const order = [
    ...last.slice(0, 1),
    ...rules.slice(0, RULES_FIRST),
    ...candidates.filter((said) => said.rules).slice(0, 1),
    ...last,
    ...others.sort((a, b) => b.rule - a.rule),
  ];
  const chosen = new Set<Said>();
  let left = budgetTokens;
  for (const said of order) {
    const cost = costOf(said);
    if (chosen.has(said) || cost > left) continue;
    chosen.add(said);
    left -= cost;
  }
  const isTold = (said: Said): boolean => chosen.has(said) || held.some((text) => isHeld(text, said));
  return {
    messages: candidates.filter((said) => chosen.has(said)),
    left: all.filter((said) => !isTold(said)).length,
  };
}

const asks = ({ text, to, rules }: Said): boolean =>
  to === undefined && !rules && QUESTIONS.has(wordsOf(text)[0] ?? '') && /[?？]\s*$/.test(text);

/** The words of a text between blanks, to look for whole words in it. */
const plain = (text: string): string => ` ${wordsOf(text).join(' ')} `;

const ORDER_WORDS = 4;

/** Without approvals, pictures alone, orders that were carried out, and what the person says again, in more words or not. */
function worthTelling(all: readonly Said[]): Said[] {
  const said = all.filter(({ agrees }) => !agrees);
  const texts = said.map(({ text }) => plain(text.replace(/\[Image[^\]\n]{0,20}\]/gi, ' ')));
  return said.filter(({ to, rules }, at) => {
    const text = texts[at] ?? '';
    if (to !== undefined) return true;
    if (text.trim() === '' || texts.some((other, i) => i > at && other.includes(text))) return false;
    const words = text.trim().split(' ');
    // "commit this"
    const isOrder = !rules && words.length <= ORDER_WORDS && words.some((word) => ACTS.has(word));
    return !isOrder || at === said.length - 1;
  });
}

const costOf = (said: Said): number => estimateTokens(lineOf(said)) + 1;

/** Whether all sentences of a message stand in a text, but for what is cut out of it. */
const isHeld = (text: string, said: Said): boolean =>
  sentencesIn(said.text).every((sentence) => sentence.startsWith('[…') || text.includes(plain(sentence)));

/** A message as one line: what it answers, and the words as they were typed; a plan by its title. */
export function lineOf({ text, to, isPlan }: Said): string {
  if (isPlan === true) return `[a plan to implement: ${text}]`;
  return to === undefined ? `“${text}”` : `(${to}) “${text}”`;
}

export const sentencesIn = (text: string): string[] =>
  text
    .split(/(?<=[.!?;。！？；])(?=\s|[^\s\p{ASCII}])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

/** From this weight on a sentence probably rules something. */
const IS_RULE = 2;
/** A sentence of more words says less with each of them. */
const PLAIN_WORDS = 9;
const MOST_WORDS = 6;
/** People state in passing what they want at the end of what they say. */
const LAST = 1.6;

/**
 * How much the sentence of a text that looks most like a rule does, by its words.
 * @param beside whether the text stands beside more that was pasted
 */
function ruleIn(text: string, beside: boolean): number {
  const sentences = sentencesIn(text);
  const weights = sentences.map((sentence, at) =>
    weightOf(sentence, at === sentences.length - 1 && (at > 0 || beside)),
  );
  return Math.max(0, ...weights);
}

/** @param ends whether it ends what the person says */
export function weightOf(sentence: string, ends = false): number {
  if (/[?？]["”')]*$/.test(sentence)) return 0;
  const words = wordsOf(sentence);
  const ruling =
    new Set(words.filter((word) => RULES.has(word))).size +
    RULES_INSIDE.filter((part) => sentence.includes(part)).length;
  const weight = 1.5 * Math.min(MOST_WORDS, ruling) + (ends && words.length >= 3 ? LAST : 0);
  return weight * Math.min(1, Math.sqrt(PLAIN_WORDS / words.length));
}

/*
 * The words by which messages are told apart, in the languages that the docs name. Words only: what a sentence means is
 * left to the model that reads it.
 */

/** A short prompt with one of these acts on work that is open. */
export const ACTS = wordSet(`
  finish finished complete keep resume push pushed commit committed still again remaining rest merge rebase deploy release ship test tests
  lint build ci pr review fix fixes fixed done changes retry rerun undo revert amend squash status todo todos left
  noch nochmal wieder rest fertig änderungen todavía reste encore ancora ainda
`);

/** Words of rules that hold from now on, and of the manner of answers, texts and work that people want. */
const RULES = wordSet(`
  never always only must mustn't don't dont not no none nothing nobody anything anyone anywhere without unless until
  except avoid prefer preferably rather instead over whenever ever every each per any may allowed forbidden cannot
  off-limits hands hands-off scope outside inside within beyond belong belongs owns owned job mine myself read-only frozen
  freeze locked limit limited restrict restricted refrain skip ignore exclude permitted unasked manually whatever throughout
  wait ask hold confirm approve approval permission consent go-ahead ok okay sign-off before after first leave keep stay
  stick untouched unchanged alone exactly from onward onwards default rule rules convention conventions policy strictly
  reply replies answer answers write say mention quote name names word words phrase tone voice formal informal polite plain
  simple short brief concise terse summary bullet bullets points list lists table tables heading headings emoji emojis
  markdown prose paragraph paragraphs sentence sentences line lines columns format unit units metric imperial celsius
  currency date dates english british american german french spanish italian japanese chinese language spelling style
  readability spaces tabs naming comments call called term terms codename capitals uppercase lowercase hyphens dashes jargon
  abbreviations describe described vague disclose reveal blame apologise apologize promise stop pause between step review
  backup separately once later better best worse love hate dislike enjoy like fine boring explicit standard dependencies
  colour colours colors dark light inline under most least maximum minimum end beginning json yaml csv numbered example
  utc hour clock timezone iso decimals percent use make please touch change install production staging
  nicht kein keine keinen nie niemals immer nur ohne muss müssen darf dürfen soll sollen statt außer bis bevor vorher
  jede jeder jedes lieber genau lass lassen bleib bleibt frag frage warte erst ab regel grundsätzlich
  antworte schreib deutsch englisch stichpunkte kurz knapp sätze tabelle einheiten
  nunca siempre solo sólo sin debe deben excepto salvo hasta antes cada prefiero exactamente deja espera pregunta regla
  responde español inglés viñetas breve frases tabla
  jamais toujours seulement sans doit doivent sauf avant chaque préfère exactement laisse attends demande règle uniquement
  réponds français anglais puces court tableau
  mai sempre senza deve devono prima ogni preferisco soltanto lascia aspetta chiedi sem deve antes cada prefiro apenas
  rispondi italiano inglese elenco responda português
  никогда всегда только нельзя без пока сначала каждый
`);
const RULES_INSIDE = wordList(
  'ないで てください こと だけ 必ず 禁止 絶対 不要 常に 前に 必须 只 别 不得 总是 请 請 先 마세요 하지 반드시 항상 答え 日本語 英語 箇条書き 簡潔 回答 中文 英文 列表 简短 대답 한국어',
);

/** A message of nothing but these agrees, or goes on. */
export const AGREES = wordSet(`
  yes yeah yep yup y ok okay k sure fine good great perfect nice cool awesome excellent thanks thank you thx please do it
  go ahead on continue proceed looks sounds lgtm right correct exactly agreed approved confirmed works that this is the
  and now then well done all let's lets keep going next one i we so very much for me to
  ja jo klar gut super danke bitte mach weiter genau passt so prima toll
  sí si vale bien gracias claro sigue adelante perfecto oui d'accord merci parfait vas-y continue
  va bene grazie certo sim obrigado はい お願いします ありがとう 好的 是的 네 да хорошо спасибо
`);

/** Begins a question that asks to be told something. */
export const QUESTIONS = wordSet(`
  why what how where which who when warum was wie wo por qué cómo pourquoi comment où perché come
`);

/** The words of a text that tell its subject, without their endings. */
export const tellingWords = (text: string): string[] =>
  termsOf(text.replace(/[/._-]+/g, ' ')).filter((term) => term.length > 3 && worthOf(term) >= 0.75);

export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .match(/[\p{L}\p{N}][\p{L}\p{N}'_-]*/gu) ?? [];
