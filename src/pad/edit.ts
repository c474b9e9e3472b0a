import { detectEol, splitLineRanges } from '../base/text/strings.ts';
import { isMarked, isOurs, type PadDocument, parsePad, type Region, readRegion } from './document.ts';
import { findBodyStart, getFieldPrefix, setFields } from './front-matter.ts';
import { closeMarker, escapeMarkers, openMarker, type RegionName, SPACE_TITLES } from './markers.ts';

/** The order of regions in a new file: stable content first, so that a host's prompt cache keeps its prefix. */
const ORDER: readonly RegionName[] = ['plan', 'beside', 'notes', 'refs', 'state'];

/**
 * Returns `text` with one region's content replaced. No byte outside the region changes; inside it, unchanged lines
 * keep their bytes. A missing region is added at its place in the order plan, notes, refs, state.
 *
 * @param content with LF line endings and no final newline; `''` empties the region and keeps its markers.
 */
export function setRegion(source: string, name: RegionName, content: string): string {
  const text = markSections(source);
  const document = parsePad(text);
  const found = document.regions.get(name);
  const eol = detectEol(text);

  if (name === 'beside' && content === '') return found ? removeRegion(text, found) : text;
  if (!found) return addRegion(document, name, content, eol);
  if (isMarked(found) && readRegion(document, name) === content) return text;

  const inner = mergeLines(text.slice(found.innerStart, found.innerEnd), renderInner(name, content), eol);
  const closed = found.outerEnd > found.innerEnd;
  const before = text.slice(0, found.innerStart);

  return [
    before,
    before === '' || before.endsWith('\n') ? '' : eol,
    isMarked(found) ? '' : openMarker(name) + eol,
    inner,
    closed ? '' : closeMarker(name) + eol,
    text.slice(found.innerEnd),
  ].join('');
}

/** The field that says which branch or work tree the plan belongs to: a checkout does not rewrite the file. */
export const ORIGIN_FIELD = 'plan-origin';

/** Brings that field up to date, where the file has front matter. */
export function setPlanOrigin(text: string, origin: string): string {
  if (parsePad(text).frontMatter.kind !== 'fenced') return text;
  return setFrontMatter(text, new Map([[ORIGIN_FIELD, renderPlanOrigin(origin)]]));
}

/** The field's value; `null`, which removes it, for no branch. */
export const renderPlanOrigin = (origin: string): string | null =>
  origin === '' ? null : JSON.stringify(origin);

/**
 * Puts markers into a file that is not ours yet, around the sections that its headings name: once one of them is ours, the
 * headings of the others would mean nothing.
 */
export function markSections(text: string): string {
  const document = parsePad(text);
  if (isOurs(document)) return text;

  const eol = detectEol(text);
  const found = [...document.regions.values()].filter(({ heading }) => heading !== undefined);

  return found
    .sort((a, b) => b.innerStart - a.innerStart)
    .reduce((marked, { name, innerStart, innerEnd }) => {
      const [before, inner] = [marked.slice(0, innerStart), marked.slice(innerStart, innerEnd)];
      const lines = [
        endLine(before, eol),
        openMarker(name),
        eol,
        endLine(inner, eol),
        closeMarker(name),
        eol,
      ];

      return lines.join('') + marked.slice(innerEnd);
    }, text);
}

const endLine = (text: string, eol: string): string => text + completeLine(text, text.length, eol);

/** Sets one-line front matter fields, and adds the block if there is none. `null` removes a field. */
export function setFrontMatter(text: string, fields: ReadonlyMap<string, string | null>): string {
  const { frontMatter } = parsePad(text);
  const eol = detectEol(text);

  if (frontMatter.kind === 'fenced') {
    const prefix = getFieldPrefix(text, frontMatter);
    const named = new Map([...fields].map(([key, value]) => [prefix + key, value]));
    return setFields(text, frontMatter.range, named, eol);
  }

  const lines = [...fields].flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]));
  const block = ['---', ...lines, '---', ''].join(eol);
  const at = frontMatter.bodyStart;

  return text.slice(0, at) + block + (text.length > at ? eol : '') + text.slice(at);
}

const HEAL_PASSES = 8;

/**
 * Repairs the damage that `parsePad` reported, so that it is reported once, not at every command: surplus markers
 * become plain text, missing closing lines are added. The caller keeps the original first.
 */
export function heal(text: string): string {
  let healed = text;
  // A repair can reveal further damage, such as a fence that was never closed.
  for (let pass = 0; pass < HEAL_PASSES && parsePad(healed).problems.length > 0; pass += 1) {
    healed = healOnce(healed);
  }
  return healed;
}

