import wrapAnsi from 'wrap-ansi';

interface Screen {
  columns: number;
  rows: number;
}

interface Looks {
  /** Colours a row. */
  line: (line: string) => string;
  /** The last row of a screen that has room for it. */
  hint: string;
}

/** A part of the screen: rows between two blank lines. */
interface Part {
  /** Its place from above. */
  place: number;
  title: string;
  /** The wrapped lines below the title. */
  lines: string[][];
}

/** Screens with fewer rows have no blank lines between the parts, no hint and no header. */
const ROOMY = 12;

/**
 * The parts of `top` on a screen: the plan first, around its current step, then the newest notes, then as much of the
 * rest as there is room for. Lines break between words.
 */
export function fitted(
  overview: readonly string[],
  history: readonly string[],
  { columns, rows }: Screen,
  { line: colour, hint }: Looks,
): string {
  const roomy = rows >= ROOMY;
  const parts = partsIn([...overview, ...history]).map(({ title, lines }, place): Part => {
    const wrapped = lines.map((text) => wrappedAt(columns, text));
    return { place, title: wrappedAt(columns, title)[0] ?? '', lines: wrapped };
  });
  const [header, ...rest] = parts;
  const order = ['Plan:', 'Notes:', 'State:', 'Refs:', 'Changes:', 'Told to the model:'];
  const wanted = order.flatMap((title) => rest.filter((part) => part.title.startsWith(title)));
  const gap = roomy ? 1 : 0;
  let left = rows - (roomy ? 2 : 0);
  const shown: { place: number; rows: string[] }[] = [];
  for (const part of roomy && header ? [header, ...wanted] : wanted) {
    const room = left - (shown.length > 0 ? gap : 0) - 1;
    if (room < Math.min(1, part.lines.length)) continue;
    const lines = chosen(part, room);
    if (part.lines.length > 0 && lines.length === 0) continue;
    const rowsOfPart = [part.title, ...lines.flat()];
    shown.push({ place: part.place, rows: rowsOfPart });
    left = room - rowsOfPart.length + 1;
  }
  const texts = shown
    .sort((a, b) => a.place - b.place)
    .map((part) => part.rows.map(colour).join('\n'))
    .join(roomy ? '\n\n' : '\n');
  return roomy ? `${texts}\n\n${hint}` : texts;
}

function partsIn(lines: readonly string[]): { title: string; lines: string[] }[] {
  const parts: { title: string; lines: string[] }[] = [];
  let open = false;
  for (const line of lines) {
    if (line === '') open = false;
    else if (open) parts.at(-1)?.lines.push(line);
    else {
      parts.push({ title: line, lines: [] });
      open = true;
    }
  }
  return parts;
}

/** The lines that fit into so many rows: around the current step, the last notes and refs, or the newest events. */
function chosen({ title, lines }: Part, room: number): string[][] {
  const current = lines.findIndex(([first = '']) => first.startsWith('> '));
  const newestLast = /^(?:Notes|Refs):/.test(title);
  const first = lines[current >= 0 ? current : newestLast ? lines.length - 1 : 0] ?? [];
  // One that is taller than the room shows its beginning.
  if (first.length > room) return room > 0 ? [first.slice(0, room)] : [];
  let from = current >= 0 ? current : newestLast ? lines.length : 0;
  let to = from;
  let used = 0;
  const height = (k: number): number => lines[k]?.length ?? Number.POSITIVE_INFINITY;
  for (;;) {
    // What comes next is of more use than what was done, except for one line of it.
    const below = height(to);
    const above = height(from - 1);
    if (used + below <= room) to++;
    else if (used + above <= room) from--;
    else break;
    used = lines.slice(from, to).flat().length;
  }
  return lines.slice(from, to);
}

/** Later rows of a line begin below its text. */
function wrappedAt(columns: number, line: string): string[] {
  const indent = /^(?:[>x ] (?:\d+\. )?)?/.exec(line)?.[0].length ?? 0;
  const hang = indent < columns / 2 ? indent : 0;
  const [first = '', ...later] = wrapAnsi(line.slice(hang), Math.max(1, columns - hang), {
    hard: true,
    trim: true,
  }).split('\n');
  return [line.slice(0, hang) + first, ...later.map((row) => ' '.repeat(hang) + row)];
}
