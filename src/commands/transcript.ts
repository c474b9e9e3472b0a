import { resolve } from 'node:path';
import type { SourceRequest } from '../assembly/source.ts';
import { misuse, refused, type ScratchpadError } from '../base/errors.ts';
import { decodeText, exists } from '../base/fs/index.ts';
import { forTerminal, redactSecrets, safeJson } from '../base/safety/index.ts';
import { counted, shorten } from '../base/text/strings.ts';
import { discoverSessions, type SessionRef } from '../transcript/discover.ts';
import { type Message, readTranscriptFile, readTranscriptText, type Transcript } from '../transcript/read.ts';
import { command, type Declared } from './command.ts';
import { fileArgument, type Invocation, readInput, readStdin, withoutSession, write } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { columns, localTimes } from './print.ts';

export const SOURCE = {
  '-m, --messages <file>': 'messages as a JSON array or JSONL, - for stdin',
  '-t, --transcript <file>': "a host's session file",
};

/** The session that `--messages` or `--transcript` names; `undefined` without them. */
export function givenSource(
  call: Invocation,
  { messages, transcript }: { messages?: string; transcript?: string },
): SourceRequest | undefined {
  if (messages !== undefined && transcript !== undefined)
    throw misuse('two sessions were given', { expected: '--messages or --transcript, not both' });
  if (messages === '-') return { messages: { text: readStdin(), name: 'standard input' } };
  if (messages !== undefined)
    return { messages: { text: decodeText(readInput(fileArgument(messages, call))).text, name: messages } };
  return transcript === undefined ? undefined : { transcript: fileArgument(transcript, call) };
}

/** The hosts' sessions of a workspace, most recently active first. */
export function hostSessions(
  { env, note }: Invocation,
  { workspace, config }: Opened,
  limit?: number,
): Promise<SessionRef[]> {
  return discoverSessions({
    workspace: workspace.root,
    env,
    paths: config.transcript.paths,
    limit,
    onProblem: (problem) => note(`warning: ${problem.explain()}`),
  });
}

export function noHostSession(next: string, found?: string): ScratchpadError {
  return refused('no session of this workspace was found', { found, next });
}

/** How much of a tool message a person is shown, in UTF-16 units. */
const TOOL_SHOWN = 160;
/** As wide as a time. */
const NO_TIME = ' '.repeat('2026-02-06 01:30'.length);

export const transcript: Declared = {
  examples: ['scratchpad transcript list --limit 5', 'scratchpad transcript show --limit 20'],
  verbs: {
    list: command({
      about: 'list the sessions of this workspace from all hosts, most recently active first',
      usual: true,
      takes: { '-n, --limit <n>': 'how many to list; all unless given' },
      run: async (call, { limit }) => {
        const opened = await openHere(call);
        const found = await hostSessions(call, opened, limit);
        const local = localTimes(opened.config);
        if (found.length === 0) call.note('no session of this workspace was found');
        const rows = found.map(({ host, id, path, lastActive }) => [local(lastActive), host, id, path]);
        call.result(found, columns(rows));
      },
    }),
    // With `--json` one message per line. Counts and skipped records go to stderr.
    show: command({
      about: 'print the messages of a session, and what was skipped in it',
      takes: {
        '[file]':
          'a session file of any host, or the id of a session, - for stdin; the most recently active one unless given',
        '-n, --limit <n>': 'only the last messages, as assemble would see them; all unless given',
      },
      examples: [
        'scratchpad transcript show',
        'scratchpad transcript show ~/.codex/sessions/2026/02/06/rollout-2026-02-06.jsonl --limit 20',
      ],
      run: async (call, { file, limit = Number.POSITIVE_INFINITY }) => {
        const opened = await openHere(call);
        const local = localTimes(opened.config);
        const found = await read(call, opened, file, limit);
        // One at a time: a whole session can exceed the maximum length of a string.
        for (const { content, ...message } of found.messages) {
          const safe = { ...message, content: redactSecrets(content) };
          write(1, `${call.options.json ? safeJson(safe) : forTerminal(shown(safe, local))}\n`);
        }
        call.note(summary(found));
      },
    }),
  },
};

async function read(
  call: Invocation,
  opened: Opened,
  file: string | undefined,
  limit: number,
): Promise<Transcript> {
  if (file === '-') return readTranscriptText(readStdin(), { limit });
  const isId = file !== undefined && !/[/\\.]/.test(file) && !exists(resolve(call.cwd, file));
  const session = isId ? file : call.options.session;
  if (file !== undefined && !isId) return readTranscriptFile(fileArgument(file, call), { limit, session });
  const all = await hostSessions(call, opened, session === undefined ? 1 : undefined);
  const found = all.find(({ id }) => session === undefined || id === session);
  if (found !== undefined) return readTranscriptFile(found.path, { limit, session: found.id });
  throw noHostSession('list them with: scratchpad transcript list (or name a file)', session);
}

/** Here `--session` names a host's session, not a pad. */
const openHere = (call: Invocation): Promise<Opened> => openSession(withoutSession(call));

function shown({ role, content, sender, tool, timestamp }: Message, local: (at: string) => string): string {
  const who = [role, sender, tool].filter(Boolean).join(' ');
  const text = role === 'tool' ? shorten(content.replace(/\s+/g, ' ').trim(), TOOL_SHOWN) : content;
  const at = timestamp === undefined ? NO_TIME : local(timestamp);
  return `${at}  ${who}: ${text.replace(/\n(?=[^\n])/g, `\n${NO_TIME}  `)}`;
}

/** What the file is, and the records without a message. */
function summary({ format, messages, facts, skipped }: Transcript): string {
  const left = skipped.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  const known = [format, facts.id, facts.model].filter(Boolean).join(' · ');
  return `${known}: ${counted(messages.length, 'message')}${left === '' ? '' : `; skipped: ${left}`}`;
}
