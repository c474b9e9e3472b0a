/** A line of a text: `[start, end)` is its `text` without the line ending; `next` is the start of the following line. */
export interface LineRange {
  start: number;
  end: number;
  next: number;
  text: string;
}

/** Splits on LF; a CR before it belongs to the line ending. The last line may be empty. */
export function lineRanges(text: string, from = 0): LineRange[] {
  const lines: LineRange[] = [];
  let start = from;
  while (start <= text.length) {
    const lf = text.indexOf('\n', start);
    if (lf === -1) {
      // A CR at the very end would become part of a line ending as soon as text is added.
      const end = text.endsWith('\r') ? text.length - 1 : text.length;
      if (start < text.length) lines.push({ start, end, next: text.length, text: text.slice(start, end) });
      break;
    }
    const end = lf > start && text.charCodeAt(lf - 1) === 13 ? lf - 1 : lf;
    lines.push({ start, end, next: lf + 1, text: text.slice(start, end) });
    start = lf + 1;
  }
  return lines;
}

/** The line ending that most lines of `text` use; LF if there is none. */
export function dominantEol(text: string): '\n' | '\r\n' {
  let crlf = 0;
  let lf = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf += 1;
    else lf += 1;
  }
  return crlf > lf ? '\r\n' : '\n';
}

/** CRLF and lone CR become LF: the form in which contents are stored and compared. */
export function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** A text with LF line ends on one line: its lines trimmed and joined by a space, without empty ones. */
export function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
