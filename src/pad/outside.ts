import type { PadDocument } from './document.ts';
import { bodyStartOf } from './front-matter.ts';
import { SPACE_NAMES, SPACE_TITLES, type SpaceName } from './markers.ts';
import { lineRanges } from './text.ts';

/** What a person may want to look at in the file as it is: missing sections, markers of a conflict, text outside. */
export function oddities(document: PadDocument, file: string): string[] {
  const { text, regions } = document;
  const missing = text.trim() !== '' && !SPACE_NAMES.some((name) => regions.has(name));
  const marker = text.split('\n').findIndex((line) => /^<{7}(?: |$)/.test(line)) + 1;
  return [
    ...(missing ? [`${file} has none of its sections; the next change writes them again`] : []),
    ...(marker > 0
      ? [`${file} line ${marker}: this looks like a conflict that git left; here it is ordinary text`]
      : []),
    ...textOutside(document, file),
  ];
}

/**
 * Says where text is below the heading of a space, but outside its markers: a person may take it for part of the
 * space, and the program does not. At most one sentence per space.
 * @param file the name of the file, for the sentence
 */
function textOutside({ text, regions, frontMatter }: PadDocument, file: string): string[] {
  const found = new Map<SpaceName, number>();
  let below: SpaceName | undefined;
  const start = bodyStartOf(frontMatter);
  for (const [index, line] of lineRanges(text).entries()) {
    const content = text.slice(line.start, line.end).trim();
    const inside = [...regions.values()].some((r) => line.start >= r.outerStart && line.start < r.outerEnd);
    if (inside || line.start < start) continue;
    if (/^#{1,2}\s/.test(content)) below = SPACE_NAMES.find((name) => `## ${SPACE_TITLES[name]}` === content);
    else if (below !== undefined && content !== '' && !content.startsWith('<!--') && !found.has(below))
      found.set(below, index + 1);
  }
  return [...found].map(
    ([space, line]) =>
      `${file} line ${line}: this text is below "## ${SPACE_TITLES[space]}" but outside its markers, so it is not part of the ${space}`,
  );
}