function healOnce(text: string): string {
  const document = parsePad(text);
  const eol = detectEol(text);
  const edits: { at: number; end: number; with: string }[] = [];

  for (const { span } of document.problems)
    if (span)
      edits.push({ at: span.start, end: span.end, with: escapeMarkers(text.slice(span.start, span.end)) });

  for (const region of document.regions.values()) {
    if (isMarked(region) && region.outerEnd === region.innerEnd) {
      const at = region.innerEnd;
      edits.push({ at, end: at, with: `${completeLine(text, at, eol)}${closeMarker(region.name)}${eol}` });
    }
  }

  if (document.frontMatter.kind === 'unclosed') {
    const at = document.frontMatter.fieldsEnd;
    edits.push({ at, end: at, with: `${completeLine(text, at, eol)}---${eol}` });
  }

  // The closing line goes before the marker that ended the section.
  edits.sort((a, b) => a.at - b.at || a.end - b.end);
  let at = 0;
  const pieces = edits.flatMap((edit) => {
    const before = text.slice(at, edit.at);
    at = edit.end;
    return [before, edit.with];
  });

  return pieces.join('') + text.slice(at);
}

/** Front matter that is not YAML becomes comments: kept, but harmless. */
export function commentOutFrontMatter(text: string): string {
  const { frontMatter } = parsePad(text);
  if (frontMatter.kind !== 'fenced') return text;

  const { innerStart, innerEnd } = frontMatter.range;
  // Readers disagree on whether a lone CR ends a line.
  const quiet = text.slice(innerStart, innerEnd).replace(/(^|\n|\r(?!\n))(?=[^#\r\n])/g, '$1# ');

  return text.slice(0, innerStart) + quiet + text.slice(innerEnd);
}

function renderInner(name: RegionName, content: string): string[] {
  if (content === '') return [];
  return (isGenerated(name) ? content : escapeMarkers(content)).split('\n');
}

const isGenerated = (name: RegionName): name is 'beside' | 'state' => name === 'beside' || name === 'state';

function removeRegion(text: string, { outerStart, outerEnd }: Region): string {
  const before = text.slice(0, outerStart);
  const blank = /(\n)\r?\n$/.exec(before) && /^\r?\n/.test(text.slice(outerEnd));
  return (blank ? before.replace(/\r?\n$/, '') : before) + text.slice(outerEnd);
}

function mergeLines(inner: string, lines: readonly string[], eol: string): string {
  const old = splitLineRanges(inner);
  const room = Math.min(old.length, lines.length);
  let head = 0;

  while (head < room && old[head]?.text === lines[head]) head += 1;
  let tail = 0;
  while (tail < room - head && old.at(-1 - tail)?.text === lines.at(-1 - tail)) tail += 1;
  const headEnd = old[head - 1]?.next ?? 0;
  const tailStart = tail === 0 ? inner.length : (old[old.length - tail]?.start ?? inner.length);
  const middle = lines.slice(head, lines.length - tail).map((line) => line + eol);
  const header = inner.slice(0, headEnd);
  const end = inner.slice(tailStart);
  const all =
    header +
    (header !== '' && !header.endsWith('\n') && middle.length > 0 ? eol : '') +
    middle.join('') +
    end;

  return all === '' || all.endsWith('\n') ? all : all + eol;
}

function addRegion(document: PadDocument, name: RegionName, content: string, eol: string): string {
  const { text } = document;
  const heading = isGenerated(name) ? [] : [`## ${SPACE_TITLES[name]}`];
  const block = [...heading, openMarker(name), ...renderInner(name, content), closeMarker(name), ''].join(
    eol,
  );
  const at = findInsertionPoint(document, name);
  const before = text.slice(0, at);
  const after = text.slice(at);
  const atTop = at <= findBodyStart(document.frontMatter);
  // Text that ends in the middle of a line, such as a closing fence, must stay on its own line.
  const begun = before !== '' && before !== '\ufeff' && !before.endsWith('\n') ? eol : '';
  const lead = begun + (atTop || /\n\r?\n$/.test(before) ? '' : eol);
  const trail = after === '' || /^\r?\n/.test(after) ? '' : eol;

  return before + lead + block + trail + after;
}

/** After the nearest preceding region in the order, else before the nearest following one, else at the end. */
function findInsertionPoint({ text, regions, frontMatter }: PadDocument, name: RegionName): number {
  const place = ORDER.indexOf(name);
  for (const earlier of ORDER.slice(0, place).reverse()) {
    const found = regions.get(earlier);
    if (found) return found.outerEnd;
  }

  for (const later of ORDER.slice(place + 1)) {
    const found = regions.get(later);
    if (found) return findHeadingStart(text, findBodyStart(frontMatter), found, later);
  }

  return text.length;
}

function findHeadingStart(text: string, bodyStart: number, region: Region, name: RegionName): number {
  if (isGenerated(name)) return region.outerStart;
  const above = splitLineRanges(text.slice(0, region.outerStart), bodyStart);
  const line = above.findLast((each) => each.text.trim() !== '');
  return line?.text.trim() === `## ${SPACE_TITLES[name]}` ? line.start : region.outerStart;
}

/** What a line that ends at a place lacks: a lone CR is the first half of its line ending. */
function completeLine(text: string, at: number, eol: string): string {
  if (at === 0 || text[at - 1] === '\n') return '';
  return text[at - 1] === '\r' ? '\n' : eol;
}
