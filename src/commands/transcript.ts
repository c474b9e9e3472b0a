import { refused } from '../base/errors.ts';
import { forTerminal, safeJson } from '../base/safety/visible.ts';
import { shorten } from '../base/text/shorten.ts';
import { type Message, readTranscriptFile, readTranscriptText, type Transcript } from '../transcript/read.ts';
import { hostSessions } from './host-sessions.ts';
import {
  fileArgument,
  type Invocation,
  readStdin,
  type Takes,
  wholeNumber,
  withoutSession,
  write,
} from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { localTimes } from './terminal.ts';

/** How much of a tool message a person is shown, in UTF-16 units. */
const TOOL_SHOWN = 160;
/** As wide as a time. */
const NO_TIME = ' '.repeat('2026-02-06 01:30'.length);
/** How many messages are written at a time. */
const BATCH = 256;

/** The sessions of this workspace, most recently active first. */
export async function list(invocation: Invocation, options: ShowOptions): Promise<void> {
  const limit = limitOf(options);
  const opened = await openHere(invocation);
  const found = await hostSessions(invocation, opened, limit);
  const local = localTimes(opened.config);
  if (found.length === 0) invocation.note('no session of this workspace was found');
  const rows = found.map(({ host, id, path, lastActive }) =>
    [local(lastActive), host.padEnd(11), id, path].join('  '),
  );
  invocation.result(found, rows.join('\n'));
}

type ShowOptions = Takes<'limit'>;

/**
 * The messages of a transcript: of a file, of stdin for `-`, of the session that `--session` names, or of the most
 * recently active one. With `--json` one message per line: `{id, role, content, sender?, tool?, timestamp?,
 * session}`. Counts and skipped records go to stderr.
 */
export async function show(
  invocation: Invocation,
  file: string | undefined,
  options: ShowOptions,
): Promise<void> {
  const limit = limitOf(options);
  const opened = await openHere(invocation);
  const local = localTimes(opened.config);
  const transcript = await read(invocation, opened, file, limit);
  const { messages } = transcript;
  const line = (message: Message): string =>
    invocation.options.json ? safeJson(message) : forTerminal(shown(message, local));
  // In parts: a whole session can exceed the maximum length of a string.
  for (let at = 0; at < messages.length; at += BATCH) {
    write(
      1,
      messages
        .slice(at, at + BATCH)
        .map((message) => `${line(message)}\n`)
        .join(''),
    );
  }
  for (const line of summary(transcript)) invocation.note(line);
}

async function read(
  invocation: Invocation,
  opened: Opened,
  file: string | undefined,
  limit: number,
): Promise<Transcript> {
  const { session } = invocation.options;
  if (file === '-') return readTranscriptText(readStdin(), { limit });
  if (file !== undefined) {
    return readTranscriptFile(fileArgument(file, invocation), {
      limit,
      session,
    });
  }
  const found = await hostSessions(invocation, opened, session === undefined ? 1 : undefined);
  const ref = session === undefined ? found[0] : found.find(({ id }) => id === session);
  if (ref !== undefined) return readTranscriptFile(ref.path, { limit, session: ref.id });
  throw refused(session === undefined ? 'no session of this workspace was found' : 'no such session', {
    found: session,
    next: { to: 'list them', command: 'scratchpad transcript list (or name a file)' },
  });
}

/** Here `--session` names a host's session, not a pad. */
function openHere(invocation: Invocation): Promise<Opened> {
  return openSession(withoutSession(invocation));
}

function shown(
  { role, content, sender, tool, timestamp }: Message,
  local: ReturnType<typeof localTimes>,
): string {
  const time = timestamp === undefined ? NO_TIME : local(timestamp);
  const who = sender === undefined ? role : `${role} ${sender}`;
  const head = `${time}  ${tool === undefined ? who : `${who} ${tool}`}: `;
  if (role !== 'tool') return head + content.replace(/\n(?=[^\n])/g, `\n${NO_TIME}  `);
  const line = content
    .slice(0, TOOL_SHOWN * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return head + shorten(line, TOOL_SHOWN);
}

/** The session's facts, the number of messages per role, and the records without one. */
function summary({ format, messages, facts, skipped }: Transcript): string[] {
  const roles = new Map<string, number>();
  for (const { role } of messages) roles.set(role, (roles.get(role) ?? 0) + 1);
  const counts = [...roles].map(([role, times]) => `${times} ${role}`).join(', ');
  const tokens =
    facts.tokensUsed === undefined
      ? undefined
      : `${facts.tokensUsed} tokens${facts.contextWindow === undefined ? '' : ` of ${facts.contextWindow}`}`;
  const about = [format, facts.id, facts.cwd, facts.model, tokens].filter((fact) => fact !== undefined);
  const lines = [about.join(' · '), `${messages.length} messages${counts === '' ? '' : `: ${counts}`}`];
  if (facts.compactions.length > 0) lines.push(`compacted ${facts.compactions.length} times`);
  if (skipped.length > 0)
    lines.push(`skipped: ${skipped.map(({ reason, count: times }) => `${times} ${reason}`).join(', ')}`);
  return lines;
}

function limitOf({ limit }: ShowOptions): number {
  return wholeNumber(limit, '--limit', Number.POSITIVE_INFINITY, { least: 1 });
}
