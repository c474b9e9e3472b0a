import { type LineRange, splitLineRanges } from '../base/text/strings.ts';
import { type FrontMatterShape, findBodyStart, hasOwnFields, locateFrontMatter } from './front-matter.ts';
import { parseHeadingLine, parseSpaceHeading, readHeading, SPACE_HEADINGS } from './headings.ts';
import {
  type Marker,
  parseMarker,
  type RegionName,
  SPACE_NAMES,
  SPACE_TITLES,
  type SpaceName,
  unescapeMarkers,
} from './markers.ts';
import { isGeneratedLine } from './sections.ts';
import { findHiddenLines } from './steps.ts';

/** The position of a region in the text. Outer includes the marker lines, inner is the text between them. */
export interface Region {
  name: RegionName;
  outerStart: number;
  innerStart: number;
  innerEnd: number;
  outerEnd: number;
  /** Only for a region without markers: the heading by which it was found, and its line number from 1. */
  heading?: { text: string; line: number };
}

/** Damage found while reading; the reader continued with the readable parts. */
export interface Problem {
  kind:
    | 'front-matter-unclosed'
    | 'front-matter-invalid'
    | 'marker-unclosed'
    | 'marker-duplicated'
    | 'marker-stray'
    | 'encoding';
  message: string;
  line: number;
  /** For markers: the line to escape when the file is next written. */
  span?: LineRange;
}

/** A parsed pad. It keeps its source: rendering it unchanged returns the same bytes. */
export interface PadDocument {
  text: string;
  frontMatter: FrontMatterShape;
  regions: ReadonlyMap<RegionName, Region>;
  problems: readonly Problem[];
}

interface RegionSpan extends LineRange, Marker {
  index: number;
}

/** Parses any text; never throws. */
export function parsePad(text: string): PadDocument {
  const frontMatter = locateFrontMatter(text);
  const bodyStart = findBodyStart(frontMatter);
  const problems: Problem[] = [];

  if (frontMatter.kind === 'unclosed') {
    problems.push({ kind: 'front-matter-unclosed', message: 'the front matter has no closing ---', line: 1 });
  }
  const lines = splitLineRanges(text, bodyStart);
  const regions = new Map<RegionName, Region>();
  const linesBefore = splitLineRanges(text.slice(0, bodyStart)).length;
  const findLineNumber = (index: number): number => linesBefore + index + 1;

  const markers = lines.flatMap((line, index): RegionSpan[] => {
    const marker = parseMarker(line.text);
    return marker ? [{ ...line, ...marker, index }] : [];
  });

  for (let k = 0; k < markers.length; k += 1) {
    const marker = markers[k] as RegionSpan;
    const { region: name } = marker;

    if (marker.kind === 'close' || regions.has(name)) {
      const isOpening = marker.kind === 'open';
      const label = isOpening ? `${name} marker` : `closing ${name} marker`;
      problems.push({
        kind: isOpening ? 'marker-duplicated' : 'marker-stray',
        message: regions.has(name) ? `a second ${label}` : `a ${label} with no opening one`,
        line: findLineNumber(marker.index),
        span: marker,
      });
      // The closing marker of a duplicate belongs to it and is escaped too.
      continue;
    }

    const next = markers[k + 1];
    if (next?.kind === 'close' && next.region === name) {
      regions.set(name, makeRegion(name, marker.start, marker.next, next.start, next.next));
      k += 1;
      continue;
    }

    const end = endOfUnclosed(lines, marker, next);
    problems.push({
      kind: 'marker-unclosed',
      message: `the ${name} section has no closing marker`,
      line: findLineNumber(marker.index),
    });
    regions.set(name, makeRegion(name, marker.start, marker.next, end, end));
  }

  const isForeign = markers.length === 0 && !hasOwnFields(text, frontMatter);
  for (const name of SPACE_NAMES) {
    const titles = isForeign ? SPACE_HEADINGS[name] : [];
    if (!regions.has(name)) findByHeading(text, lines, { name, titles, lineNumber: findLineNumber }, regions);
  }

  if (!regions.has('state')) findLegacyState(lines, regions);

  return { text, frontMatter, regions, problems };
}

