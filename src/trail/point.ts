import type { Fold } from './fold.ts';
import { keep } from './keep.ts';
import { pickedFrom } from './kinds/decisions.ts';
import type { Trail } from './trail.ts';

/** An item of the agent's list that a prompt points at. */
export interface Pointed {
  label: string;
  text: string;
}

/** Turns after which a list is no longer what "2" means. */
const TURNS = 3;
const LONGEST_PROMPT = 300;

/**
 * What "1", "the second", "option B" or "1 and 3" in a prompt stand for: the items of the list that the agent put
 * before the person last. Nothing where the prompt points at nothing, or no list is near.
 */
export function pointsAt({ fold, from }: Pick<Trail, 'fold' | 'from'>, prompt: string): Pointed[] {
  if (from !== 'session' || prompt.length > LONGEST_PROMPT) return [];
  return pointedIn(fold, prompt);
}

function pointedIn({ states, course }: Fold, prompt: string): Pointed[] {
  return pickedFrom(states.decision, prompt, course.turn, TURNS, false).map(({ label, text }) => ({
    label: label.toUpperCase(),
    text: keep(text),
  }));
}
