import type { Message } from '../../transcript/message.ts';
import type { Level } from './level.ts';

const REQUESTS = 3;
const LONGEST_READ = 4000;
const HARD =
  /\b(?:architect\w*|re-?design\w*|refactor\w*|migrat\w*|trade-?offs?|design (?:a|an|the)|from scratch|re-?write|security (?:review|audit)|prove|proof|race conditions?|deadlocks?|concurren\w+|distributed|algorithms?|optimi[sz]e)\b/i;
const MIDDLING =
  /\b(?:debug\w*|fix\w*|fail\w*|error\w*|broken|crash\w*|investigat\w*|implement\w*|deploy\w*|tests?|integrat\w*|roll(?:ing|ed)?[ -]?back|outage|incident|prod(?:uction)?|why|builds?)\b/i;
const LISTED = /^\s*(?:[-*+]|\d+[.)])\s+\S/gm;
const FAILED =
  /\b(?:exit(?:ed)?(?: with)?(?: code)?[ :=]+[1-9]\d*|traceback \(most|CrashLoopBackOff|OOMKilled|Evicted|fatal:|(?:error|failed)\b|not found|timed? ?out|npm ERR!)|(?:^|\n)(?:FAIL|✗|×)\s/i;
const EDITS = /edit|write|patch|replace|create/i;

/** What adds to the difficulty, and by how much; from 1 on it is MEDIUM, from 3 on HIGH. */
const HIGH_FROM = 3;
const MANY_TOOLS = 8;
const MANY_FAILURES = 3;
const MANY_EDITS = 5;
const LONG_REQUEST = 800;
const MANY_ITEMS = 4;

/** From the last requests, and from what the tools have gone through for them. */
export function complexityOf(messages: readonly Message[]): Level {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .slice(-REQUESTS)
    .map(({ content }) => content.slice(0, LONGEST_READ).replace(/```[\s\S]*?(?:```|$)/g, ' '));
  const tools = messages.filter(({ role }) => role === 'tool');
  // What is called is JSON; the rest is what came of it.
  const failures = tools.filter(
    ({ content }) => !content.startsWith('{') && FAILED.test(content.slice(0, LONGEST_READ)),
  ).length;
  const edits = tools.filter(({ tool = '', content }) => EDITS.test(tool) && content.startsWith('{')).length;
  const words = asked.join('\n');
  const hard = HARD.exec(words)?.[0];
  const middling = MIDDLING.exec(words)?.[0];
  const last = asked.at(-1) ?? '';
  const points: [number, string][] = [];
  if (hard !== undefined) points.push([3, `"${hard.toLowerCase()}"`]);
  else if (middling !== undefined) points.push([1, `"${middling.toLowerCase()}"`]);
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
