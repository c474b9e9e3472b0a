import { GUIDANCE, toolGuidance } from '../core/guidance.ts';
import type { Invocation } from './invocation.ts';
import { openSession } from './open.ts';

/**
 * Prints what a system prompt should say about the scratchpad, for an agent with a shell or, with `--tools`, for
 * one with the tools.
 */
export async function guidance(
  invocation: Invocation,
  { tools = false }: { tools?: boolean },
): Promise<void> {
  const text = tools ? toolGuidance((await openSession(invocation)).config) : GUIDANCE;
  invocation.result({ guidance: text }, text);
}
