import { redactStart } from '../base/safety/index.ts';
import { formatCount, quoteName, shorten } from '../base/text/strings.ts';
import { countDone, findCurrentStep, parseSteps } from './steps.ts';

const TITLE_CHARACTERS = 60;
const LONGEST_READ = 1000;

/** The heading of a plan, else its current step, or the first step of a plan that is done. */
export function getPlanTitle(plan: string): string {
  const steps = parseSteps(plan);
  return getPlanHeading(plan) ?? renderTitle((findCurrentStep(steps) ?? steps[0])?.text);
}

/** The first line of a plan, if it stands before the steps. */
export function getPlanHeading(plan: string): string | undefined {
  const lines = plan.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const [step] = parseSteps(plan);
  return step !== undefined && step.line <= first ? undefined : renderTitle(lines[first]);
}

const renderTitle = (text = ''): string =>
  shorten(collapseText(redactStart(text.replace(/^[#\s]+/, ''), LONGEST_READ)), TITLE_CHARACTERS);

/** The title of another session's plan in a sentence of ours. */
export const renderPlanTitle = (plan: string, isOfOtherChat = false): string =>
  isOfOtherChat ? 'in another chat' : quoteName(getPlanTitle(plan));

/** `2 of 5 done`; without steps `4 lines`. */
export function renderProgress(plan: string): string {
  const steps = parseSteps(plan);
  if (steps.length > 0) return `${countDone(steps)} of ${steps.length} done`;
  return formatCount(plan.split('\n').filter((line) => line.trim() !== '').length, 'line');
}

const collapseText = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ');
