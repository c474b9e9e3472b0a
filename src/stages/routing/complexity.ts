import type { Message } from '../../transcript/message.ts';
import type { Level } from './level.ts';

const REQUESTS = 3;
const LONGEST_READ = 4000;
// These are matched against text in lower case.
const HARD =
  /\b(?:architect|re-?design|refactor|migrat|trade-?offs?\b|design (?:a|an|the)\b|from scratch\b|re-?write\b|security (?:review|audit)\b|prove\b|proof\b|race conditions?\b|deadlocks?\b|concurren\w|distributed\b|algorithms?\b|optimi[sz]e\b)\w*/;
const MIDDLING =
  /\b(?:debug|fix|fail|error|broken\b|crash|investigat|implement|deploy|tests?\b|integrat|roll(?:ing|ed)?[ -]?back\b|outage\b|incident\b|prod(?:uction)?\b|why\b|builds?\b)\w*/;
const LISTED = /^\s*(?:[-*+]|\d+[.)])\s+\S/gm;
const FAILED =
  /\b(?:exit(?:ed)?(?: with)?(?: code)?[ :=]+[1-9]\d*|traceback \(most|crashloopbackoff|oomkilled|evicted|fatal:|(?:error|failed)\b|not found|timed? ?out|npm err!)|(?:^|\n)(?:fail|✗|×)\s/;
const EDITS = /edit|write|patch|replace|create/i;

/** Words that add to the difficulty, and by how much; MEDIUM from 1, HIGH from 3. */
const HIGH_FROM = 3;
const MANY_TOOLS = 8;
const MANY_FAILURES = 3;
const MANY_EDITS = 5;
const LONG_REQUEST = 800;
const MANY_ITEMS = 4;

/** Judged by the last requests, and by the results of tools for them. */
export function complexityOf(messages: readonly Message[]): Level {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .slice(-REQUESTS)
    .map(({ content }) => withoutCode(content.slice(0, LONGEST_READ)));
  const tools = messages.filter(({ role }) => role === 'tool');
  // Calls are JSON; the rest are results.
  const calls = tools.filter(({ content }) => content.startsWith('{'));
  const failures = failuresOf(tools.filter(({ content }) => !content.startsWith('{')));
  const edits = calls.filter(({ tool = '' }) => EDITS.test(tool)).length;
  const words = asked.join('\n').toLowerCase();
  const hard = HARD.exec(words)?.[0];
  const middling = hard ?? MIDDLING.exec(words)?.[0];
  const last = asked.at(-1) ?? '';
  const points: [number, string][] = [];
  if (hard !== undefined) points.push([3, `"${hard}"`]);
  else if (middling !== undefined) points.push([1, `"${middling}"`]);
  if ((last.match(LISTED)?.length ?? 0) >= MANY_ITEMS) points.push([1, 'a request of many items']);
  if (last.length >= LONG_REQUEST) points.push([1, 'a long request']);
  if (tools.length >= MANY_TOOLS) points.push([1, `${tools.length} tool messages`]);
  if (failures >= MANY_FAILURES) points.push([2, `${failures} of them of a failure`]);
  if (edits >= MANY_EDITS) points.push([1, `${edits} edits`]);
  const sum = points.reduce((total, [point]) => total + point, 0);
  return {
    level: sum >= HIGH_FROM ? 'HIGH' : sum > 0 ? 'MEDIUM' : 'LOW',
    why: points.length === 0 ? 'nothing that points to hard work' : points.map(([, why]) => why).join(', '),
  };
}

/** The number of outputs that report a failure; not computed if there are too few to count. */
function failuresOf(outputs: readonly Message[]): number {
  if (outputs.length < MANY_FAILURES) return 0;
  return outputs.filter(({ content }) => FAILED.test(content.slice(0, LONGEST_READ).toLowerCase())).length;
}

function withoutCode(text: string): string {
  return text.includes('```') ? text.replace(/```[\s\S]*?(?:```|$)/g, ' ') : text;
}
