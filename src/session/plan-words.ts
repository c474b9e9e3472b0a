import { safeLine } from '../base/safety/index.ts';
import { counted } from '../base/text/counts.ts';
import { shorten } from '../base/text/shorten.ts';
import { stepsOf } from '../pad/steps.ts';
import type { Plan, Plans } from './plans.ts';
import { isOpen } from './plans.ts';

const TITLE_CHARACTERS = 60;
const SESSION_SHOWN = 8;

/** What a plan is about: its text before the steps, else its first step. */
export function titleOf({ content }: Pick<Plan, 'content'>): string {
  const steps = stepsOf(content);
  const first = content.split('\n').findIndex((line) => line.trim() !== '');
  const step = steps[0];
  const words = step !== undefined && step.line <= first ? step.text : (content.split('\n')[first] ?? '');
  return shorten(oneLine(words.replace(/^[#\s]+/, '')), TITLE_CHARACTERS);
}

/** `2 of 5 done`; without steps `4 lines`. */
export function progressOf({ content }: Pick<Plan, 'content'>): string {
  const steps = stepsOf(content);
  if (steps.length > 0) return `${steps.filter(({ done }) => done).length} of ${steps.length} done`;
  return counted(content.split('\n').filter((line) => line.trim() !== '').length, 'line');
}

/** `session 7c1f0a52 on feat/login`, `work tree feature`; empty for a plan that nothing is known of. */
export function ownerOf({ session, branch, worktree }: Plan): string {
  const who = session === undefined ? '' : `session ${session.slice(0, SESSION_SHOWN)}`;
  const where = worktree === undefined ? branch : `the work tree ${worktree}`;
  return oneLine([who, where].filter(Boolean).join(' on '));
}

/** A plan in the list below the one that the file shows. */
function besideLine(plan: Plan): string {
  const owner = ownerOf(plan);
  return `Plan ${plan.number}${owner === '' ? '' : `, of ${owner}`}: ${titleOf(plan)} (${progressOf(plan)})`;
}

/** The lines on other open plans in the file. */
export function linesBeside(plans: Plans, shown: string | undefined): string {
  return [...plans.values()]
    .filter((plan) => plan.id !== shown && isOpen(plan))
    .sort((a, b) => a.number - b.number)
    .map((plan) => `- ${safeLine(besideLine(plan))}`)
    .join('\n');
}

export const oneLine = (text = ''): string => text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').slice(0, 120);
