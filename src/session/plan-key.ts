import { toMembers } from '../base/text/json.ts';

/** Whose a plan is: the linked work tree, the branch and the host's session that it was made in. */
export interface PlanKey {
  /** Git's name of a linked work tree; none for the main one. */
  worktree?: string | undefined;
  branch?: string | undefined;
  /** The host's session; none for the plan of a person at the shell. */
  session?: string | undefined;
}

/** A plan's identity in a journal. The id of a plan without labels, such as outside of git, is empty. */
export interface PlanMark extends PlanKey {
  id: string;
  /** What a person calls it: `plan take 2`. */
  number: number;
}

const KEYS = ['worktree', 'branch', 'session'] as const;

export function readMark(value: unknown): PlanMark | undefined {
  const { id, number, ...rest } = toMembers(value);
  if (typeof id !== 'string' || typeof number !== 'number' || !Number.isInteger(number)) return undefined;
  return { id, number, ...pickKey(rest) };
}

/** The key in an object: a plan, or what a file says of one. */
export function pickKey(from: object): PlanKey {
  const members = toMembers(from);
  return Object.fromEntries(
    KEYS.flatMap((key) => (typeof members[key] === 'string' ? [[key, members[key]]] : [])),
  );
}

export const pickMark = (plan: PlanMark): PlanMark => ({
  ...pickKey(plan),
  id: plan.id,
  number: plan.number,
});

export function isSameKey(a: PlanKey, b: PlanKey): boolean {
  return KEYS.every((key) => a[key] === b[key]);
}
