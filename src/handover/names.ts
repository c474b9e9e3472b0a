/* Names in a prompt: files, numbers, identifiers, and words that most talk does not have. */

import { extractTerms, stem } from '../memory/terms.ts';
import { escapePattern, extractTickets, isDistinctive } from './words.ts';

/** A name as code has it: `totalOf`, `credit_note`. */
const IDENTIFIER = /\b[a-z]+\d*[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b[a-z]\w*_\w+/g;
/** No wide scripts, which are written without blanks before a name. */
const LETTERS = '\\w\\u00c0-\\u052f';
const FILE = /(?<![\w@~./\\-])[\w@~./\\-]*\w{2}\.[a-z][a-z0-9]{0,4}\b(?!\.\w)/gi;
const NUMBER = /(?:#|\b(?:pr|mr|pull|issue|ticket|task|story|milestone|phase)s?[-/ #]{1,3})(\d{1,7})\b/gi;

export const extractNumbers = (text: string): string[] => [
  ...[...text.matchAll(NUMBER)].flatMap(([, number]) => number ?? []),
  ...extractTickets(text),
];

export const getFileName = (path: string): string => path.slice(path.search(/[^/\\]*$/)).toLowerCase();

/**
 * Says whether a text has a name whole: `a.ts` is not in `data.ts`. A common word is the name of a file only after its
 * folder or in backticks: "run" does not name `bin/run`.
 */
export function hasName(text: string, name: string): boolean {
  const isPlain = !/[^a-z]/.test(name) && !isDistinctive(stem(name));
  // A line break in the input of a call is written `\n`.
  const start = isPlain ? '[/\\\\`]' : `^|\\\\[nrt]|[^${LETTERS}.-]|(?<![${LETTERS}])\\.`;
  const end = name.includes('.') ? `[${LETTERS}]|\\.\\w` : `[${LETTERS}]|[.-]\\w`;
  return new RegExp(`(?<=${start})${escapePattern(name)}(?!${end})`).test(text);
}

export const extractFiles = (text: string): string[] => (text.match(FILE) ?? []).map(getFileName);

export const extractIdentifiers = (text: string): string[] =>
  (text.replace(FILE, ' ').match(IDENTIFIER) ?? []).map((name) => name.toLowerCase());

export const extractPromptTerms = (text: string): string[] => extractTerms(text.replace(/[/._-]+/g, ' '));
