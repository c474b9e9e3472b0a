import { safeLine } from '../base/safety/index.ts';
import { besideLine } from './plan-words.ts';
import type { Plans } from './plans.ts';
import { isOpen } from './whose.ts';

/** The lines on other open plans in the file. */
export function linesBeside(plans: Plans, shown: string): string {
  return [...plans.values()]
    .filter((plan) => plan.id !== shown && isOpen(plan))
    .sort((a, b) => a.number - b.number)
    .map((plan) => `- ${safeLine(besideLine(plan))}`)
    .join('\n');
}
