import type { PadDocument } from '../pad/document.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { Actor } from './actor.ts';
import type { Author, Revision, Spaces } from './journal.ts';
import type { PlanKey, PlanMark } from './plan-key.ts';
import type { PlanReader, Plans, VisiblePlan } from './plans.ts';
import type { KeptState } from './state-file.ts';

export interface Snapshot {
  session: string;
  exists: boolean;
  document: PadDocument;
  /** The plan is the one that this caller sees. */
  spaces: Spaces;
  /** That plan with its owner, and the other open ones. */
  seen?: VisiblePlan;
  plans?: Plans;
  revision: number;
  /** The spaces came from elsewhere, and are not shown to this caller. */
  isWithheld?: boolean;
  /** The file contains git conflict markers: the spaces are the earlier ones, and nothing can be written. */
  conflicted?: boolean | undefined;
  /** The file shows another plan than a person sees, after a checkout or a kill, or has a new one. */
  isBehind?: boolean;
  /** The state that was assembled here last, without what is outdated: the block of `document` is rendered from it. */
  state?: KeptState;
  /** When the block of the file was made and how long it counts, if it was not assembled here. */
  elsewhere?: { updated: string; ttlMs: number };
  /** When and by whom each space was changed last; for the plan, where. */
  changed?: Readonly<Partial<Record<SpaceName, LastChange>>>;
  /** Who made the changes in the file that no command has journalled yet: a person, or git. */
  edits?: Partial<Record<SpaceName, Author | undefined>>;
  /** Notices for the reader: damage found, edits merged, conflicts kept. */
  notices: readonly string[];
}

export interface LastChange extends PlanKey {
  /** Epoch milliseconds. */
  at: number;
  actor?: Actor | undefined;
}

export interface Change extends Pick<Revision, 'space' | 'content' | 'op' | 'of'> {
  /** The author, if it is not the caller, because the change came from another machine. */
  actor?: Actor;
  /** The plan that it changes, with its labels from now on; otherwise the one that the caller sees. */
  plan?: PlanMark;
}

export interface CommitResult extends Snapshot {
  /** Revisions that this change made; adopted edits of a person come first. */
  revisions: readonly Revision[];
}

export interface History {
  revisions: readonly Revision[];
  /** The spaces before the first of `revisions`. */
  base: Spaces;
  bases?: readonly Revision[];
  /** The changes of the other plans, which have numbers among these. */
  elsewhere?: readonly Revision[];
  skipped: number;
}

/** Chooses the changes to the current memory. */
export type Decide = (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>;

/**
 * Stores one session's memory. Changes are atomic and isolated: `change` passes the current memory to `decide` while
 * nobody else can write, and the result is durable when the promise resolves. If `decide` throws, nothing has changed.
 */
export interface SessionStore {
  read(): Promise<Snapshot>;
  change(decide: Decide, by?: Author): Promise<CommitResult>;
  /**
   * The changes to the notes, the refs and one plan, including edits in the file that no command has journalled yet.
   * @param plan the one that the caller sees, or the one that they undid last
   */
  history(plan?: 'visible' | 'undone'): Promise<History>;
}

/** A session's memory with the state that is assembled for it, in a file that a person may edit. */
export interface PadStore extends SessionStore {
  /** Keeps a new state beside the file, which stays as it is. @returns false if there is no place for it */
  keepState(state: KeptState): boolean;
  /**
   * Keeps a new state and renders it into the file; by default the one that is kept, if the file has another one, or
   * another plan than a person sees.
   */
  writeState(state?: KeptState): Promise<readonly string[]>;
  /** The key of a plan that is made here; `undefined` in a pad that belongs to one session. */
  readonly here: PlanKey | undefined;
  /** When the file was saved, in epoch milliseconds. */
  savedAt(): number | undefined;
}

export interface FileStoreOptions {
  primary?: string;
  now?: () => number;
  lockWaitMs?: number;
  env?: NodeJS.ProcessEnv;
  folder?: string;
  /** Throws if a session that does not exist yet must not be created. */
  assertCanCreate?: () => void;
  tracked?: boolean;
  /** The caller's working directory; default: the workspace. */
  cwd?: string;
  by?: Author;
  /** The host's session, if the environment does not name it. */
  as?: PlanReader;
  /** Notices that each change reports besides its own. */
  notices?: readonly string[];
  /** Git's name of the linked work tree whose state and plans these are. */
  worktree?: string | undefined;
}
