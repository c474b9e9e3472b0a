import { count, record, type Shape, text } from '../base/fs/json-shape.ts';

/** The labels of a plan: the linked work tree, the branch and the host's session in which it was made. */
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

const LABELS = { worktree: text, branch: text, session: text };
const KEY: Shape<PlanKey> = record({}, LABELS);

export const readMark: Shape<PlanMark> = record({ id: text, number: count }, LABELS);

/** The key in an object: a plan, or what a file says of one. */
export const pickKey = (from: object): PlanKey => KEY(from) ?? {};

export const pickMark = (plan: PlanMark): PlanMark => ({
  ...pickKey(plan),
  id: plan.id,
  number: plan.number,
});

export const isSameKey = (a: PlanKey, b: PlanKey): boolean =>
  a.worktree === b.worktree && a.branch === b.branch && a.session === b.session;
