import { GUIDANCE } from '../guidance.ts';
import type { Invocation } from './invocation.ts';

/** Prints what a system prompt should say of the scratchpad. Shape with `--json`: `{guidance}`. */
export function guidance(invocation: Invocation): void {
  invocation.result({ guidance: GUIDANCE }, GUIDANCE);
}
