import { tryStat } from '../base/fs/index.ts';
import { defuse, safeLine } from '../base/safety/index.ts';
import { digest } from '../base/text/strings.ts';
import { Sessions } from '../core/sessions.ts';
import { FileEntries } from '../entries/file-entries.ts';
import type { Offer } from '../ledger/compose.ts';
import { deliver } from '../ledger/ledger.ts';
import { FileStore } from '../session/file-store.ts';
import { NO_SPACES, type Spaces } from '../session/journal.ts';
import type { HookInput } from './protocol.ts';
import type { Session } from './session.ts';
import { recall, remember } from './session-memory.ts';

/** The initial state of a subagent. */
export interface Given {
  spaces: Spaces;
  /** Names of the lent entries. */
  lent: readonly string[];
}

const NOTHING: Given = { spaces: NO_SPACES, lent: [] };
/** How many subagents of a session are remembered, and how many of their newest lines are told. */
const MOST_CHILDREN = 20;
const MOST_NOTES = 5;

/**
 * A subagent starts with an empty notepad and its own id, which commands take as `--session`; its first note makes
 * its pad. By `subagent.copyNotepad` and `subagent.inherit` it starts with a copy of the notes, and may read entries of
 * its parent. Unknown names are skipped.
 */
export async function spawnFor(at: Session, { session }: HookInput, child: string): Promise<Given> {
  const { primarySession: primary, hook, subagent } = at.config;
  const parent = hook.pad === 'own' && session !== undefined ? session : primary;
  const now = (): number => at.now;
  const store = (id: string): FileStore => new FileStore(at.root, id, { primary, now });
  try {
    if (session !== undefined) introduce(at, session, child);
    if (!subagent.copyNotepad && subagent.inherit.length === 0) return NOTHING;
    const there = await new FileEntries(store(parent).paths, now).list();
    const lent = subagent.inherit.filter((name) => there.some((entry) => entry.name === name));
    if (!(await store(child).read()).exists) {
      const sessions = new Sessions(at.root, { primary, now });
      await sessions.spawn(parent, child, { copyNotepad: subagent.copyNotepad, inherit: lent });
    }
    const { spaces } = await store(child).read();
    return { spaces, lent };
  } catch (error) {
    at.fault('a pad for the subagent', error);
    return NOTHING;
  }
}

/** Parent and child are told of each other, so that commands know the child and the parent hears what it notes. */
function introduce(at: Session, parent: string, child: string): void {
  const { children = [] } = at.memory;
  at.memory.children = [...children.filter((id) => id !== child), child].slice(-MOST_CHILDREN);
  remember(at.data, child, { ...recall(at.data, child), parent });
}

/** What the subagents of a session have noted in their own pads. */
export async function notedByChildren(at: Session): Promise<Offer[]> {
  const { primarySession: primary } = at.config;
  const offers: Offer[] = [];
  for (const child of at.memory.children ?? []) {
    const store = new FileStore(at.root, child, { primary });
    if (!tryStat(store.paths.journal)) continue;
    const { spaces } = await store.read();
    const { revisions } = await store.history();
    // What it was given at its start is no news.
    const given = new Set(
      revisions.filter(({ op }) => op === 'spawn').flatMap(({ content }) => content.split('\n')),
    );
    const lines = spaces.notes.split('\n').filter((line) => line.trim() !== '' && !given.has(line));
    for (const line of lines.slice(-MOST_NOTES))
      offers.push({
        key: `child:${child}:${digest(line)}`,
        text: safeLine(`Subagent ${child} noted: ${line}`),
        priority: 90,
        everyMs: Number.POSITIVE_INFINITY,
      });
  }
  return offers;
}

/** The same at the result of a tool: those that the model was not told yet. */
export async function newsOfChildren(at: Session): Promise<string> {
  const { ledger } = at.memory;
  if (ledger === undefined) return '';
  const news = (await notedByChildren(at)).filter(({ key }) => ledger.lines[key] === undefined);
  for (const { key, text } of news) deliver(ledger, key, text, at.now);
  return news.map(({ text }) => `[Scratchpad] ${defuse(text)}`).join('\n');
}
