import { compiled } from '../text/compile-patterns.ts';

/** Of no use to a later reader: the result of a run, the next action. */
const STATUS =
  /^(?:all (?:the )?(?:\w+ ){0,3}(?:tests?|checks?|tasks?|items?|changes|pass(?:es|ed|ing)?)\b|(?:the )?(?:\w+ ){0,2}(?:tests?|lint(?:ing)?|build|everything|changes?|code|fix)(?: and \w+)* (?:now |all |both )*(?:pass(?:es|ed)?|succeed\w*|complete[ds]?|(?:is|are) (?:now |all )*(?:clean|green|done|passing|complete|good|fine|correct))\b|done\b|perfect\b|great\b|good\b|excellent\b|sure\b|ok(?:ay)?\b|yes\b|no[,.]|thanks\b|let me\b|now\b|i(?:'ll| will|'m going)\b|you'?re (?:right|welcome)\b|(?:the )?(?:pr|branch|commit|plan)\b.{0,40}\b(?:created|pushed|committed|ready|updated|complete)\b|(?:committed|pushed|created|updated|fixed|added|improved|removed|changed|renamed|refactored|implemented|moved|extracted|consolidated|corrected|documented|replaced|introduced|verified|modified|cleaned|simplified|adjusted)\b|summary\b|next steps?\b|want me\b|would you\b|should i\b|ready\b|working (?:tree|directory)\b)/i;
/** An entry of a list of code, which the agent can look up itself: `` `index.ts` - Added a flag ``, `` `TestAdd`: 3 cases ``. */
const CODE_ENTRY =
  /^(?:`?[\w./-]+\.[a-z]\w{0,4}(?::[\d-]+)?`?|(?:`\w*(?:[a-z][A-Z]\w*|\([^`]*\))`(?:\s*[/,]\s*)?)+)\s*[-–—:]+\s/u;
/** A label before the text, such as `Create: `. */
const LABEL = /^[\p{L} ]{2,30}:\s+/u;
/** Headings of a report of completed work. */
const REPORT =
  /^\W*(?:\d+\W+)?(?:(?:key |final |code |doc\w* |summary of |files? )*(?:changes?|fix(?:es)?|updates?)(?: made| complete\w*)?|the fix|what (?:changed|was done|i (?:did|changed))|(?:files? |tests? )(?:added|changed|modified|updated)|verification|test results?|next steps?)\W*(?:\(.*)?$/i;
/** Depends on preceding text. */
const LEANING =
  /^(?:verifies|checks|ensures|covers|this|that|these|those|it|its|it's|they|them|he|she|here|here's|there|then|also|so|but|and|or|both|same|otherwise|however|instead|see|note that this|which|where|because|e\.g\.|i\.e\.|etc)\b/i;

/** A text without Markdown marks for emphasis. */
function unmarked(text: string): string {
  return text
    .replace(/\*\*|__|~~/g, '')
    .replace(/^\[[ xX]\]\s+/, '')
    .trim();
}

/**
 * Whether a piece of memory makes sense on its own: a sentence or a complete list item, but not a label, code, a
 * fragment, a question, or the result of a run.
 */
export function standsAlone(text: string): boolean {
  // If all of it is bold it is a heading.
  if (/^(\*\*|__)[^*_]+\1$/.test(text)) return false;
  const plain = unmarked(text);
  if (/[:?：？…,]["')\]]*$|[{};]$/.test(plain) || /^[)\]}|;.,│├└─┌]/u.test(plain)) return false;
  const prose = plain.replace(/`[^`]+`/g, ' ');
  const words = prose.match(/[\p{L}][\p{L}\p{M}'’-]+/gu) ?? [];
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  // A row of numbers, a path, or names of code.
  if (words.length < 4 || letters < prose.length * 0.5) return false;
  const said = plain.replace(/^(?:[^\p{L}\p{N}`"'([]|\d+[.)]\s)+/u, '');
  if (CODE_ENTRY.test(said.replace(LABEL, '')) || compiled(LEANING).test(said) || /^[✅✓✔☑❌]/u.test(plain))
    return false;
  return !compiled(STATUS).test(said.replace(/`[^`]+`/g, 'code'));
}

/** Maximum length of one line for a model. */
const LONGEST_STATEMENT = 240;

/** What a passage says: all of it where that is short, else each of its sentences. */
export function statementsOf(text: string): string[] {
  const parts =
    text.length <= LONGEST_STATEMENT
      ? [text]
      : text.split(/(?<=[.!?。！？]["')\]*]*)\s+(?=[\p{Lu}\p{Lo}`"'(*[])/u);
  return parts.filter((part) => part.length <= LONGEST_STATEMENT);
}

/** Whether one of the headings above a line introduces a report of completed work. */
export function isReport(headings: readonly string[]): boolean {
  return headings.some((heading) => REPORT.test(heading));
}

/** Whether a line, from 1, is in a fenced code block or a table, or is a heading. */
export function inCode(lines: readonly string[], line: number): boolean {
  const source = lines[line - 1] ?? '';
  if (/^\s{0,3}#{1,6}\s|^\s*\||^ {0,3}<\w|^(?: {4}|\t)(?![-*+\d\s])/.test(source)) return true;
  let fences = 0;
  for (const each of lines.slice(0, line - 1)) if (/^\s{0,6}(?:```|~~~)/.test(each)) fences++;
  return fences % 2 === 1;
}