/** A region's content: with LF line endings, unescaped markers, and no final newline. */
export function readRegion(document: PadDocument, name: RegionName): string {
  const found = document.regions.get(name);
  if (!found) return '';
  // Other line ends of Unicode stay as a person wrote them.
  const inner = document.text.slice(found.innerStart, found.innerEnd).replace(/\r\n?/g, '\n');
  return unescapeMarkers(inner.endsWith('\n') ? inner.slice(0, -1) : inner);
}

type Offsets = [outerStart: number, innerStart: number, innerEnd: number, outerEnd: number];

const makeRegion = (name: RegionName, ...[outerStart, innerStart, innerEnd, outerEnd]: Offsets): Region => ({
  ...{ name, outerStart, innerStart, innerEnd, outerEnd },
});

/** Whether a region has its markers; else it was found by its heading, such as `## Notes`, or by its content. */
export const isMarked = ({ outerStart, innerStart }: Region): boolean => outerStart < innerStart;

const LINES_OF: Readonly<Partial<Record<RegionName, (line: string) => boolean>>> = {
  state: isGeneratedLine,
  beside: (line) => line.startsWith('- Plan '),
};

const isWithin = ({ start }: LineRange, regions: readonly Region[]): boolean =>
  regions.some(({ outerStart, outerEnd }) => start >= outerStart && start < outerEnd);

