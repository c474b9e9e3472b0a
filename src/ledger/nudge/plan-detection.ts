/** Fewest steps of a plan. */
const ENOUGH = 3;

const NUMBERED = /^ {0,3}(?:\*\*)?(\d{1,3})[.)](?:\*\*)?\s+\S/;
const STEP = /^ {0,3}(?:[-*+]\s+)?(?:#{1,6}\s+)?(?:\*\*|__)?step\s+(\d{1,3})\b/i;
const TASK = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\[[ xX]\]\s+\S/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** An item of a log or a listing: a time, a path with a line, or a level after its number. */
const LOG =
  /^(?:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}|\[?(?:debug|info|warn|warning|error|fatal|trace)\b[\]:]?|at\s+\S+\s*\(|[\w./-]+:\d+[:\s])/i;

/** An item that reports work done instead of a next step: `Added a helper`. */
const DONE = /^[*_`]*(?:([a-z]+ed)|built|wrote|rewrote|made|found|kept|took|got|gave|did)\b/i;
/** Words that end in -ed but are not past tense. */
const TO_COME = /(?:need|feed|seed|speed|embed|proceed|succeed|exceed|shed|shred|bleed|weed)$/i;
/** An item that describes a state; steps begin with what to do. */
const TELLS =
  /^[*_]*(?:the|an?|this|these|it|we|users?|if|when|there|all|both|(?:does|is|was|are)(?:n['’]t| not))\s+\S/i;

/**
 * Whether the agent's message contains a plan of at least three steps: a numbered list, lines that begin with
 * "Step N", or a task list. Code blocks, quotes, indented code, logs, reports of work done and explanations
 * do not count.
 */
export function holdsPlan(text: string): boolean {
  const lines = proseOf(text);
  return (
    climbs(lines, NUMBERED) || climbs(lines, STEP) || lines.filter((line) => TASK.test(line)).length >= ENOUGH
  );
}

/** Whether items count up by one, with other lines in between. */
function climbs(lines: readonly string[], item: RegExp): boolean {
  let expected = 0;
  let found = 0;
  for (const line of lines) {
    const match = item.exec(line);
    if (!match) continue;
    const text = line.slice(match[0].length - 1).trim();
    if (LOG.test(text) || TELLS.test(text) || isDone(text)) continue;
    const number = Number(match[1]);
    found = number === expected ? found + 1 : 1;
    expected = number + 1;
    if (found >= ENOUGH) return true;
  }
  return false;
}

function isDone(text: string): boolean {
  const match = DONE.exec(text);
  return match !== null && !TO_COME.test(match[1] ?? '');
}

/** The lines outside code and quotes. */
function proseOf(text: string): string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  let blank = true;
  let inList = false;
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const indented = /^(?: {4}|\t)/.test(line);
    // Four blanks after an empty line are code, unless a list continues.
    if (indented && blank && !inList) continue;
    blank = line.trim() === '';
    if (/^\s*>/.test(line)) continue;
    if (!blank)
      inList = NUMBERED.test(line) || TASK.test(line) || /^\s*[-*+]\s/.test(line) || (inList && indented);
    lines.push(line);
  }
  return lines;
}
