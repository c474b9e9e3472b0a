const ENOUGH = 3;
const STEP = /^ {0,3}(?:[-*+] |#{1,6} )?(?:\*\*|__)?(?:step )?(\d{1,3})(?:[.):]|\b)(?:\*\*)?(?:\s+\S|$)/i;
const TASK = /^\s*(?:[-*+]|\d{1,3}[.)]) \[[ xX]\] \S/;
const FENCE = /^ {0,3}(?:`{3}|~{3})/;

/**
 * Whether the agent's message contains a plan of at least three steps: a list that counts up, or tasks. A list of what
 * was done looks the same; the hint is for an empty pad alone.
 */
export function hasPlan(text: string): boolean {
  let [tasks, expected, found, isCode] = [0, 0, 0, false];
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode) continue;

    if (TASK.test(line)) tasks += 1;
    const number = Number(STEP.exec(line)?.[1] ?? Number.NaN);
    if (!Number.isNaN(number)) {
      found = number === expected ? found + 1 : 1;
      expected = number + 1;
    }

    if (Math.max(tasks, found) >= ENOUGH) return true;
  }

  return false;
}
