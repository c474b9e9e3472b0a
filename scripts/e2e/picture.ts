/** What a terminal shows, as a picture: `tmux capture-pane -p -e` to SVG. */

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const INK = '#d8d8d8';
const PAPER = '#1d1f23';
const BASIC = ['#000', '#cd3131', '#0dbc79', '#e5e510', '#2472c8', '#bc3fbc', '#11a8cd', '#e5e5e5'];

interface Style {
  ink?: string;
  paper?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  inverse?: boolean;
}

/**
 * @param text with escape sequences
 * @param rows how many lines of it are drawn at most: empty ones in the middle go
 */
export function renderSvg(text: string, rows: number): string {
  const lines = fold(text.replace(/\n$/, '').split('\n'), rows);
  const drawn = lines.map((line, row) => drawLine(line, row));
  const columns = Math.max(...lines.map((line) => [...line.replace(ESCAPES, '')].length));
  const size = {
    width: Math.ceil(columns * CELL.width + 2 * MARGIN),
    height: lines.length * CELL.height + 2 * MARGIN,
  };

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>A terminal</title>
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
${drawn.join('\n')}
</svg>
`;
}

const ESCAPES = /\u001b\[([\d;]*)m/g;

/** Leaves out lines that hold nothing but the pane's edge, from the end, until the rest fits. */
function fold(lines: readonly string[], rows: number): string[] {
  let spare = lines.length - rows;
  const isEmpty = (line: string): boolean => line.replace(ESCAPES, '').replaceAll('│', '').trim() === '';
  const kept = [...lines].reverse().filter((line) => !isEmpty(line) || spare-- <= 0);
  return kept.reverse();
}

function drawLine(line: string, row: number): string {
  let style: Style = {};
  let column = 0;
  const parts: string[] = [];
  const [first = '', ...rest] = line.split(ESCAPES);
  const runs: [codes: string | undefined, text: string][] = [[undefined, first]];
  for (let k = 0; k < rest.length; k += 2) runs.push([rest[k], rest[k + 1] ?? '']);

  for (const [codes, text] of runs) {
    if (codes !== undefined) style = applyCodes(style, codes.split(';').map(Number));
    parts.push(drawRun(text, column, row, style));
    column += [...text].length;
  }

  return parts.join('');
}

function drawRun(text: string, column: number, row: number, style: Style): string {
  const length = [...text].length;
  const [ink, paper] = style.inverse
    ? [style.paper ?? PAPER, style.ink ?? INK]
    : [style.ink ?? INK, style.paper];
  const [x, y] = [MARGIN + column * CELL.width, MARGIN + row * CELL.height];
  const width = round(length * CELL.width);
  const back =
    paper === undefined || length === 0
      ? ''
      : `<rect x="${round(x)}" y="${y}" width="${width}" height="${CELL.height}" fill="${paper}"/>`;
  if (text.trim() === '') return back;

  const looks = [
    style.bold && ' font-weight="bold"',
    style.italic && ' font-style="italic"',
    style.dim && ' opacity="0.6"',
  ].filter(Boolean);
  const shown = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `${back}<text x="${round(x)}" y="${y + 14}" textLength="${width}" xml:space="preserve" fill="${ink}"${looks.join('')}>${shown}</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function applyCodes(before: Style, codes: readonly number[]): Style {
  const style = { ...before };
  for (let k = 0; k < codes.length; k += 1) {
    const code = codes[k] ?? 0;
    if (code === 0) for (const key of Object.keys(style) as (keyof Style)[]) delete style[key];
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 7) style.inverse = true;
    else if (code === 39) delete style.ink;
    else if (code === 49) delete style.paper;
    else if (code >= 30 && code < 38) style.ink = BASIC[code - 30] ?? INK;
    else if (code === 38 || code === 48) {
      const [colour, used] = readColour(codes.slice(k + 1));
      style[code === 38 ? 'ink' : 'paper'] = colour;
      k += used;
    }
  }
  return style;
}

/** @returns the colour, and how many codes it took */
function readColour([kind, ...rest]: readonly number[]): [string, number] {
  const [r = 0, g = 0, b = 0] = rest;
  if (kind === 2) return [`rgb(${r},${g},${b})`, 4];
  if (r < 16) return [BASIC[r % 8] ?? INK, 2];
  if (r >= 232) return [`rgb(${Array.from({ length: 3 }, () => 8 + 10 * (r - 232)).join()})`, 2];

  const level = (part: number): number => (part === 0 ? 0 : 55 + 40 * part);
  const cube = r - 16;
  return [`rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).join()})`, 2];
}
