import { refused, type ScratchpadError } from '../base/errors.ts';
import type { Replaced } from '../base/fs/index.ts';
import { PAD_FILE } from '../base/fs/index.ts';
import { parsePad } from '../pad/document.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import type { Actor } from './actor.ts';
import { composeFile } from './compose.ts';
import type { Author, Revision } from './journal.ts';
import type { JournalContent } from './journal-file.ts';
import { ONE_PLAN, type PlanScope } from './plan-scope.ts';
import { linesBeside } from './plan-words.ts';
import { type Conflict, isTracked, type KnownOfFile } from './reconcile.ts';
import type { Change, Committed, Snapshot } from './store.ts';
import { healedDocument, type PadView, snapshotOf, viewOf } from './view.ts';

/** A new pad text, stored beside the pad and ready to replace it. */
export interface PreparedPad {
  replace(expected: string | undefined): Replaced | Promise<Replaced>;
  discard(): void;
}

/** The storage operations that a change needs. The caller holds the session's lock. */
export interface Medium {
  session: string;
  /** Who asks for changes. */
  actor?: Actor;
  /** The pad's current text, `undefined` if there is none. */
  readPad(): Promise<string | undefined>;
  lastRevision(): Revision | undefined;
  journal(): JournalContent;
  /** Keeps a damaged pad, and says where. */
  keepOriginal(view: PadView): string;
  /** Keeps both sides of a conflict, and says where. */
  keepConflict(conflict: Conflict): string;
  /** Whether git tracks the pad from now on. */
  tracked?: boolean;
  /** What is known of the file beside its text. */
  known?: KnownOfFile;
  /** How the caller sees the plans; in a file that git tracks they have no branch, because git keeps one for each. */
  scope?(tracked: boolean): PlanScope;
  /** Whether an assembly here wrote this state block. */
  isOwnState?(state: string): boolean;
  /** Throws if the disk is full. */
  prepare(text: string): PreparedPad;
  /** Makes revisions durable: from here on they are acknowledged. */
  append(revisions: readonly Revision[]): void;
  /** Reverts every `append` of this change. */
  rollBack(): void;
}

/** If a person keeps saving while we write, each version is merged, up to a limit. */
const ATTEMPTS = 20;

/**
 * One change. The pad is prepared before the journal is written, so that a full disk stops the change before it
 * begins, and replaces the old one afterwards. A kill in between leaves the journal ahead, and the next command
 * renders from it. If a person saves meanwhile, their text is merged, and the change continues with it.
 */
export async function transact(
  medium: Medium,
  decide: (now: Snapshot) => readonly Change[] | Promise<readonly Change[]>,
  by: Author,
  now: () => number,
): Promise<Committed> {
  const { session } = medium;
  const revisions: Revision[] = [];
  const notices = new Set<string>();
  let changes: readonly Change[] | undefined;
  /** A person's text that was briefly in the file, and the text that replaced it. */
  let overwritten: { text: string; by: string } | undefined;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const onDisk = overwritten?.by ?? (await medium.readPad());
      const view = await viewOf(
        overwritten?.text ?? onDisk,
        medium.lastRevision(),
        () => medium.journal(),
        medium.known,
      );
      overwritten = undefined;
      if (view.conflictAt !== undefined) throw conflictRefused(view.conflictAt);
      const tracked = medium.tracked || (view.document !== undefined && isTracked(view.document));
      const scope = medium.scope?.(tracked) ?? ONE_PLAN;
      changes ??= await decide(snapshotOf(session, view, medium.isOwnState, scope));
      for (const notice of keptCopies(medium, view)) notices.add(notice);
      const { last, reconciled } = view;
      const beside = medium.scope === undefined ? () => '' : linesBeside;
      const document = healedDocument(view);
      const { actor } = medium;
      const composed = composeFile({
        session,
        document,
        reconciled,
        last,
        changes,
        by,
        actor,
        tracked: medium.tracked,
        ...{ target: scope.target, atWork: scope.atWork, beside },
        now: now(),
      });
      // Where a checkout took the file away, an empty one would only stand in the way of the next checkout.
      const nothing = reconciled.takenAway && SPACE_NAMES.every((space) => composed.spaces[space] === '');
      const prepared = composed.text === onDisk || nothing ? undefined : medium.prepare(composed.text);
      try {
        if (composed.revisions.length > 0) medium.append(composed.revisions);
      } catch (error) {
        prepared?.discard();
        throw error;
      }
      revisions.push(...composed.revisions);
      const result = (await prepared?.replace(onDisk)) ?? { done: true };
      if (result.overwritten !== undefined) overwritten = { text: result.overwritten, by: composed.text };
      const again = !result.done || overwritten !== undefined;
      // Text that is no longer in the file must be merged, however often.
      if (again && (attempt < ATTEMPTS || overwritten)) {
        // The spaces are journalled by now; only a state block remains to be written.
        changes = changes.filter((change) => change.kind === 'state');
        continue;
      }
      if (again)
        notices.add(
          'the file keeps being saved by another program: it will show the change after the next command',
        );
      const seen = scope.see(composed.plans, composed.shown);
      return {
        session,
        exists: true,
        document: parsePad(composed.text),
        spaces: { ...composed.spaces, plan: seen.plan?.content ?? '' },
        seen,
        revision: composed.revision,
        revisions,
        notices: [...notices],
      };
    }
  } catch (error) {
    medium.rollBack();
    throw error;
  }
}

function conflictRefused(line: number): ScratchpadError {
  return refused(`${PAD_FILE} contains git conflict markers: nothing was changed`, {
    where: `line ${line}`,
    expected: 'a file without them',
    next: `resolve them in an editor, then: git add ${PAD_FILE}`,
  });
}

function* keptCopies(medium: Medium, view: PadView): Generator<string> {
  if (view.problems.length > 0) yield medium.keepOriginal(view);
  for (const conflict of view.reconciled.conflicts) yield medium.keepConflict(conflict);
  for (const { space, by } of view.reconciled.adoptions) {
    if (by === 'merge') yield `${space}: merged an edit made in an older copy of the file`;
  }
  if (view.document === undefined || view.reconciled.takenAway) return;
  for (const space of SPACE_NAMES) {
    if (!view.document.regions.has(space) && view.reconciled.spaces[space] !== '')
      yield `${space}: its section was missing in the file and is written again; scratchpad ${space} clear empties it`;
  }
}
