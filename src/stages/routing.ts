import { PRIORITY } from './priorities.ts';
import { complexityOf } from './routing/complexity.ts';
import { sensitivityOf } from './routing/sensitivity.ts';
import type { BuiltInStage } from './stage.ts';

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
