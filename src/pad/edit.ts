import { detectEol, splitLineRanges } from '../base/text/strings.ts';
import { hasMarkers, isOurs, type PadDocument, parsePad, type Region, readRegion } from './document.ts';
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
  const region = document.regions.get(name);
  const eol = detectEol(text);

  if (name === 'beside' && content === '') return region ? removeRegion(text, region) : text;
  if (!region) return addRegion(document, name, content, eol);
  if (hasMarkers(region) && readRegion(document, name) === content) return text;

  const { innerStart, innerEnd, outerEnd } = region;
  const before = text.slice(0, innerStart);
  const isClosed = outerEnd > innerEnd;

  return [
    before,
    before === '' || before.endsWith('\n') ? '' : eol,
    hasMarkers(region) ? '' : openMarker(name) + eol,
    mergeLines(text.slice(innerStart, innerEnd), renderInner(name, content), eol),
    isClosed ? '' : closeMarker(name) + eol,
    text.slice(innerEnd),
  ].join('');
}

/** The field that says which branch or work tree the plan belongs to: a checkout does not rewrite the file. */
export const ORIGIN_FIELD = 'plan-origin';

/** Updates `ORIGIN_FIELD`, if the file has front matter. */
export function setPlanOrigin(text: string, origin: string): string {
  if (parsePad(text).frontMatter.kind !== 'fenced') return text;
  return setFrontMatter(text, new Map([[ORIGIN_FIELD, renderPlanOrigin(origin)]]));
}

/** The value of `ORIGIN_FIELD`; `null`, which removes the field, for no branch. */
export const renderPlanOrigin = (origin: string): string | null =>
  origin === '' ? null : JSON.stringify(origin);

/**
 * Puts markers around the sections that headings name in a file that is not ours yet: headings count only until a file
 * has a marker.
 */
export function markSections(text: string): string {
  const document = parsePad(text);
  if (isOurs(document)) return text;

  const eol = detectEol(text);
  const endLine = (part: string): string => part + completeLine(part, part.length, eol);
  const lastFirst = [...document.regions.values()]
    .filter(({ heading }) => heading !== undefined)
    .sort((a, b) => b.innerStart - a.innerStart);
  let marked = text;

  for (const { name, innerStart, innerEnd } of lastFirst) {
    const before = endLine(marked.slice(0, innerStart));
    const inner = endLine(marked.slice(innerStart, innerEnd));
    marked = `${before}${openMarker(name)}${eol}${inner}${closeMarker(name)}${eol}${marked.slice(innerEnd)}`;
  }

  return marked;
}

/** Sets one-line front matter fields, and adds the block if there is none. `null` removes a field. */
export function setFrontMatter(text: string, fields: ReadonlyMap<string, string | null>): string {
  const { frontMatter } = parsePad(text);
  const eol = detectEol(text);

  if (frontMatter.kind === 'fenced') {
    const prefix = getFieldPrefix(text, frontMatter);
    const prefixed = new Map([...fields].map(([key, value]) => [prefix + key, value]));
    return setFields(text, frontMatter.range, prefixed, eol);
  }

  const lines = [...fields].flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]));
  const block = ['---', ...lines, '---', ''].join(eol);
  const { bodyStart } = frontMatter;

  return text.slice(0, bodyStart) + block + (text.length > bodyStart ? eol : '') + text.slice(bodyStart);
}

const HEAL_PASSES = 8;

