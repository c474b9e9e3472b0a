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

/** The position of a region in the text: `outer` with the marker lines, `inner` the text between them. */
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

interface MarkerLine extends LineRange, Marker {
  index: number;
}

/** Parses any text; never throws. */
export function parsePad(text: string): PadDocument {
  const frontMatter = locateFrontMatter(text);
  const bodyStart = findBodyStart(frontMatter);
  const lines = splitLineRanges(text, bodyStart);
  const linesBefore = splitLineRanges(text.slice(0, bodyStart)).length;
  const getLineNumber = (index: number): number => linesBefore + index + 1;
  const problems: Problem[] = [];
  const regions = new Map<RegionName, Region>();

  if (frontMatter.kind === 'unclosed')
    problems.push({ kind: 'front-matter-unclosed', message: 'the front matter has no closing ---', line: 1 });

  const markers = lines.flatMap((line, index): MarkerLine[] => {
    const marker = parseMarker(line.text);
    return marker ? [{ ...line, ...marker, index }] : [];
  });
  findMarkedRegions(lines, markers, getLineNumber, regions, problems);

  const isForeign = markers.length === 0 && !hasOwnFields(text, frontMatter);
  for (const name of SPACE_NAMES) {
    const titles = isForeign ? SPACE_HEADINGS[name] : [];
    const region = regions.has(name)
      ? undefined
      : findByHeading(text, lines, name, titles, [...regions.values()]);
    if (region === undefined) continue;
    const { heading } = region;
    regions.set(name, { ...region, heading: { ...heading, line: getLineNumber(heading.line) } });
  }

  if (!regions.has('state')) findLegacyState(lines, regions);

  return { text, frontMatter, regions, problems };
}

function findMarkedRegions(
  lines: readonly LineRange[],
  markers: readonly MarkerLine[],
  getLineNumber: (index: number) => number,
  regions: Map<RegionName, Region>,
  problems: Problem[],
): void {
  for (let k = 0; k < markers.length; k += 1) {
    const marker = markers[k] as MarkerLine;
    const { region: name, index } = marker;

    if (marker.kind === 'close' || regions.has(name)) {
      const isOpening = marker.kind === 'open';
      const label = isOpening ? `${name} marker` : `closing ${name} marker`;
      // The closing marker of a duplicate is escaped too.
      problems.push({
        kind: isOpening ? 'marker-duplicated' : 'marker-stray',
        message: regions.has(name) ? `a second ${label}` : `a ${label} with no opening one`,
        line: getLineNumber(index),
        span: marker,
      });
      continue;
    }

    const next = markers[k + 1];
    if (next?.kind === 'close' && next.region === name) {
      regions.set(name, makeRegion(name, marker.start, marker.next, next.start, next.next));
      k += 1;
      continue;
    }

    const end = findEndOfUnclosed(lines, marker, next?.index ?? lines.length);
    const message = `the ${name} section has no closing marker`;
    problems.push({ kind: 'marker-unclosed', message, line: getLineNumber(index) });
    regions.set(name, makeRegion(name, marker.start, marker.next, end, end));
  }
}

/** A region's content: with LF line endings, unescaped markers, and no final newline. */
export function readRegion(document: PadDocument, name: RegionName): string {
  const region = document.regions.get(name);
  if (!region) return '';
  // Other line ends of Unicode stay as a person wrote them.
  const inner = document.text.slice(region.innerStart, region.innerEnd).replace(/\r\n?/g, '\n');
  return unescapeMarkers(inner.endsWith('\n') ? inner.slice(0, -1) : inner);
}

const makeRegion = (
  name: RegionName,
  outerStart: number,
  innerStart: number,
  innerEnd: number,
  outerEnd: number,
): Region => ({ name, outerStart, innerStart, innerEnd, outerEnd });

/** Whether a region has its markers; else it was found by its heading, such as `## Notes`, or by its content. */
export const hasMarkers = ({ outerStart, innerStart }: Region): boolean => outerStart < innerStart;

