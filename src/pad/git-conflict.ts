/** The conflict markers that git leaves in a file that it could not merge. */
export interface GitConflict {
  /** Line of the first marker, from 1. */
  line: number;
  /** Where the first marker begins and the last one ends. */
  start: number;
  end: number;
  /** The text of the checked-out branch. */
  ours: string;
}

const MARKED =
  /^<{7}(?: [^\n]*)?\r?\n([\s\S]*?)(?:^\|{7}(?: [^\n]*)?\r?\n[\s\S]*?)?^={7}\r?\n[\s\S]*?^>{7}(?: [^\n]*)?(?:\r?\n|$)/gm;

/** The conflict markers in a text; `undefined` if there are none. */
export function findGitConflict(text: string): GitConflict | undefined {
  if (!text.includes('<<<<<<<') || !text.includes('>>>>>>>')) return undefined;
  const found = [...text.matchAll(MARKED)];
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    line: text.slice(0, first.index).split('\n').length,
    start: first.index,
    end: last.index + last[0].length,
    ours: text.replace(MARKED, (_, ours: string) => ours),
  };
}
