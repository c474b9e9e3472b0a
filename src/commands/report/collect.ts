import { assemblePad } from '../../assembly/assemble-pad.ts';
import { redactSecrets, visible } from '../../base/safety/index.ts';
import { shorten } from '../../base/text/strings.ts';
import type { Pad } from '../../core/context.ts';
import { changeInShort, historyOf, rowsOf, spellAuthor } from '../../core/history.ts';
import { FileEntries } from '../../entries/file-entries.ts';
import { lineOf, openHandover } from '../../handover/index.ts';
import { remembered } from '../../hosts/session-memory.ts';
import { toldIn } from '../../ledger/ledger.ts';
import { refsOf } from '../../pad/budget.ts';
import { stepsOf } from '../../pad/steps.ts';
import type { SessionPaths } from '../../session/workspace.ts';
import { readTranscriptFile } from '../../transcript/read.ts';
import type { Compaction, Message, Role } from '../../transcript/types.ts';

/** One event of the session: a message, or the output of a tool. */
export interface TimelineEvent {
  /** ISO 8601, UTC; absent if the host does not record it. */
  at?: string;
  who: 'person' | 'agent' | 'tool' | 'system';
  /** The tool, or the speaker in a group chat. */
  name?: string;
  text: string;
}

/** Everything that the page shows; all texts without secrets, times in ISO 8601 and UTC. */
export type ReportData = Awaited<ReturnType<typeof collectReport>>;

const WHO: Record<Role, TimelineEvent['who']> = {
  user: 'person',
  assistant: 'agent',
  tool: 'tool',
  system: 'system',
};
/** Most characters of an event to show. */
const SHOWN = 400;

/** Reads everything that the page shows. Writes nothing. */
export async function collectReport(pad: Pad, paths: SessionPaths, transcript?: string) {
  const { root, config, env } = pad;
  const { spaces } = await pad.store.read();
  const { assembly, source } = await assemblePad(pad, { transcript });
  const path = source?.path;
  const read =
    path === undefined ? undefined : await readTranscriptFile(path, { limit: Number.POSITIVE_INFINITY });
  const now = pad.now();
  const handover = await openHandover({
    root,
    config,
    env,
    now,
    transcript: path,
    onProblem: () => undefined,
  });
  const ledger = remembered(paths.data).find(({ memory }) => memory.ledger !== undefined)?.memory.ledger;
  const history = await historyOf(pad);
  const contents = new Map(history.revisions.map(({ rev, content }) => [rev, content]));
  const entries = await new FileEntries(paths, () => now).list();
  return {
    workspace: fromHome(root, env),
    session: paths.session,
    made: new Date(now).toISOString(),
    source: source && oneLine(fromHome(source.name, env)),
    events: eventsOf(read?.messages ?? [], read?.facts.compactions ?? []),
    plan: redactSecrets(visible(spaces.plan)),
    notes: redactSecrets(visible(spaces.notes)),
    refs: refsOf(spaces.refs).map((ref) => oneLine(ref)),
    planMoments: rowsOf(history)
      .filter(({ space }) => space === 'plan')
      .map((row) => {
        const steps = stepsOf(contents.get(row.rev) ?? '');
        return {
          at: row.timestamp,
          by: spellAuthor(row),
          steps: steps.length,
          done: steps.filter(({ done }) => done).length,
          words: oneLine(`${row.op}: ${changeInShort(row)}`),
        };
      }),
    sections: assembly.stages.map(({ title, lines }) => ({
      title,
      lines: lines.map(({ text, why }) => ({
        text: oneLine(text).replace(/^- /, ''),
        why: why && oneLine(why),
      })),
    })),
    handover: oneLine(handover?.line ?? ''),
    said: (handover?.messages ?? []).map((said) => ({
      text: oneLine(lineOf(said)),
      told: said.told,
      at: said.at,
    })),
    told: ledger === undefined ? [] : toldIn(ledger).map(({ at, text }) => ({ at, text: oneLine(text) })),
    toldTokens: ledger?.tokens ?? 0,
    heldAt: ledger?.heldAt === undefined ? undefined : new Date(ledger.heldAt).toISOString(),
    heldBack: (ledger?.heldBack ?? []).map(({ text, reason }) => ({
      text: oneLine(text),
      reason: oneLine(reason),
    })),
    entries: entries.map(({ name, characters, origin }) => ({
      name,
      characters,
      origin: oneLine(origin),
    })),
  };
}

/** The messages, and between them the compactions of a known time. */
function eventsOf(messages: readonly Message[], compactions: readonly Compaction[]): TimelineEvent[] {
  const events = messages.map(eventOf);
  for (const { timestamp, summary } of compactions) {
    const time = Date.parse(timestamp ?? '');
    if (timestamp === undefined || Number.isNaN(time)) continue;
    const text = `context compacted${summary === undefined ? '' : `; the summary: ${summary.slice(0, SHOWN * 4)}`}`;
    const after = events.findLastIndex(({ at }) => at !== undefined && Date.parse(at) <= time);
    events.splice(after + 1, 0, { at: timestamp, who: 'system', text: oneLine(text, SHOWN) });
  }
  return events;
}

function eventOf({ role, content, sender, tool, timestamp }: Message): TimelineEvent {
  const name = role === 'tool' ? tool : sender;
  return {
    at: timestamp,
    who: WHO[role],
    name: name && oneLine(name, 80),
    // A secret may cross the cut, so more text than is shown is redacted.
    text: oneLine(content.slice(0, SHOWN * 4), SHOWN),
  };
}

/** A text on one line, without secrets and invisible characters; the page escapes it. */
function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  return shorten(redactSecrets(visible(text)).replace(/\s+/g, ' ').trim(), most);
}

/** A path with `~` for the home directory: pages are shared, and the account's name is private. */
function fromHome(path: string, { HOME }: NodeJS.ProcessEnv): string {
  return HOME && path.startsWith(`${HOME}/`) ? `~${path.slice(HOME.length)}` : path;
}
