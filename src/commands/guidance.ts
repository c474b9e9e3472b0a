import { GUIDANCE, toolGuidance } from '../core/guidance.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

/**
 * Prints what a system prompt should say of the scratchpad, to an agent that has a shell or, with `--tools`, to one
 * that has the tools. Shape with `--json`: `{guidance}`.
 */
export async function guidance(
  invocation: Invocation,
  { tools = false }: { tools?: boolean },
): Promise<void> {
  const text = tools ? toolGuidance((await openSession(invocation)).config) : GUIDANCE;
  invocation.result({ guidance: text }, text);
}
