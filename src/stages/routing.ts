import { findSecrets } from '../base/safety/index.ts';
import type { Message } from '../transcript/types.ts';
import { PRIORITY } from './priorities.ts';
import type { BuiltInStage } from './stage.ts';

/** A judgement on a three-step scale, with its reasons for `--explain`. */
interface Level {
  level: 'LOW' | 'MEDIUM' | 'HIGH';
  why: string;
}

/** Routing Hint: how sensitive and how hard the current work looks. scratchpad itself does not act on it. */
export const routingStage: BuiltInStage = {
  priority: PRIORITY.routing,
  run({ messages, config: { routing } }) {
    if (!messages.some((message) => message.role === 'user')) return null;
    const sensitivity = sensitivityOf(messages);
    const complexity = complexityOf(messages);
    const byComplexity = { LOW: routing.low, MEDIUM: routing.medium, HIGH: routing.high };
    const kept = { medium: ['MEDIUM', 'HIGH'], high: ['HIGH'], never: [] as string[] }[routing.privateFrom];
    const model = kept.includes(sensitivity.level) ? routing.private : byComplexity[complexity.level];
    return {
      lines: [
        {
          text: `- Content sensitivity: ${sensitivity.level} | Task complexity: ${complexity.level} | Suggested model: ${model}`,
          why: `sensitivity: ${sensitivity.why}; complexity: ${complexity.why}`,
        },
      ],
    };
  },
};

/** The part of each message that is checked; tool output is part of the model's context too. */
const LONGEST_READ = 2000;
const READ_IN_ALL = 24_000;
const EMAIL = /[\w.+-]{1,64}@((?:[a-z\d-]{1,63}\.){1,4}[a-z]{2,24})(?![\w-])/gi;
/** Addresses of nobody: documentation, machines, remotes of a repository. */
const NOBODY =
  /(?:^|\.)(?:example|invalid|test|local(?:host)?|internal)$|^(?:example|test|domain)\.(?:com|org|net)$|^(?:github|gitlab|bitbucket)\.(?:com|org)$|noreply/i;
/**
 * International form only: without the plus a number may be anything. In parentheses a plus counts lines of a diff.
 */
const PHONE = /(?<![\w+[(])\+[1-9]\d{0,2}(?:[ .-]?(?:\(\d{1,4}\)|\d{1,4})){2,6}(?![\w)\]-])/g;
/** A complete number with country code has at least this many digits (ITU-T E.164 allows up to 15). */
const SHORTEST_PHONE = 9;

/** HIGH: a credential is in the window. MEDIUM: personal data - cards, accounts, addresses, telephone numbers. */
export function sensitivityOf(messages: readonly Message[]): Level {
  let text = '';
  for (const { content } of messages.toReversed()) {
    if (text.length >= READ_IN_ALL) break;
    text += `${content.slice(0, LONGEST_READ)}\n`;
  }
  const found = findSecrets(text);
  const secrets = found.filter(({ personal }) => personal !== true);
  if (secrets.length > 0) return { level: 'HIGH', why: kinds(secrets.map(({ kind }) => kind)) };
  const emails = [...text.matchAll(EMAIL)].filter(
    ([address, host = '']) => !NOBODY.test(host) && !/^(?:git|no-?reply)@/i.test(address),
  );
  const phones = (text.match(PHONE) ?? []).filter(
    (number) => number.replace(/\D/g, '').length >= SHORTEST_PHONE,
  );
  const people = [
    ...found.map(({ kind }) => kind),
    ...emails.map(() => 'e-mail address'),
    ...phones.map(() => 'telephone number'),
  ];
  if (people.length > 0) return { level: 'MEDIUM', why: kinds(people) };
  return { level: 'LOW', why: 'no secrets or personal data in the window' };
}

/** `2 × e-mail address, IBAN` */
function kinds(found: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const kind of found) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`)).join(', ');
}

const REQUESTS = 3;
const LONGEST_JUDGED = 4000;
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
function complexityOf(messages: readonly Message[]): Level {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .slice(-REQUESTS)
    .map(({ content }) => withoutCode(content.slice(0, LONGEST_JUDGED)));
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
  return outputs.filter(({ content }) => FAILED.test(content.slice(0, LONGEST_JUDGED).toLowerCase())).length;
}

function withoutCode(text: string): string {
  return text.includes('```') ? text.replace(/```[\s\S]*?(?:```|$)/g, ' ') : text;
}
