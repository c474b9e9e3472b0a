import { join } from 'node:path';
import { exists, move, tryList, tryReadJson } from '../base/fs/index.ts';
import { digest } from '../base/text/hash.ts';
import { membersOf } from '../base/text/json.ts';
import { readActor } from './actor.ts';
import { type JournalContent, readJournal, replay } from './journal.ts';
import { isOpen, keyIn, keyOf, nextNumber, type Plan, type Plans, plansAfter } from './plans.ts';
import type { SessionPaths } from './workspace.ts';

/** The folder of a linked work tree's state and entries. */
export const worktreeSession = (name: string): string => `worktree-${name}`;

/**
 * Adds the plans of earlier versions, whose journals did not say whose a plan is: a record beside the journal did,
 * and linked work trees had journals of their own. The next change writes them into the journal.
 */
export function addEarlier(paths: SessionPaths, journal: JournalContent, plans: Map<string, Plan>): void {
  const last = journal.revisions.at(-1);
  if (last !== undefined && last.shown === undefined) addRecorded(paths, journal, plans);
  for (const { name, id, dir, content } of worktreeJournals(paths)) {
    const { plan } = recordIn(dir);
    const made = readJournal(join(dir, 'journal.jsonl')).revisions.at(-1);
    if (made === undefined || plans.has(id) || isThere(plans, name, content)) continue;
    const { at = Date.parse(made.timestamp), key = {} } = plan ?? {};
    const { by, actor } = made;
    const known = { ...key, worktree: name, id, number: nextNumber(plans), content };
    plans.set(id, { ...known, at, by, actor, unwritten: true });
  }
}

/** Puts the journals of linked work trees away, once their plans are in that of all. */
export function retireEarlier(paths: SessionPaths): void {
  const old = worktreeJournals(paths);
  if (old.length === 0) return;
  const { bases, revisions } = readJournal(paths.journal);
  const plans = plansAfter([...bases, ...revisions]);
  for (const { name, id, dir, content } of old) {
    if (!plans.has(id) && !isThere(plans, name, content)) continue;
    move(join(dir, 'journal.jsonl'), join(dir, 'journal-before.jsonl'));
    const pad = join(dir, 'SCRATCHPAD.md');
    if (exists(pad)) move(pad, join(dir, 'before.md'));
  }
}

const isThere = (plans: Plans, name: string, content: string): boolean =>
  [...plans.values()].some((plan) => plan.worktree === name && plan.content === content);

function worktreeJournals({ sessions }: SessionPaths) {
  return tryList(sessions).flatMap((id) => {
    const dir = join(sessions, id);
    const journal = join(dir, 'journal.jsonl');
    if (!id.startsWith(worktreeSession('')) || !exists(journal)) return [];
    const { revisions, base } = readJournal(journal);
    const content = replay(revisions, base).plan;
    return content.trim() === '' ? [] : [{ name: id.slice(worktreeSession('').length), id, dir, content }];
  });
}

/** The plain plan is that of the record, which also says which of its contents were replaced on another branch. */
function addRecorded({ dir }: SessionPaths, journal: JournalContent, plans: Map<string, Plan>): void {
  const { plan: recorded, earlier } = recordIn(dir);
  const plain = plans.get('');
  if (recorded === undefined || plain === undefined) return;
  const { at, actor, key } = recorded;
  if (digest(plain.content) === recorded.digest && Object.keys(key).length > 0)
    plans.set('', { ...plain, ...key, at, actor, sign: actor && at, unwritten: true });
  for (const { digest: of, at, key } of earlier) {
    const found = [...journal.bases, ...journal.revisions].findLast(
      ({ space, content }) => space === 'plan' && digest(content) === of,
    );
    if (found === undefined || key.branch === recorded.key.branch || !isOpen(found)) continue;
    const known = [...plans.values()].find(({ id, branch }) => id !== '' && branch === key.branch);
    const { id = `before-${of.slice(0, 8)}`, number = nextNumber(plans) } = known ?? {};
    const session = found.actor?.session;
    const { content, by } = found;
    plans.set(id, { ...keyOf({ ...key, session }), id, number, content, at, by, sign: at, unwritten: true });
  }
}

function recordIn(dir: string): { plan?: Recorded; earlier: Recorded[] } {
  const { plan, earlier } = membersOf(tryReadJson(join(dir, 'origins.json'), 'record'));
  const replaced = Array.isArray(earlier) ? earlier.flatMap((each) => recorded(each) ?? []) : [];
  return { plan: recorded(plan), earlier: replaced };
}

type Recorded = NonNullable<ReturnType<typeof recorded>>;

function recorded(value: unknown) {
  const { at, digest: of, actor: author, repository, identity, branch } = membersOf(value);
  if (typeof at !== 'number' || typeof of !== 'string') return undefined;
  const actor = readActor(author);
  const place = repository !== undefined && !exists(String(repository)) ? {} : { repository };
  return { at, digest: of, actor, key: keyIn({ ...place, identity, branch, session: actor?.session }) };
}