/** The end of a region without a closing marker, which must never swallow foreign text. */
function endOfUnclosed(
  lines: readonly LineRange[],
  marker: RegionSpan,
  next: RegionSpan | undefined,
): number {
  const limit = next?.index ?? lines.length;
  const getLine = (index: number): string => lines[index]?.text ?? '';
  let end = marker.index + 1;

  const belongs = LINES_OF[marker.region] ?? ((line) => !/^#{1,2}[ \t]/.test(line));

  while (end < limit && belongs(getLine(end))) end += 1;
  while (end > marker.index + 1 && getLine(end - 1).trim() === '') end -= 1;

  return lines[end - 1]?.next ?? marker.next;
}

interface Wanted {
  name: SpaceName;
  /** The headings that name it beside our own. */
  titles: readonly string[];
  lineNumber(index: number): number;
}

function findByHeading(
  text: string,
  lines: readonly LineRange[],
  { name, titles, lineNumber }: Wanted,
  regions: Map<RegionName, Region>,
): void {
  const taken = [...regions.values()];
  const hidden = findHidden(lines);
  const headings = lines.map((line, k) =>
    hidden.has(k) ? undefined : readHeading(line.text, lines[k + 1]?.text),
  );
  const findHeading = (isIt: (line: string) => boolean): number =>
    lines.findIndex((line, k) => isIt(headings[k]?.line ?? '') && !isWithin(line, taken));
  const ways = [
    (line: string) => line.trimEnd() === `## ${SPACE_TITLES[name]}`,
    ...titles.map((title) => (line: string) => parseHeadingLine(line)?.title === title),
  ];

  const at = ways.map(findHeading).find((place) => place !== -1) ?? -1;
  const heading = headings[at];

  if (heading === undefined) return;

  const { level = 6 } = parseHeadingLine(heading.line) ?? {};
  const begin = at + (heading.isUnderlined ? 2 : 1);
  const ends = (line: LineRange, k: number): boolean =>
    k >= begin &&
    (endsSection(headings[k]?.line ?? '', name, level) ||
      parseMarker(line.text) !== undefined ||
      isWithin(line, taken));
  const behind = lines.findIndex(ends);
  const [first, end] = trimSection(lines, begin, behind === -1 ? lines.length : behind);

  const isItem = ({ text }: LineRange): boolean => text.trim() === '' || /^[-*+]\s/.test(text);
  // Other lines would become items.
  if (name === 'refs' && heading.line !== '## Refs' && !lines.slice(first, end).every(isItem)) return;

  const start = lines[first - 1]?.next ?? text.length;
  const stop = lines[end - 1]?.next ?? start;
  regions.set(name, {
    ...makeRegion(name, start, start, stop, stop),
    heading: { text: (lines[at]?.text ?? '').trim(), line: lineNumber(at) },
  });
}

function endsSection(line: string, name: SpaceName, level: number): boolean {
  const heading = parseHeadingLine(line);
  const isOfAnother = (parseSpaceHeading(line) ?? name) !== name;
  return heading !== undefined && (name === 'refs' || heading.level <= level || isOfAnother);
}

function trimSection(
  lines: readonly LineRange[],
  begin: number,
  behind: number,
): [first: number, end: number] {
  const isBlank = (index: number): boolean => lines[index]?.text.trim() === '';
  const isRule = (index: number): boolean => /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(lines[index]?.text ?? '');
  let [first, end] = [begin, behind];

  while (end > first && (isBlank(end - 1) || isRule(end - 1))) end -= 1;
  while (first < end && isBlank(first)) first += 1;

  return [first, end];
}

/** A comment that somebody left open ends before our next marker: that is none of its text. */
function findHidden(lines: readonly LineRange[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  let from = 0;

  for (let k = 0; k <= lines.length; k += 1) {
    const line = lines[k];
    if (line !== undefined && parseMarker(line.text) === undefined) continue;
    for (const at of findHiddenLines(lines.slice(from, k).map(({ text }) => text))) hidden.add(from + at);
    from = k + 1;
  }

  return hidden;
}

const isComment = (line: string, beginning: string): boolean =>
  line.startsWith(beginning) && line.endsWith('-->');

/** A block of the format before markers: its two comments, then generated lines. */
function findLegacyState(lines: readonly LineRange[], regions: Map<RegionName, Region>): void {
  const getLine = (index: number): string => lines[index]?.text ?? '';
  const at = lines.findIndex(
    (_, index) => isComment(getLine(index), '<!-- Updated: ') && isComment(getLine(index + 1), '<!-- TTL: '),
  );
  const line = lines[at];

  if (!line || isWithin(line, [...regions.values()])) return;

  let end = at;
  while (end < lines.length && isGeneratedLine(getLine(end))) end += 1;
  while (end > at && getLine(end - 1).trim() === '') end -= 1;
  const stop = lines[end - 1]?.next ?? line.next;
  regions.set('state', makeRegion('state', line.start, line.start, stop, stop));
}

export interface NumberedLine {
  line: number;
  text: string;
}

/** Whether this program made a file, or has written into it. */
export const isOurs = ({ regions, frontMatter, text }: PadDocument): boolean =>
  [...regions.values()].some(isMarked) || hasOwnFields(text, frontMatter);

/** A person's own text: what is outside of front matter, spaces, generated parts and their headings. */
export function ownText({ text, regions, frontMatter }: PadDocument): NumberedLine[] {
  const start = findBodyStart(frontMatter);
  const taken = [...regions.values()];
  const lines = splitLineRanges(text);
  const titles = taken.flatMap(({ heading }) => heading?.line ?? []);
  const isTitle = (k: number): boolean =>
    titles.includes(k + 1) ||
    (titles.includes(k) && readHeading(lines[k - 1]?.text ?? '', lines[k]?.text).isUnderlined);
  const marked = new Set(taken.filter(isMarked).map(({ name }) => name));

  return lines.flatMap((line, index) => {
    const content = line.text.trim();
    const isOurs =
      content === '' ||
      line.start < start ||
      content === PAD_TITLE ||
      isTitle(index) ||
      SPACE_NAMES.some((name) => marked.has(name) && content === `## ${SPACE_TITLES[name]}`) ||
      isWithin(line, taken);

    return isOurs ? [] : [{ line: index + 1, text: content }];
  });
}

/** The first line of a pad that this program made. */
export const PAD_TITLE = '# SCRATCHPAD.md — Working Memory';

/**
 * Says where text is below the heading of a space, but outside its markers: a person may take it for part of the
 * space, and the program does not. At most one sentence a space.
 * @param file the name of the file, for the sentence
 */
export function findOddities({ text, regions, frontMatter }: PadDocument, file: string): string[] {
  const found = new Map<SpaceName, number>();
  let below: SpaceName | undefined;
  const start = findBodyStart(frontMatter);

  for (const [index, line] of splitLineRanges(text).entries()) {
    const content = line.text.trim();
    if (isWithin(line, [...regions.values()]) || line.start < start) continue;

    if (/^#{1,2}\s/.test(content)) below = SPACE_NAMES.find((name) => `## ${SPACE_TITLES[name]}` === content);
    else if (below !== undefined && content !== '' && !content.startsWith('<!--') && !found.has(below))
      found.set(below, index + 1);
  }

  return [...found].map(
    ([space, line]) =>
      `${file} line ${line}: this text is below "## ${SPACE_TITLES[space]}" but outside its markers, so it is not part of the ${space}`,
  );
}
