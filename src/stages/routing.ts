import WORDS from '../../models/words/personal.json' with { type: 'json' };
import { findSecrets } from '../base/safety/index.ts';
import { compilePattern } from '../base/text/strings.ts';
import type { Message } from '../transcript/types.ts';
import { type BuiltInStage, PRIORITY } from './stage.ts';

interface Level {
  level: 'LOW' | 'MEDIUM' | 'HIGH';
  why: string;
}

/** Routing Hint: how sensitive and how hard the current work looks. scratchpad itself does not act on it. */
export const routingStage: BuiltInStage = {
  priority: PRIORITY.routing,
  run({ messages, config: { routing } }) {
    if (!messages.some((message) => message.role === 'user')) return null;

    const sensitivity = rateSensitivity(messages);
    const complexity = rateComplexity(messages);
    const byComplexity = { LOW: routing.low, MEDIUM: routing.medium, HIGH: routing.high };
    const model = sensitivity.level === 'LOW' ? byComplexity[complexity.level] : routing.private;

    return {
      lines: [
        {
          text: `- Content sensitivity: ${sensitivity.level} | Task complexity: ${complexity.level} | Suggested model: ${model}`,
          why: `sensitivity: ${sensitivity.why}; complexity: ${complexity.why}`,
        },
      ],
    };
  },
};

/** The part of each message that is checked; tool output is part of the model's context too. */
const LONGEST_READ = 2000;
const READ_IN_ALL = 24_000;

/** HIGH: a credential, or a name with a diagnosis, is in the window. MEDIUM: other personal data. */
export function rateSensitivity(messages: readonly Message[]): Level {
  let text = '';
  let own = '';

  for (const { role, content } of messages.toReversed()) {
    if (text.length >= READ_IN_ALL) break;
    text += `${content.slice(0, LONGEST_READ)}\n`;
    if (role === 'user') own += `${content.slice(0, LONGEST_READ)}\n`;
  }

  const found = findSecrets(text);
  const personal = findPersonalData(text, own);
  const grave = [...found.filter((each) => !each.personal), ...personal.filter(({ isHealth }) => isHealth)];
  const all = [...found, ...personal];

  if (all.length === 0) return { level: 'LOW', why: 'no secrets or personal data in the window' };

  const why = [...new Set((grave.length > 0 ? grave : all).map(({ kind }) => kind))].join(', ');

  return { level: grave.length > 0 ? 'HIGH' : 'MEDIUM', why };
}

const REQUESTS = 3;
const LONGEST_JUDGED = 4000;
const LONG_REQUEST = 800;
const HARD =
  /\b(?:architect|redesign|refactor|migrat|trade-?off|from scratch|rewrite|race condition|deadlock|concurren|optimi[sz])\w*/i;
const MIDDLING =
  /\b(?:debug|fix|fail|error|broken|crash|investigat|implement|deploy|test|rollback|outage|why|build)\w*/i;
const REPLIES = 3;
/** In the agent's own words: work that does not go by itself. */
const FAILING =
  /(?<!\b(?:no|0|zero|without|any) )\b(?:fail(?:s|ed|ing|ures?)?|errors?|crash\w*|OOM\w*|broken|timed? ?out|exit code [1-9]\d*)\b/i;

/** Judged by the words of the last requests, the length of the last one, and whether the agent speaks of failures. */
function rateComplexity(messages: readonly Message[]): Level {
  const listTexts = (wanted: Message['role'], most: number): string[] =>
    messages
      .filter(({ role, content }) => role === wanted && content.trim() !== '')
      .slice(-most)
      .map(({ content }) => content.slice(0, LONGEST_JUDGED).replace(/```[\s\S]*?(?:```|$)/g, ' '));

  const requests = listTexts('user', REQUESTS);
  const words = requests.join('\n');
  const hard = HARD.exec(words)?.[0];
  const middling = (MIDDLING.exec(words) ?? FAILING.exec(listTexts('assistant', REPLIES).join('\n')))?.[0];
  const isLong = (requests.at(-1) ?? '').length >= LONG_REQUEST;

  if (hard !== undefined) return { level: 'HIGH', why: `"${hard}"` };
  if (isLong) return { level: middling === undefined ? 'MEDIUM' : 'HIGH', why: 'a long request' };
  if (middling !== undefined) return { level: 'MEDIUM', why: `"${middling}"` };

  return { level: 'LOW', why: 'nothing that points to hard work' };
}

const DATE = String.raw`(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|\d{1,2}\.? \p{L}{3,9}\.? \d{4}|\p{L}{3,9} \d{1,2},? \d{4})`;
const NAME = String.raw`(?:\b(?:Mr|Mrs|Ms|Miss|Herr|Frau|Mme|Sra?|Sig)\.? \p{Lu}|\b[Pp]atient(?:in)?:? \p{Lu}|\b\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+\b|\b\p{Lu}\p{Ll}+ (?:was|is|has|had|hat|ist|wurde|tiene|est|ha)\b)`;
const matchAny = (words: string): string => words.split(' ').join('|').replaceAll('.', '\\.');

