import { compiled } from '../text/compile-patterns.ts';

/** Says nothing to somebody who reads it later: how a run ended, what is about to be done. */
const STATUS =
  /^(?:all (?:the )?(?:\w+ ){0,3}(?:tests?|checks?|tasks?|items?|changes|pass(?:es|ed|ing)?)\b|(?:the )?(?:\w+ ){0,2}(?:tests?|lint(?:ing)?|build|everything|changes?|code|fix)(?: and \w+)* (?:now |all |both )*(?:pass(?:es|ed)?|succeed\w*|complete[ds]?|(?:is|are) (?:now |all )*(?:clean|green|done|passing|complete|good|fine|correct))\b|done\b|perfect\b|great\b|good\b|excellent\b|sure\b|ok(?:ay)?\b|yes\b|no[,.]|thanks\b|let me\b|now\b|i(?:'ll| will|'m going)\b|you'?re (?:right|welcome)\b|(?:the )?(?:pr|branch|commit|plan)\b.{0,40}\b(?:created|pushed|committed|ready|updated|complete)\b|(?:committed|pushed|created|updated|fixed|added|improved|removed|changed|renamed|refactored|implemented|moved|extracted|consolidated|corrected|documented|replaced|introduced|verified|modified|cleaned|simplified|adjusted)\b|summary\b|next steps?\b|want me\b|would you\b|should i\b|ready\b|working (?:tree|directory)\b)/i;
/** An entry of a list of code, which the agent can look up: `` `index.ts` - Added a flag ``, `` `TestAdd`: 3 cases ``. */
const CODE_ENTRY =
  /^(?:`?[\w./-]+\.[a-z]\w{0,4}(?::[\d-]+)?`?|(?:`\w*(?:[a-z][A-Z]\w*|\([^`]*\))`(?:\s*[/,]\s*)?)+)\s*[-–—:]+\s/u;
/** What is before a first colon: `Create: `, `Unit test: `. */
const LABEL = /^[\p{L} ]{2,30}:\s+/u;
/** Titles over what was done, not over what is so. */
const REPORT =
  /^\W*(?:\d+\W+)?(?:(?:key |final |code |doc\w* |summary of |files? )*(?:changes?|fix(?:es)?|updates?)(?: made| complete\w*)?|the fix|what (?:changed|was done|i (?:did|changed))|(?:files? |tests? )(?:added|changed|modified|updated)|verification|test results?|next steps?)\W*(?:\(.*)?$/i;
/** Leans on what stood before it. */
const LEANING =
  /^(?:verifies|checks|ensures|covers|this|that|these|those|it|its|it's|they|them|he|she|here|here's|there|then|also|so|but|and|or|both|same|otherwise|however|instead|see|note that this|which|where|because|e\.g\.|i\.e\.|etc)\b/i;

/** A text without the marks of Markdown that only change how it looks. */
function unmarked(text: string): string {
  return text
    .replace(/\*\*|__|~~/g, '')
    .replace(/^\[[ xX]\]\s+/, '')
    .trim();
}

/**
 * Whether a piece of memory says something by itself: a sentence or a complete list item, and no label, code, fragment,
 * question, or word on how a run ended.
 */
export function standsAlone(text: string): boolean {
  // In bold from end to end it is a heading.
  if (/^(\*\*|__)[^*_]+\1$/.test(text)) return false;
  const plain = unmarked(text);
  if (/[:?：？…,]["')\]]*$|[{};]$/.test(plain) || /^[)\]}|;.,│├└─┌]/u.test(plain)) return false;
  const prose = plain.replace(/`[^`]+`/g, ' ');
  const words = prose.match(/[\p{L}][\p{L}\p{M}'’-]+/gu) ?? [];
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  // A row of numbers, a path, names of code.
  if (words.length < 4 || letters < prose.length * 0.5) return false;
  const said = plain.replace(/^(?:[^\p{L}\p{N}`"'([]|\d+[.)]\s)+/u, '');
  if (CODE_ENTRY.test(said.replace(LABEL, '')) || compiled(LEANING).test(said) || /^[✅✓✔☑❌]/u.test(plain))
    return false;
  return !compiled(STATUS).test(said.replace(/`[^`]+`/g, 'code'));
}

/** The most characters of one line before a model. */
const LONGEST_STATEMENT = 240;

/** What a passage says: all of it where that is short, else each of its sentences. */
export function sentencesOf(text: string): string[] {
  const parts =
    text.length <= LONGEST_STATEMENT
      ? [text]
      : text.split(/(?<=[.!?。！？]["')\]*]*)\s+(?=[\p{Lu}\p{Lo}`"'(*[])/u);
  return parts.filter((part) => part.length <= LONGEST_STATEMENT);
}

/** Whether one of the titles above a line says that what follows is a report of work. */
export function isReport(headings: readonly string[]): boolean {
  return headings.some((heading) => REPORT.test(heading));
}

/** Whether a line, from 1, stands in a fenced block of code, a table, or under a heading's marks. */
export function inCode(lines: readonly string[], line: number): boolean {
  const source = lines[line - 1] ?? '';
  if (/^\s{0,3}#{1,6}\s|^\s*\||^ {0,3}<\w|^(?: {4}|\t)(?![-*+\d\s])/.test(source)) return true;
  let fences = 0;
  for (const each of lines.slice(0, line - 1)) if (/^\s{0,6}(?:```|~~~)/.test(each)) fences++;
  return fences % 2 === 1;
}
