import type { Trail } from './trail.ts';

/** What somebody would say the session works on, the best first. */
export interface Work {
  text: string;
  from: 'task' | 'plan' | 'branch' | 'reference';
  why: string;
}

const MAIN = /^(?:main|master|trunk|develop|dev|HEAD|detached at .*)$/;

/** The task in progress, the approved plan, and what the branch and the tickets say. */
export function workingOn(trail: Pick<Trail, 'facts' | 'branch'>): Work[] {
  const open = trail.facts.filter((fact) => fact.open);
  const task = open.find(({ kind, text }) => kind === 'task' && text.startsWith('in progress: '));
  const plan = open.find(({ kind }) => kind === 'plan');
  const references = open.filter(({ kind }) => kind === 'reference');
  const work: Work[] = [];
  if (task !== undefined)
    work.push({ text: task.text.replace('in progress: ', ''), from: 'task', why: task.why });
  if (plan !== undefined) work.push({ text: plan.text, from: 'plan', why: plan.why });
  if (trail.branch !== undefined && !MAIN.test(trail.branch))
    work.push({ text: `branch ${trail.branch}`, from: 'branch', why: 'the branch that is checked out' });
  const [reference] = references;
  if (reference !== undefined) work.push({ text: reference.text, from: 'reference', why: reference.why });
  return work;
}
