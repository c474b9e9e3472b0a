import type { Trail } from './trail.ts';

/** The current work of a session, by its own records. */
export interface Work {
  text: string;
  from: 'task' | 'plan';
  why: string;
}

/** The task in progress, else the approved plan. A branch's name alone does not show the current work. */
export function workingOn({ facts }: Pick<Trail, 'facts'>): Work | undefined {
  const open = facts.filter((fact) => fact.open);
  const task = open.find(({ kind, text }) => kind === 'task' && text.startsWith('in progress: '));
  if (task !== undefined)
    return { text: task.text.replace('in progress: ', ''), from: 'task', why: task.why };
  const plan = open.find(({ kind }) => kind === 'plan');
  return plan && { text: plan.text, from: 'plan', why: plan.why };
}