const BEGINNINGS = matchAny(WORDS.streetBeginnings).replace(
  /(^|\|)(\p{L})/gu,
  (_, bar: string, letter: string) => `${bar}[${letter}${letter.toUpperCase()}]`,
);

/** Every gap is bounded, so that each takes linear time. */
const KINDS: readonly (readonly [kind: string, patterns: readonly RegExp[]])[] = [
  [
    'a street address',
    [
      String.raw`\b\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}.'-]{0,30} ){1,3}(?:${matchAny(WORDS.streets)})\b`,
      String.raw`\b\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}.'-]{0,30} ){1,3}(?:${matchAny(WORDS.perhapsStreets)})\.?(?:, \p{Lu}|,? (?:[A-Z]{2},? )?\d{4,5}\b)`,
      String.raw`(?<!\p{L})\p{Lu}[\p{L}-]{0,30}[ -]?(?:${matchAny(WORDS.streetEndings)}) \d{1,4}(?! ?%)`,
      String.raw`\b\d{1,4},? (?:${BEGINNINGS}) (?:\p{L}{1,4}'? ){0,2}\p{Lu}`,
      String.raw`(?<!\p{L})(?:${BEGINNINGS}) (?:\p{L}{1,4}'? ){0,2}\p{Lu}[\p{L}' ]{1,30},? (?:n\.?º? ?)?\d{1,4}\b`,
    ].map((source) => new RegExp(source, 'u')),
  ],
  [
    'a telephone number',
    [
      String.raw`(?<![\w+])\+(?=(?:[^\d\n]{0,2}\d){10})\d{1,3}[ ./-]?\(?\d{1,4}\)?(?:[ ./-]?\d{2,4}){2,4}(?!\w)`,
      String.raw`(?<![\w-])(?:\(\d{3}\) ?|\d{3}[ -])\d{3}-\d{4}(?![\w-])`,
      String.raw`(?<!\p{L})(?:${matchAny(WORDS.telephone)})(?: (?:${matchAny(WORDS.telephoneJoins)})){0,3}[:.]? ?\(?(?=(?:[^\d\n]{0,2}\d){7})\d{2,5}\)?(?:[ /-]?\d{2,5}){1,4}(?!\w)`,
    ].map((source) => new RegExp(source, 'iu')),
  ],
  [
    'a date of birth',
    [
      String.raw`(?<!\p{L})(?:${WORDS.birth})(?!\p{L})[^\d\n]{0,16}${DATE}`,
      String.raw`${DATE}[^\d\n]{0,4}\((?:${WORDS.birth})\)`,
    ].map((source) => new RegExp(source, 'iu')),
  ],
  [
    'an identity number',
    [/(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])/, /\b[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]\b/],
  ],
];
const IDENTITY = new RegExp(`(?<!\\p{L})(?:${WORDS.identity})(?!\\p{L})`, 'iu');
const NUMBER =
  /(?<![\w.-])(?!\d{4}-\d\d-\d\d)(?=(?:[A-Z -]{0,4}\d){5})[A-Z0-9]{1,14}(?:[ -][A-Z0-9]{1,12}){0,5}(?![\w.])/;
const NUMBER_WITHIN = 40;
const MAIL =
  /[\w.+-]{1,60}@(?!(?:[\w-]+\.)*(?:example|localhost|noreply)\b|users\.)[\w-]{1,60}\.[\w.-]{2,40}/;
const MACHINE_MAIL = /^(?:git|no-?reply|root|admin|info|support)@/i;
const CONDITION = new RegExp(`(?<!\\p{L})(?:${WORDS.conditions})(?!\\p{L})`, 'iu');
const PERSON = new RegExp(NAME, 'u');

/** How sensitive a kind is: a diagnosis is a person's most private datum. */
interface PersonalData {
  kind: string;
  isHealth?: true;
}

/** An e-mail address counts in the person's own words alone: elsewhere it is mostly an author's. */
function findPersonalData(text: string, own: string): PersonalData[] {
  const found: PersonalData[] = KINDS.filter(([, patterns]) =>
    patterns.some((pattern) => compilePattern(pattern).test(text)),
  ).map(([kind]) => ({ kind }));
  const label = compilePattern(IDENTITY).exec(text);
  const after = label && text.slice(label.index, label.index + label[0].length + NUMBER_WITHIN);

  if (after && NUMBER.test(after)) found.push({ kind: 'an identity number' });
  const mail = MAIL.exec(own)?.[0];
  if (mail !== undefined && !MACHINE_MAIL.test(mail)) found.push({ kind: 'an e-mail address' });
  const isHealth = text
    .split('\n')
    .some((line) => compilePattern(CONDITION).test(line) && compilePattern(PERSON).test(line));
  if (isHealth) found.push({ kind: 'a name with a diagnosis', isHealth });

  return found;
}
