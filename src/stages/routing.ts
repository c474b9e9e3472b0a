import { findSecrets } from '../base/safety/index.ts';
import type { Message } from '../transcript/types.ts';
import { findPersonalData } from './personal-data.ts';
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

    const sensitivity = rateSensitivity(messages);
    const complexity = rateComplexity(messages);
    const byComplexity = { LOW: routing.low, MEDIUM: routing.medium, HIGH: routing.high };
    const model = sensitivity.level === 'LOW' ? byComplexity[complexity.level] : routing.private;

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

/** HIGH: a credential, or a name with a diagnosis, is in the window. MEDIUM: other personal data. */
export function rateSensitivity(messages: readonly Message[]): Level {
  let text = '';
  let own = '';

  for (const { role, content } of messages.toReversed()) {
    if (text.length >= READ_IN_ALL) break;
    text += `${content.slice(0, LONGEST_READ)}\n`;
    if (role === 'user') own += `${content.slice(0, LONGEST_READ)}\n`;
  }

  const found = findSecrets(text);
  const personal = findPersonalData(text, own);
  const grave = [...found.filter((each) => !each.personal), ...personal.filter(({ isHealth }) => isHealth)];
  const all = [...found, ...personal];

  if (all.length === 0) return { level: 'LOW', why: 'no secrets or personal data in the window' };

  const why = [...new Set((grave.length > 0 ? grave : all).map(({ kind }) => kind))].join(', ');

  return { level: grave.length > 0 ? 'HIGH' : 'MEDIUM', why };
}

const REQUESTS = 3;
const LONGEST_JUDGED = 4000;
const LONG_REQUEST = 800;
const HARD =
  /\b(?:architect|redesign|refactor|migrat|trade-?off|from scratch|rewrite|race condition|deadlock|concurren|optimi[sz])\w*/i;
const MIDDLING =
  /\b(?:debug|fix|fail|error|broken|crash|investigat|implement|deploy|test|rollback|outage|why|build)\w*/i;
const REPLIES = 3;
/** In the agent's own words: work that does not go by itself. */
const FAILING =
  /(?<!\b(?:no|0|zero|without|any) )\b(?:fail(?:s|ed|ing|ures?)?|errors?|crash\w*|OOM\w*|broken|timed? ?out|exit code [1-9]\d*)\b/i;

/** Judged by the words of the last requests, the length of the last one, and whether the agent speaks of failures. */
function rateComplexity(messages: readonly Message[]): Level {
  const listTexts = (wanted: Message['role'], most: number): string[] =>
    messages
      .filter(({ role, content }) => role === wanted && content.trim() !== '')
      .slice(-most)
      .map(({ content }) => content.slice(0, LONGEST_JUDGED).replace(/```[\s\S]*?(?:```|$)/g, ' '));

  const requests = listTexts('user', REQUESTS);
  const words = requests.join('\n');
  const hard = HARD.exec(words)?.[0];
  const middling = (MIDDLING.exec(words) ?? FAILING.exec(listTexts('assistant', REPLIES).join('\n')))?.[0];
  const isLong = (requests.at(-1) ?? '').length >= LONG_REQUEST;

  if (hard !== undefined) return { level: 'HIGH', why: `"${hard}"` };
  if (isLong) return { level: middling === undefined ? 'MEDIUM' : 'HIGH', why: 'a long request' };
  if (middling !== undefined) return { level: 'MEDIUM', why: `"${middling}"` };

  return { level: 'LOW', why: 'nothing that points to hard work' };
}
