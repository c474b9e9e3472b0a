/** One list item, paragraph, table row or piece of code: what a search returns. */
export interface Passage {
  /** 1-based line where this piece of text starts. */
  line: number;
  /** First and last line of its block, 1-based, both included. */
  startLine: number;
  endLine: number;
  /** The words, with whitespace folded, without list, quote and heading marks. */
  text: string;
  /** Titles above it, outermost first, then the list items it is nested in. */
  headings: readonly string[];
  /** A title with text under it: context for that text, not a result. A title without text is a result. */
  title: boolean;
}

/** Target length of a passage in characters; a longer block is cut at the ends of sentences. */
export const PASSAGE_LENGTH = 400;
/** How much of a block is read, in UTF-16 units: a longer one is data, not prose. */
const LONGEST_BLOCK = 32_768;
/** Maximum number of lines in a block, so that a file without blank lines still has small passages. */
const BLOCK_LINES = 60;
/** How much of a title the passages under it carry, in UTF-16 units. */
const LONGEST_TITLE = 300;

interface Parent {
  indent: number;
  text: string;
}

interface State {
  out: Passage[];
  open: { passage: Passage; level: number } | undefined;
  titles: string[];
  /** What describes the whole file: the description in its front matter. */
  lead: string;
  parents: Parent[];
  /** The cells above a table's rule, for each row below it. */
  header: string;
  block: string[];
  blockLine: number;
  /** Indentation of the list item being read; -1 outside a list. */
  indent: number;
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(?:={3,}|-{3,})[ \t]*$/;
const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const TABLE_RULE = /^(?=.*-)[\s|:+-]*$/;

/** With what is said of it in brackets at its end: `~~Cancel the room~~ (due 30.11.)`. */
export const STRUCK = /(?:~~(?=\S)[^~]*~~|<(del|s|strike)>.*?<\/\1>)(?:\s*\([^()]*\)\s*$)?/g;

export function parsePassages(lines: readonly string[]): Passage[] {
  const state: State = {
    out: [],
    open: undefined,
    titles: [],
    lead: '',
    parents: [],
    header: '',
    block: [],
    blockLine: 0,
    indent: -1,
  };

  let fence = '';
  let comment = false;
  const end = findFrontMatterEnd(lines);
  const description = parseDescription(lines.slice(0, end + 1));
  const body = end > 0 ? end + 1 : 0;

  for (let i = description === '' ? body : addFact(state, lines, end, description); i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (comment) {
      comment = !line.includes('-->');
    } else if (fence !== '') {
      if (FENCE.exec(line)?.[1]?.startsWith(fence) === true) {
        fence = '';
        flush(state);
      } else addCode(state, line, i);
    } else if (FENCE.test(line)) {
      flush(state);
      fence = FENCE.exec(line)?.[1] ?? '```';
    } else if (line.trimStart().startsWith('<!--') && !/-->\s*\S/.test(line)) {
      flush(state);
      comment = !line.includes('-->');
    } else addText(state, lines, i);
  }

  flush(state);

  return state.out;
}

/**
 * A note that describes itself in its front matter, such as one fact a file: the description and the first paragraph
 * are one passage, and other front matter is left out. Returns the line after it.
 *
 * @param end the line that ends the front matter
 */
function addFact(state: State, lines: readonly string[], end: number, description: string): number {
  let from = end + 1;
  while (from < lines.length && lines[from]?.trim() === '') from++;
  let to = from;
  const isParagraph = (line: string | undefined): boolean =>
    line !== undefined && line.trim() !== '' && !/^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|[|`~<])/.test(line);

  while (isParagraph(lines[to]) && to - from < BLOCK_LINES) to++;
  const lead = /[.!?:]$/.test(description) ? description : `${description}.`;
  const pieces = cut([lead, ...lines.slice(from, to).map(stripMarkup)]);
  for (const piece of pieces) piece.line = to === from ? 0 : from - 1 + Math.max(1, piece.line);

  const next = to === from ? end + 1 : to;
  state.block = lines.slice(0, next);
  state.blockLine = 0;
  flush(state, pieces);
  state.lead = description.slice(0, LONGEST_TITLE);

  return next;
}

function addText(state: State, lines: readonly string[], i: number): void {
  const line = lines[i] ?? '';
  const heading = HEADING.exec(line);

  if (heading !== null) {
    flush(state);
    addTitle(state, (heading[1] ?? '#').length, stripMarkup(heading[2] ?? ''), i);
  } else if (line.trim() === '') {
    flush(state);
  } else if (RULE.test(line) || UNDERLINE.test(line)) {
    flush(state);
  } else if (ITEM.test(line)) {
    flush(state);
    openItem(state, line, i);
  } else if (line.trimStart().startsWith('|')) {
    flush(state);
    if (TABLE_RULE.test(line)) return;
    addRow(state, line, i, TABLE_RULE.test(lines[i + 1] ?? ''));
  } else if (state.block.length === 0 && line.length < LONGEST_TITLE && UNDERLINE.test(lines[i + 1] ?? '')) {
    addTitle(state, lines[i + 1]?.includes('=') ? 1 : 2, stripMarkup(line), i);
  } else {
    if (state.block.length >= BLOCK_LINES) flush(state);
    if (state.block.length === 0) {
      state.blockLine = i;
      if (!/^[ \t]{2,}/.test(line)) state.parents = [];
      state.header = '';
    }

    state.block.push(line);
  }
}

function addTitle(state: State, level: number, text: string, i: number): void {
  if (state.open !== undefined && state.open.level < level) state.open.passage.title = true;
  state.open = undefined;
  state.header = '';
  state.titles.length = Math.min(state.titles.length, level - 1);
  while (state.titles.length < level - 1) state.titles.push('');
  state.parents = [];
  const headings = state.titles.filter((title) => title !== '');
  // Every passage below carries it, so a title of a megabyte would be read a thousand times.
  state.titles.push(text.slice(0, LONGEST_TITLE));
  if (text === '') return;

  const passage = { line: i + 1, startLine: i + 1, endLine: i + 1, text, headings, title: false };

  state.out.push(passage);
  state.open = { passage, level };
}

function openItem(state: State, line: string, i: number): void {
  const indent = (ITEM.exec(line)?.[1] ?? '').replaceAll('\t', '    ').length;
  while (state.parents.length > 0 && (state.parents.at(-1)?.indent ?? 0) >= indent) state.parents.pop();
  state.indent = indent;
  state.header = '';
  state.block = [line];
  state.blockLine = i;
}

function addCode(state: State, line: string, i: number): void {
  const size = state.block.reduce((sum, each) => sum + each.length, 0);
  if (line.trim() === '' || size > PASSAGE_LENGTH || state.block.length >= BLOCK_LINES) flush(state);
  if (line.trim() === '') return;
  if (state.block.length === 0) state.blockLine = i;
  state.block.push(line);
}

function addRow(state: State, line: string, i: number, isHeader: boolean): void {
  state.block = [line];
  state.blockLine = i;
  flush(state);

  const passage = state.out.at(-1);
  if (!isHeader || passage?.startLine !== i + 1) return;
  passage.title = true;
  state.header = passage.text.slice(0, LONGEST_TITLE);
}

function flush(state: State, pieces = cut(state.block.map(stripMarkup))): void {
  if (state.block.length === 0) return;

  const headings = [state.lead, ...state.titles].filter((title) => title !== '');
  for (const parent of state.parents) headings.push(parent.text);
  if (state.header !== '') headings.push(state.header);
  if (state.open !== undefined) state.open.passage.title = true;
  state.open = undefined;
  const startLine = state.blockLine + 1;
  const endLine = state.blockLine + state.block.length;

  for (const { text, line } of pieces) {
    // The Unicode tables are compiled only for a text without an ASCII letter or digit.
    if (!/[a-zA-Z0-9]/.test(text) && !/[^\s\p{P}\p{S}]/u.test(text)) continue;
    state.out.push({ line: startLine + line, startLine, endLine, text, headings, title: false });
  }

  if (state.indent >= 0) {
    state.parents.push({ indent: state.indent, text: (pieces[0]?.text ?? '').slice(0, 120) });
  } else if (isLabel(pieces.at(-1)?.text ?? '')) {
    state.parents = [{ indent: -1, text: (pieces.at(-1)?.text ?? '').slice(0, 120) }];
  }

  state.block = [];
  state.indent = -1;
}

/** Whether a text only names what follows it: `Remote:`, `**Skills**`. */
export const isLabel = (text: string): boolean =>
  /[:：]\s*[*_]{0,3}$/.test(text) || /^([*_]{2,3})[^*_]+\1[:：]?$/.test(text.trim());

function stripMarkup(line: string): string {
  const bare = line.slice(0, LONGEST_BLOCK).replace(/^[ \t]*(?:>[ \t]?)*/, '');
  return bare.replace(ITEM, '').replace(STRUCK, ' ').trim().replace(/\s+/g, ' ');
}

function cut(parts: readonly string[]): { text: string; line: number }[] {
  const text = parts.join(' ').slice(0, LONGEST_BLOCK).trim();
  if (text.length <= PASSAGE_LENGTH * 1.5) return [{ text, line: 0 }];

  const pieces: { text: string; line: number }[] = [];
  let from = 0;

  while (from < text.length) {
    const to = text.length - from <= PASSAGE_LENGTH * 1.5 ? text.length : cutAfter(text, from);
    pieces.push({ text: text.slice(from, to).trim(), line: findLine(parts, from) });
    from = to;
  }

  return pieces;
}

/** The end of the sentence nearest to the target length, else of the word, else at the length. */
function cutAfter(text: string, from: number): number {
  const limit = from + Math.floor(PASSAGE_LENGTH * 1.25);
  const window = text.slice(from, limit);
  const least = Math.floor(PASSAGE_LENGTH / 2);
  let cut = -1;

  for (const match of window.matchAll(/[.!?。！？;](?=[\s"')\]]|$)/g)) {
    if (match.index >= least && match.index <= PASSAGE_LENGTH) cut = match.index + 1;
  }
  if (cut < 0) cut = window.lastIndexOf(' ');
  if (cut < least) cut = PASSAGE_LENGTH;
  // Never between the two halves of a surrogate pair.
  const code = text.charCodeAt(from + cut);

  return from + cut + (code >= 0xdc00 && code <= 0xdfff ? 1 : 0);
}

function findLine(parts: readonly string[], offset: number): number {
  let end = 0;
  for (let i = 0; i < parts.length; i++) {
    end += (parts[i] ?? '').length + 1;
    if (offset < end) return i;
  }

  return Math.max(0, parts.length - 1);
}

/** The line that ends a file's front matter; 0 if it has none. */
function findFrontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  return lines.slice(0, 200).findIndex((line, i) => i > 0 && line.trimEnd() === '---');
}

function parseDescription(matter: readonly string[]): string {
  const at = matter.findIndex((line) => line.startsWith('description:'));
  if (at < 0) return '';

  const rest = matter.slice(at + 1).findIndex((line) => !/^\s+\S/.test(line));
  const descriptionLines = [
    (matter[at] ?? '').slice('description:'.length),
    ...matter.slice(at + 1, at + 1 + rest),
  ];

  return descriptionLines
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[>|][+-]? /, '')
    .replace(/^(["'])(.*)\1$/, '$2');
}
