import { findSecrets } from '../safety/redact.ts';
import type { Stage } from './stage.ts';

const HARD =
  /\b(?:architect\w*|redesign|refactor\w*|migrat\w*|trade-?offs?|design (?:a|the)|from scratch|rewrite|security review|prove)\b/i;
const MIDDLING =
  /\b(?:debug\w*|fix\w*|fail\w*|error\w*|broken|investigat\w*|implement\w*|deploy\w*|test\w*|why)\b/i;
const MANY_TOOLS = 8;

/** Routing Hint: how sensitive and how hard the work at hand looks. A hint: nothing acts on it here. */
export const routingStage: Stage = {
  id: 'routing',
  title: 'Routing Hint',
  priority: 30,
  timeoutMs: 1000,
  run({ messages }) {
    const asked = messages.filter((message) => message.role === 'user').slice(-6);
    if (asked.length === 0) return null;
    const words = asked
      .map((message) => message.content)
      .join('\n')
      .slice(0, 20_000);
    const secrets = findSecrets(words);
    const personal = secrets.length > 0 && secrets.every((secret) => secret.personal === true);
    const sensitivity = secrets.length === 0 ? 'LOW' : personal ? 'MEDIUM' : 'HIGH';
    const tools = messages.filter((message) => message.role === 'tool').length;
    const complexity = HARD.test(words)
      ? 'HIGH'
      : MIDDLING.test(words) || tools >= MANY_TOOLS
        ? 'MEDIUM'
        : 'LOW';
    const model =
      sensitivity === 'HIGH'
        ? 'local only'
        : { LOW: 'fast', MEDIUM: 'standard', HIGH: 'strongest' }[complexity];
    return {
      lines: [
        {
          text: `- Content sensitivity: ${sensitivity} | Task complexity: ${complexity} | Suggested model: ${model}`,
          why: `${secrets.length} secrets or personal data in the last ${asked.length} requests, ${tools} tool calls in the window`,
        },
      ],
    };
  },
};
