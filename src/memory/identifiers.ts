/**
 * Names that refer to one specific thing: `NewSilentError`, `get_user`, `src/auth/login.ts`, `--local-dev`,
 * `ECONNREFUSED`, `ENT-216`, and text between backticks.
 */
const IDENTIFIER = new RegExp(
  [
    // src/auth/login.ts, ~/.kube/lab, login.ts; not and/or.
    String.raw`(?<![\w/])(?:~|\.{1,2})?/?(?:[\w@.+-]{1,80}/){1,12}[\w@+-]{1,80}\.\w{1,8}\b`,
    String.raw`(?<![\w/])(?:~|\.{1,2})/(?:[\w@.+-]{1,80}/){0,12}[\w@.+-]{1,80}`,
    String.raw`\b[\w-]{2,80}\.[a-z][a-z0-9]{0,5}\b`,
    // NewSilentError, getUser
    String.raw`\b[A-Za-z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)+\b`,
    String.raw`\b[A-Za-z]\w*_\w+\b`,
    String.raw`(?<![\w-])--[a-z][\w-]{2,60}\b`,
    String.raw`\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b`,
    String.raw`\b[A-Z]{2}[A-Z0-9]{4,40}\b`,
    String.raw`\b[A-Z]{1,4}\d{3,6}\b`,
  ].join('|'),
  'g',
);
/** Names as people write them in Markdown. */
const TICKED = /`([^`\n]{3,80})`/g;
/** Limit per message, because a log contains countless names. */
const MOST = 12;
const READ = 20_000;

/** The names in a text, as written, without repeats; a path by its last part. */
export function identifiersOf(text: string): string[] {
  const head = text.slice(0, READ);
  const found = new Set<string>();
  for (const [name] of head.matchAll(IDENTIFIER)) found.add(lastPart(name));
  for (const [, ticked = ''] of head.matchAll(TICKED)) if (!ticked.includes(' ')) found.add(lastPart(ticked));
  return [...found].filter((name) => name.length > 3 && name !== 'REDACTED').slice(0, MOST);
}

function lastPart(path: string): string {
  return path.replace(/^.*\/(?=[^/]+$)/, '').replace(/[().,;:]+$/, '');
}

/** Names an error (`NewSilentError`, `ECONNREFUSED`, `TS2345`, `ENT-216`): they are the subject of a pasted log. */
export function isErrorName(name: string): boolean {
  return /(?:Error|Exception|Failure|Fault|Warning)$|^E[A-Z]{4,}$|^[A-Z]{1,9}-?\d{3,6}$/.test(name);
}

/** Whether a text contains it as a whole word, ignoring case. */
export function isNamed(identifier: string, text: string): boolean {
  const [where, what] = [text.toLowerCase(), identifier.toLowerCase()];
  const isWord = (at: number): boolean => /[a-z0-9_]/.test(where.charAt(at));
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1))
    if (!isWord(at - 1) && !isWord(at + what.length)) return true;
  return false;
}

const REFERENCE =
  /\bhttps?:\/\/\S+|(?<!\w)[~.]{0,2}\/?(?:[\w@.+-]+\/)+[\w@.+-]*|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|\b[A-Za-z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)+\b|\b\w*[A-Za-z]_\w+\b/g;

/**
 * A text without addresses, paths, ticket numbers and names of code: they match as a whole or not at all, their
 * parts are not words.
 */
export function withoutReferences(text: string): string {
  return text.replace(REFERENCE, ' ');
}
