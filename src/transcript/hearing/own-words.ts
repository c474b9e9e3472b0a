import { looksDiff, looksPasted, looksPastedAlone, speaks, startsDiff } from './paste.ts';

/** Characters of one message that are read: the beginning and the end, where people put their own words. */
export const READ_HEAD = 12_000;
export const READ_TAIL = 4_000;

/** What is left of a message when everything that is not the person speaking is gone. */
export interface Masked {
  /** The prose, lines kept; what was taken out leaves a space or an empty line. */
  prose: string;
  /** Characters that were not read as prose. */
  masked: number;
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['nbsp', ' '],
]);
const FENCE = /^\s{0,3}(?:```|~~~)/;
const INLINE_CODE = /`[^`\n]{1,400}`/g;
const URL = /\b(?:https?|ftp|file|ssh|git|wss?):\/\/[^\s<>"')\]]+|\bwww\.[^\s<>"')\]]+|\bgit@[^\s]+/gi;
const EMAIL = /\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g;
const PATH =
  /(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@+-]{1,80}[\\/]){0,16}[\w.@+-]{1,80}|\b[\w@+-]{1,80}(?:\/[\w.@+-]{1,80}){1,16}\.\w{1,8}(?::\d+){0,2}|\b[\w-]{1,80}\.(?:tsx?|jsx?|mjs|cjs|py|rs|go|java|kt|rb|php|cs|cpp|cc|hpp?|c|sh|ya?ml|json|toml|md|txt|log|sql|css|html?|xml|lock|env|cfg|ini|conf)\b(?::\d+){0,2}/g;
/** Words of others: what a program or a person is said to have said. */
const QUOTED =
  /(\b(?:says?|said|saying|prints?|printed|shows?|showing|reads?|returns?|returned|errors?|message|output|logs?|throws?|got|gets|getting|with|wrote|replied|titled|called|named):? {0,2})["“][^"“”\n]{3,600}["”]/gi;
const TAG = /<\/?[a-zA-Z][\w:-]{0,40}(?:\s[^<>\n]{0,300})?>/g;
const HTML_COMMENT = /<!--[\s\S]{0,4000}?-->/g;
const LONG_TOKEN = /\S{60,}/g;

/**
 * Leaves a person's own prose: their own words without what is named or quoted in them. Reads at most
 * {@link READ_HEAD} characters from the beginning and {@link READ_TAIL} from the end.
 */
export function mask(text: string): Masked {
  const prose = inline(ownWords(text)).trim();
  return { prose, masked: Math.max(0, text.length - prose.length) };
}

/**
 * What a person typed, lines kept: pasted output, code, diffs and quoted lines leave an empty line. Reads as much as
 * {@link mask} does.
 */
export function ownWords(text: string): string {
  const source =
    text.length > READ_HEAD + READ_TAIL ? `${text.slice(0, READ_HEAD)}\n${text.slice(-READ_TAIL)}` : text;
  return lines(decode(source.replace(/\r\n?/g, '\n')));
}

const LIST_MARK = /^\s*(?:[-*•]|\d+[.)])\s+/;

/** The sentences of what a person typed, without marks of lists and lines that are headings or rows of a table. */
export function ownSentences(text: string): string[] {
  return ownWords(text)
    .split('\n')
    .filter((line) => !/^\s*[#|]/.test(line))
    .flatMap((line) => line.replace(LIST_MARK, '').split(/(?<=[.!?…])\s+(?=\S)/))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');
}

/** Chats pass through web forms that encode once too often. */
function decode(text: string): string {
  return text.replace(
    /&(?:amp;)?(amp|lt|gt|quot|#39|nbsp);/g,
    (_, name: string) => ENTITIES.get(name) ?? ' ',
  );
}

function lines(source: string): string {
  if (!source.includes('\n')) return looksPastedAlone(source) ? '' : unquote(source);
  const all = source.split('\n');
  const gone = markPasted(all);
  return all.map((line, i) => (gone[i] ? '' : unquote(line))).join('\n');
}

function unquote(line: string): string {
  return /^\s{0,3}>/.test(line) && !/^\s{0,3}>[.:_\-o(<]/.test(line) ? '' : line;
}

function markPasted(all: readonly string[]): boolean[] {
  const gone: boolean[] = new Array<boolean>(all.length).fill(false);
  let fenced = false;
  let diff = false;
  for (let i = 0; i < all.length; i++) {
    const line = all[i] ?? '';
    if (FENCE.test(line)) {
      fenced = !fenced;
      gone[i] = true;
    } else if (fenced) gone[i] = true;
    else if (startsDiff(line)) {
      diff = true;
      gone[i] = true;
    } else if (diff && looksDiff(line)) gone[i] = true;
    else {
      diff = diff && line.trim() === '';
      gone[i] = looksPasted(line);
    }
  }
  joinRuns(all, gone);
  return gone;
}

/** Lines caught between pasted ones go with them, unless somebody speaks in them. */
function joinRuns(all: readonly string[], gone: boolean[]): void {
  let last = -1;
  for (let i = 0; i < all.length; i++) {
    if (gone[i] !== true) continue;
    if (last >= 0 && i - last <= 4) {
      for (let k = last + 1; k < i; k++) if (!speaks(all[k] ?? '')) gone[k] = true;
    }
    last = i;
  }
  // What is indented below a pasted line belongs to it.
  for (let i = 1; i < all.length; i++) {
    if (gone[i - 1] === true && gone[i] !== true && /^(?: {2,}|\t)\S/.test(all[i] ?? '')) gone[i] = true;
  }
}

function inline(text: string): string {
  return text
    .replace(HTML_COMMENT, ' ')
    .replace(TAG, ' ')
    .replace(INLINE_CODE, ' ')
    .replace(QUOTED, '$1 ')
    .replace(URL, ' ')
    .replace(EMAIL, ' ')
    .replace(PATH, ' ')
    .replace(LONG_TOKEN, ' ');
}
