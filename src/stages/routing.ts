import { findSecrets } from '../base/safety/index.ts';
import type { Message } from '../transcript/types.ts';
import { type BuiltInStage, PRIORITY } from './stage.ts';

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
    const model = sensitivity.level === 'HIGH' ? routing.private : byComplexity[complexity.level];
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
/** HIGH: a credential is in the window. MEDIUM: personal data - cards, accounts. */
export function sensitivityOf(messages: readonly Message[]): Level {
  let text = '';
  for (const { content } of messages.toReversed()) {
    if (text.length >= READ_IN_ALL) break;
    text += `${content.slice(0, LONGEST_READ)}\n`;
  }
  const found = findSecrets(text);
  const secrets = found.filter(({ personal }) => personal !== true);
  if (secrets.length > 0)
    return { level: 'HIGH', why: [...new Set(secrets.map(({ kind }) => kind))].join(', ') };
  if (found.length > 0)
    return { level: 'MEDIUM', why: [...new Set(found.map(({ kind }) => kind))].join(', ') };
  return { level: 'LOW', why: 'no secrets or personal data in the window' };
}

const REQUESTS = 3;
const LONGEST_JUDGED = 4000;
const LONG_REQUEST = 800;
const HARD =
  /\b(?:architect|redesign|refactor|migrat|trade-?off|from scratch|rewrite|race condition|deadlock|concurren|optimi[sz])\w*/i;
const MIDDLING =
  /\b(?:debug|fix|fail|error|broken|crash|investigat|implement|deploy|test|rollback|outage|why|build)\w*/i;

/** Judged by the words of the last requests, and the length of the last one. */
function complexityOf(messages: readonly Message[]): Level {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .slice(-REQUESTS)
    .map(({ content }) => content.slice(0, LONGEST_JUDGED).replace(/```[\s\S]*?(?:```|$)/g, ' '));
  const words = asked.join('\n');
  const hard = HARD.exec(words)?.[0];
  const middling = MIDDLING.exec(words)?.[0];
  const isLong = (asked.at(-1) ?? '').length >= LONG_REQUEST;
  if (hard !== undefined) return { level: 'HIGH', why: `"${hard}"` };
  if (isLong) return { level: middling === undefined ? 'MEDIUM' : 'HIGH', why: 'a long request' };
  if (middling !== undefined) return { level: 'MEDIUM', why: `"${middling}"` };
  return { level: 'LOW', why: 'nothing that points to hard work' };
}