/**
 * Repairs the damage that `parsePad` reports, so that it is reported once: surplus markers become plain text, missing
 * closing lines are added. The caller keeps the original first.
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
  const { problems, regions, frontMatter } = parsePad(text);
  const eol = detectEol(text);
  const edits: { start: number; end: number; replacement: string }[] = [];
  const insertLine = (offset: number, line: string): void => {
    const replacement = `${completeLine(text, offset, eol)}${line}${eol}`;
    edits.push({ start: offset, end: offset, replacement });
  };

  for (const { span } of problems)
    if (span) edits.push({ ...span, replacement: escapeMarkers(text.slice(span.start, span.end)) });

  for (const region of regions.values())
    if (hasMarkers(region) && region.outerEnd === region.innerEnd)
      insertLine(region.innerEnd, closeMarker(region.name));

  if (frontMatter.kind === 'unclosed') insertLine(frontMatter.fieldsEnd, '---');

  // The closing line goes before the marker that ended the section.
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  let healed = '';
  let copied = 0;

  for (const { start, end, replacement } of edits) {
    healed += text.slice(copied, start) + replacement;
    copied = end;
  }

  return healed + text.slice(copied);
}

/** Turns front matter that is not YAML into comments. */
export function commentOutFrontMatter(text: string): string {
  const { frontMatter } = parsePad(text);
  if (frontMatter.kind !== 'fenced') return text;

  const { innerStart, innerEnd } = frontMatter.range;
  // Readers disagree on whether a lone CR ends a line.
  const comments = text.slice(innerStart, innerEnd).replace(/(^|\n|\r(?!\n))(?=[^#\r\n])/g, '$1# ');

  return text.slice(0, innerStart) + comments + text.slice(innerEnd);
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

/** Replaces the lines of a text; lines that are the same at its beginning and its end keep their bytes. */
function mergeLines(inner: string, lines: readonly string[], eol: string): string {
  const oldLines = splitLineRanges(inner);
  const most = Math.min(oldLines.length, lines.length);
  let head = 0;
  while (head < most && oldLines[head]?.text === lines[head]) head += 1;

  let tail = 0;
  while (tail < most - head && oldLines.at(-1 - tail)?.text === lines.at(-1 - tail)) tail += 1;

  const headText = inner.slice(0, oldLines[head - 1]?.next ?? 0);
  const tailText = inner.slice(oldLines[oldLines.length - tail]?.start ?? inner.length);
  const changed = lines.slice(head, lines.length - tail).map((line) => line + eol);
  const headEol = headText !== '' && !headText.endsWith('\n') && changed.length > 0 ? eol : '';
  const merged = headText + headEol + changed.join('') + tailText;

  return merged === '' || merged.endsWith('\n') ? merged : merged + eol;
}

function addRegion(document: PadDocument, name: RegionName, content: string, eol: string): string {
  const heading = isGenerated(name) ? [] : [`## ${SPACE_TITLES[name]}`];
  const lines = [...heading, openMarker(name), ...renderInner(name, content), closeMarker(name), ''];
  const offset = findInsertionPoint(document, name);
  const before = document.text.slice(0, offset);
  const after = document.text.slice(offset);
  const isAtTop = offset <= findBodyStart(document.frontMatter);

  // A line that has not ended, such as a closing fence, must stay on its own line.
  const lineEnd = before !== '' && before !== '\ufeff' && !before.endsWith('\n') ? eol : '';
  const blankBefore = isAtTop || /\n\r?\n$/.test(before) ? '' : eol;
  const blankAfter = after === '' || /^\r?\n/.test(after) ? '' : eol;

  return before + lineEnd + blankBefore + lines.join(eol) + blankAfter + after;
}

/** After the nearest preceding region in the order, else before the nearest following one, else at the end. */
function findInsertionPoint({ text, regions, frontMatter }: PadDocument, name: RegionName): number {
  const place = ORDER.indexOf(name);
  const earlier = ORDER.slice(0, place).findLast((each) => regions.has(each));
  if (earlier) return regions.get(earlier)?.outerEnd ?? text.length;

  const later = ORDER.slice(place + 1).find((each) => regions.has(each));
  const region = later && regions.get(later);
  return region ? findHeadingStart(text, findBodyStart(frontMatter), region) : text.length;
}

/** The start of the heading above a region, or of the region if it has none. */
function findHeadingStart(text: string, bodyStart: number, { name, outerStart }: Region): number {
  if (isGenerated(name)) return outerStart;
  const above = splitLineRanges(text.slice(0, outerStart), bodyStart);
  const line = above.findLast((each) => each.text.trim() !== '');
  return line?.text.trim() === `## ${SPACE_TITLES[name]}` ? line.start : outerStart;
}

/** The line ending that is missing before an offset; a CR there is the first half of one. */
function completeLine(text: string, offset: number, eol: string): string {
  if (offset === 0 || text[offset - 1] === '\n') return '';
  return text[offset - 1] === '\r' ? '\n' : eol;
}
