import { padContext } from '../../core/context.ts';
import { stepsOf } from '../../pad/steps.ts';
import type { ToolContext } from '../tool.ts';

export const PROMPTS = [
  {
    name: 'checkpoint',
    title: 'Save working state',
    description: 'Have the agent save what it needs before the context is compacted',
  },
  {
    name: 'resume',
    title: 'Resume work',
    description: 'Continue from the scratchpad after a compaction or in a new session',
  },
];

const CHECKPOINT =
  'The context may be compacted soon. Review your session notepad and update it with any working state, findings, or ' +
  'progress you need to preserve. Conversation details may be summarized during compaction, but the notepad is kept in full.';

/** @returns `undefined` for an unknown prompt */
export async function promptText(context: ToolContext, name: string): Promise<string | undefined> {
  if (name === 'checkpoint') return CHECKPOINT;
  if (name !== 'resume') return undefined;
  const { pad } = context;
  const { text } = await padContext(pad);
  if (text === '')
    return 'The scratchpad is empty. Say what you are working on, then keep a plan and notes in it.';
  const steps = stepsOf((await pad.store.read()).spaces.plan);
  const next =
    steps.length === 0
      ? 'Continue from here.'
      : steps.every(({ done }) => done)
        ? 'All steps of the plan are done: say so, and ask what comes next.'
        : 'Continue from here with the current step of the plan.';
  return `${text}\n${next}`;
}