const GENERATED_LINES: Readonly<Partial<Record<RegionName, (line: string) => boolean>>> = {
  state: isGeneratedLine,
  beside: (line) => line.startsWith('- Plan '),
};

const isWithin = ({ start }: LineRange, regions: readonly Region[]): boolean =>
  regions.some(({ outerStart, outerEnd }) => start >= outerStart && start < outerEnd);

/** The end of a region without a closing marker, which must never swallow foreign text. */
function findEndOfUnclosed(lines: readonly LineRange[], marker: MarkerLine, limit: number): number {
  const belongs = GENERATED_LINES[marker.region] ?? ((line: string) => !/^#{1,2}[ \t]/.test(line));
  const getLine = (index: number): string => lines[index]?.text ?? '';
  let end = marker.index + 1;

  while (end < limit && belongs(getLine(end))) end += 1;
  while (end > marker.index + 1 && getLine(end - 1).trim() === '') end -= 1;

  return lines[end - 1]?.next ?? marker.next;
}

/**
 * Finds a space without markers by its heading: our own, or one of `titles`.
 * @param taken regions that it cannot overlap
 * @returns the region, with the index of the heading's line
 */
function findByHeading(
  text: string,
  lines: readonly LineRange[],
  name: SpaceName,
  titles: readonly string[],
  taken: readonly Region[],
): (Region & Required<Pick<Region, 'heading'>>) | undefined {
  const hidden = findHidden(lines);
  const headings = lines.map((line, k) =>
    hidden.has(k) ? undefined : readHeading(line.text, lines[k + 1]?.text),
  );
  const findHeading = (isMatch: (line: string) => boolean): number =>
    lines.findIndex((line, k) => isMatch(headings[k]?.line ?? '') && !isWithin(line, taken));
  const matchers = [
    (line: string) => line.trimEnd() === `## ${SPACE_TITLES[name]}`,
    ...titles.map((title) => (line: string) => parseHeadingLine(line)?.title === title),
  ];

  const index = matchers.map(findHeading).find((each) => each !== -1) ?? -1;
  const heading = headings[index];
  if (heading === undefined) return undefined;

  const { level = 6 } = parseHeadingLine(heading.line) ?? {};
  const begin = index + (heading.isUnderlined ? 2 : 1);
  const next = lines.findIndex(
    (line, k) =>
      k >= begin &&
      (endsSection(headings[k]?.line ?? '', name, level) ||
        parseMarker(line.text) !== undefined ||
        isWithin(line, taken)),
  );
  const [first, end] = trimSection(lines, begin, next === -1 ? lines.length : next);

  // Under another heading than our own other lines are not refs.
  const isItem = ({ text: line }: LineRange): boolean => line.trim() === '' || /^[-*+]\s/.test(line);
  if (name === 'refs' && heading.line !== '## Refs' && !lines.slice(first, end).every(isItem))
    return undefined;

  const start = lines[first - 1]?.next ?? text.length;
  const stop = lines[end - 1]?.next ?? start;
  const title = (lines[index]?.text ?? '').trim();
  return { ...makeRegion(name, start, start, stop, stop), heading: { text: title, line: index } };
}

function endsSection(line: string, name: SpaceName, level: number): boolean {
  const heading = parseHeadingLine(line);
  const isOfAnother = (parseSpaceHeading(line) ?? name) !== name;
  return heading !== undefined && (name === 'refs' || heading.level <= level || isOfAnother);
}

/** The lines `[first, end)` of a section without blank lines around them, and without rules at the end. */
function trimSection(
  lines: readonly LineRange[],
  sectionStart: number,
  sectionEnd: number,
): [first: number, end: number] {
  const isBlank = (index: number): boolean => lines[index]?.text.trim() === '';
  const isThematicBreak = (index: number): boolean =>
    /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(lines[index]?.text ?? '');
  let [first, end] = [sectionStart, sectionEnd];

  while (end > first && (isBlank(end - 1) || isThematicBreak(end - 1))) end -= 1;
  while (first < end && isBlank(first)) first += 1;

  return [first, end];
}

/** The lines in fenced code and comments. A comment that somebody left open ends before our next marker. */
function findHidden(lines: readonly LineRange[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  let start = 0;

  for (let k = 0; k <= lines.length; k += 1) {
    const line = lines[k];
    if (line !== undefined && parseMarker(line.text) === undefined) continue;
    for (const index of findHiddenLines(lines.slice(start, k).map(({ text }) => text)))
      hidden.add(start + index);
    start = k + 1;
  }

  return hidden;
}

/** A state block of the format before markers: its two comments, then generated lines. */
function findLegacyState(lines: readonly LineRange[], regions: Map<RegionName, Region>): void {
  const getLine = (index: number): string => lines[index]?.text ?? '';
  const isUpdated = (index: number): boolean => /^<!-- Updated: .*-->$/.test(getLine(index));
  const isTtl = (index: number): boolean => /^<!-- TTL: .*-->$/.test(getLine(index));
  const first = lines.findIndex((_, index) => isUpdated(index) && isTtl(index + 1));
  const line = lines[first];

  if (!line || isWithin(line, [...regions.values()])) return;

  let end = first;
  while (end < lines.length && isGeneratedLine(getLine(end))) end += 1;
  while (end > first && getLine(end - 1).trim() === '') end -= 1;
  const stop = lines[end - 1]?.next ?? line.next;
  regions.set('state', makeRegion('state', line.start, line.start, stop, stop));
}

export interface NumberedLine {
  line: number;
  text: string;
}

/** Whether this program made a file, or has written into it. */
export const isOurs = ({ regions, frontMatter, text }: PadDocument): boolean =>
  [...regions.values()].some(hasMarkers) || hasOwnFields(text, frontMatter);

const isSpaceHeading = (line: string, name: SpaceName): boolean => line === `## ${SPACE_TITLES[name]}`;

/** The lines of a person's own text: outside of front matter, spaces, generated parts and their headings. */
export function listOwnLines({ text, regions, frontMatter }: PadDocument): NumberedLine[] {
  const bodyStart = findBodyStart(frontMatter);
  const lines = splitLineRanges(text);
  const all = [...regions.values()];
  const marked = all.filter(hasMarkers).map(({ name }) => name);
  const titles = all.flatMap(({ heading }) => heading?.line ?? []);
  const isTitle = (line: number): boolean =>
    titles.includes(line) ||
    (titles.includes(line - 1) &&
      readHeading(lines[line - 2]?.text ?? '', lines[line - 1]?.text).isUnderlined);

  return lines.flatMap((range, index) => {
    const line = index + 1;
    const content = range.text.trim();
    const isGenerated =
      content === '' ||
      content === PAD_TITLE ||
      range.start < bodyStart ||
      isTitle(line) ||
      SPACE_NAMES.some((name) => marked.includes(name) && isSpaceHeading(content, name)) ||
      isWithin(range, all);

    return isGenerated ? [] : [{ line, text: content }];
  });
}

/** The first line of a pad that this program made. */
export const PAD_TITLE = '# SCRATCHPAD.md — Working Memory';

/**
 * Warns of text below the heading of a space but outside its markers: a person may take it for part of the space. At
 * most one sentence a space.
 * @param file the name of the file, for the sentence
 */
export function warnOfTextOutside({ text, regions, frontMatter }: PadDocument, file: string): string[] {
  const found = new Map<SpaceName, number>();
  const bodyStart = findBodyStart(frontMatter);
  let above: SpaceName | undefined;

  for (const [index, line] of splitLineRanges(text).entries()) {
    const content = line.text.trim();
    if (isWithin(line, [...regions.values()]) || line.start < bodyStart) continue;

    if (/^#{1,2}\s/.test(content)) above = SPACE_NAMES.find((name) => isSpaceHeading(content, name));
    else if (above !== undefined && content !== '' && !content.startsWith('<!--') && !found.has(above))
      found.set(above, index + 1);
  }

  return [...found].map(
    ([space, line]) =>
      `${file} line ${line}: this text is below "## ${SPACE_TITLES[space]}" but outside its markers, so it is not part of the ${space}`,
  );
}
