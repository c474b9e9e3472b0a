import { rankedItems } from './rank.ts';
import type { Trail } from './trail.ts';

/** Files that are worth keeping at hand. */
const MOST_REFS = 10;

/**
 * The host's task list, or else the approved plan, as text for the plan space: one step per line, finished ones
 * struck through, the one in progress marked as current. Undefined if the session has neither.
 */
export function planFrom(trail: Trail): string | undefined {
  const { list } = trail.fold.states.task;
  const steps = list.filter(({ status }) => status !== 'dropped');
  if (steps.some(({ status }) => status !== 'done')) {
    return steps
      .map(({ text, status }, index) => {
        if (status === 'done') return `${index + 1}. ~~${text}~~ DONE`;
        return `${index + 1}. ${text}${status === 'active' ? ' <-- current' : ''}`;
      })
      .join('\n');
  }
  const { plan } = trail.fold.states.plan;
  return plan === undefined
    ? undefined
    : `1. ${plan.title}${plan.file === undefined ? '' : ` (${plan.file})`}`;
}

/** The files of the workspace that are most likely to be used again, best first. */
export function refsFrom(trail: Trail): string[] {
  const shown = new Set(
    trail.facts.filter(({ kind }) => kind === 'file').map(({ text }) => text.replace(/ \(lines .*\)$/, '')),
  );
  return rankedItems(trail)
    .filter(({ kind, value }) => kind === 'file' && shown.has(value) && !/^(?:[/~]|[A-Za-z]:)/.test(value))
    .slice(0, MOST_REFS)
    .map(({ value }) => value);
}
