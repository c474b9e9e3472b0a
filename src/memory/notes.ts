/** The line that ends a file's front matter; 0 if it has none. */
export function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  return lines.slice(0, 200).findIndex((line, i) => i > 0 && line.trimEnd() === '---');
}

/** The description in front matter, folded to one line; empty if there is none. */
export function descriptionIn(matter: readonly string[]): string {
  const at = matter.findIndex((line) => line.startsWith('description:'));
  if (at < 0) return '';
  const rest = matter.slice(at + 1).findIndex((line) => !/^\s+\S/.test(line));
  const said = [(matter[at] ?? '').slice('description:'.length), ...matter.slice(at + 1, at + 1 + rest)];
  return said
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[>|][+-]? /, '')
    .replace(/^(["'])(.*)\1$/, '$2');
}

/** The index of a folder of notes, whose lines only say what the notes say. */
const INDEX = /(?:^|\/)memory\/MEMORY\.md$/;
const INDEX_LINE = /^\s*[-*+]\s+\[[^\]]*\]\([^)\s]+\.md\)/;

/** Whether a line of such an index points to a note. */
export function isIndexLine(path: string, line: string): boolean {
  return INDEX.test(path) && INDEX_LINE.test(line);
}
