import { join } from 'node:path';
import { readSource } from '../assembly/source.ts';
import { misuse } from '../base/errors.ts';
import { ensureFolder, tryStat, writeAtomically } from '../base/fs/index.ts';
import { redactSecrets, visible } from '../base/safety/index.ts';
import { counted, shorten } from '../base/text/strings.ts';
import { refsOf } from '../pad/budget.ts';
import { readTranscriptFile } from '../transcript/read.ts';
import type { Compaction, Message, Role } from '../transcript/types.ts';
import { command } from './command.ts';
import { fileArgument, type Invocation, write } from './invocation.ts';
import { needPad, type Opened, openKnown } from './open.ts';
import { type Page, renderPage, type TimelineEvent } from './page.ts';
import { localTimes } from './print.ts';

export const report = command({
  about:
    'write an HTML page about the session: what happened, the plan, the notes, the references, the timeline',
  takes: {
    '-o, --output <file>': 'the file to write, - for stdout (default .scratchpad/report.html)',
    '-t, --transcript <file>': "a host's session file; the most recently active session unless given",
  },
  examples: ['scratchpad report', 'scratchpad report --output session.html'],
  run: async (call, { output, transcript }) => {
    const opened = await openKnown(call);
    const page = await pageOf(call, opened, transcript);
    const html = renderPage(page);
    if (output === '-') return write(1, html);
    const { data } = opened.store.paths;
    const file = output === undefined ? join(data, 'report.html') : fileArgument(output, call);
    if (tryStat(file)?.isDirectory())
      throw misuse('the page needs the name of a file', {
        where: '--output',
        expected: 'a file, or - for stdout',
        found: `the directory ${file}`,
        next: `give a file name: scratchpad report -o ${join(output ?? file, 'report.html')}`,
      });
    if (output === undefined) ensureFolder(data);
    writeAtomically(file, html);
    const { length } = page.events;
    call.result({ file, bytes: Buffer.byteLength(html), events: length }, file);
    const found = length === 0 ? 'no session of an agent was found' : counted(length, 'event');
    call.note(`${found}; open the page in a browser; it needs no network`);
  },
});

/** Reads everything that the page shows. */
async function pageOf(call: Invocation, opened: Opened, transcript: string | undefined): Promise<Page> {
  const { pad, store, config, workspace } = opened;
  const { exists, spaces } = await pad.store.read();
  needPad(exists, opened);
  const given = transcript === undefined ? {} : { transcript: fileArgument(transcript, call) };
  const warn = (problem: string): void => call.note(`warning: ${problem}`);
  const source = await readSource(given, workspace.root, config, call.env, warn);
  const all = { limit: Number.POSITIVE_INFINITY };
  const read = source?.path === undefined ? undefined : await readTranscriptFile(source.path, all);
  const local = localTimes(config);
  return {
    workspace: fromHome(workspace.root, call.env),
    session: store.paths.session,
    source: source && oneLine(fromHome(source.name, call.env)),
    made: new Date(pad.now()).toISOString(),
    zone: config.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    // Zones differ by whole minutes.
    spell: (at) => `${local(at)}:${at.slice(17, 19)}`,
    events: eventsOf(read?.messages ?? [], read?.facts.compactions ?? []),
    plan: redactSecrets(visible(spaces.plan)),
    notes: redactSecrets(visible(spaces.notes)),
    refs: refsOf(spaces.refs).map((ref) => oneLine(ref)),
  };
}

const WHO: Record<Role, TimelineEvent['who']> = {
  user: 'person',
  assistant: 'agent',
  tool: 'tool',
  system: 'system',
};
/** Most characters of an event to show. */
const SHOWN = 400;

/** The messages, and between them the compactions of a known time. */
function eventsOf(messages: readonly Message[], compactions: readonly Compaction[]): TimelineEvent[] {
  const events = messages.map(({ role, content, sender, tool, timestamp }): TimelineEvent => {
    const name = role === 'tool' ? tool : sender;
    return {
      at: timestamp,
      who: WHO[role],
      name: name && oneLine(name, 80),
      // A secret may cross the cut, so more text than is shown is redacted.
      text: oneLine(content.slice(0, SHOWN * 4), SHOWN),
    };
  });
  for (const { timestamp, summary } of compactions) {
    const time = Date.parse(timestamp ?? '');
    if (timestamp === undefined || Number.isNaN(time)) continue;
    const text = `context compacted${summary === undefined ? '' : `; the summary: ${summary.slice(0, SHOWN * 4)}`}`;
    const after = events.findLastIndex(({ at }) => at !== undefined && Date.parse(at) <= time);
    events.splice(after + 1, 0, { at: timestamp, who: 'system', text: oneLine(text, SHOWN) });
  }
  return events;
}

/** A text on one line, without secrets and invisible characters; the page escapes it. */
function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  return shorten(redactSecrets(visible(text)).replace(/\s+/g, ' ').trim(), most);
}

/** A path with `~` for the home directory: pages are shared, and the account's name is private. */
function fromHome(path: string, { HOME }: NodeJS.ProcessEnv): string {
  return HOME && path.startsWith(`${HOME}/`) ? `~${path.slice(HOME.length)}` : path;
}
