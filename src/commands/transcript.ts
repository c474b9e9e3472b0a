import { resolve } from 'node:path';
import type { SourceRequest } from '../assembly/source.ts';
import { refusal, type ScratchpadError, usageError } from '../base/errors.ts';
import { decodeText, exists } from '../base/fs/index.ts';
import { redactSecrets, renderSafeJson, sanitizeForTerminal } from '../base/safety/index.ts';
import { toOneLine } from '../base/text/prose.ts';
import { formatCount, shorten } from '../base/text/strings.ts';
import { completeSession, detectActor, getChat, isOfOtherChat } from '../session/actor.ts';
import { describeStrangers, discoverSessions, type SessionRef } from '../transcript/discover.ts';
import { type Message, readTranscriptFile, readTranscriptText, type Transcript } from '../transcript/read.ts';
import { describeSkipped } from '../transcript/record.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import { dropSession, type Invocation, readInput, readStdin, resolveFile, write } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';
import { makeTimeFormatter, renderColumns } from './print.ts';

export const SOURCE = {
  '-m, --messages <file>': 'messages as a JSON array or JSONL, - for stdin',
  '-t, --transcript <file>': "a host's session file",
};

/** The session that `--messages` or `--transcript` names; `undefined` without them. */
export function readSourceOptions(
  call: Invocation,
  { messages, transcript }: { messages?: string; transcript?: string },
): SourceRequest | undefined {
  if (messages !== undefined && transcript !== undefined)
    throw usageError('two sessions were given', { expected: '--messages or --transcript, not both' });
  if (messages === '-') return { messages: { text: readStdin(), name: 'standard input' } };
  if (messages !== undefined)
    return { messages: { text: decodeText(readInput(resolveFile(messages, call))).text, name: messages } };

  return transcript === undefined ? undefined : { transcript: resolveFile(transcript, call) };
}

/** The sessions here; for an agent in a chat only those of that chat. */
export async function listHostSessions(
  { env, warn }: Invocation,
  { workspace, config }: OpenPad,
  limit?: number,
): Promise<SessionRef[]> {
  const where = { workspace: workspace.root, env, paths: config.transcript.paths };
  const strangers = describeStrangers(where);
  if (strangers) warn([strangers]);
  const onProblem = (problem: ScratchpadError): void => warn([problem.explain('command')]);
  const { session: asking } = detectActor(env);
  const found = await discoverSessions({
    ...where,
    limit: getChat(asking) === undefined ? limit : undefined,
    onProblem,
  });
  return found.filter(({ id, chat }) => !isOfOtherChat(chat ?? id, asking)).slice(0, limit);
}

export const hostSessionNotFound = (next: string, found?: string): ScratchpadError =>
  refusal('no session of this workspace was found', { found, next });

const TOOL_SHOWN = 160;
const NO_TIME = ' '.repeat('2026-02-06 01:30'.length);

export const transcript: CommandDefinition = {
  examples: ['scratchpad transcript list --limit 5', 'scratchpad transcript show --limit 20'],
  verbs: {
    list: defineCommand({
      about: 'list the sessions of this workspace from all hosts, most recently active first',
      isDefault: true,
      takes: { '-n, --limit <n>': 'how many to list; all unless given' },
      run: async (call, { limit }) => {
        const opened = await openSession(dropSession(call));
        const sessions = await listHostSessions(call, opened, limit);
        const formatTime = makeTimeFormatter(opened.config);

        if (sessions.length === 0) call.note('no session of this workspace was found');
        const rows = sessions.map(({ host, id, path, lastActive }) => [
          formatTime(lastActive),
          host,
          id,
          path,
        ]);
        call.print(sessions, renderColumns(rows));
      },
    }),
    // With `--json` one message per line. Counts and skipped records go to stderr.
    show: defineCommand({
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
        const opened = await openSession(dropSession(call));
        const formatTime = makeTimeFormatter(opened.config);
        const session = await readChosenSession(call, opened, file, limit);

        // One at a time: a whole session can exceed the maximum length of a string.
        for (const { content, ...message } of session.messages) {
          const safe = { ...message, content: redactSecrets(content) };
          const text = sanitizeForTerminal(renderMessage(safe, formatTime));
          write(1, `${call.options.json ? renderSafeJson(safe) : text}\n`);
        }

        call.note(summarizeTranscript(session));
      },
    }),
  },
};

/** @param file the path of a session file, the id of a session, or `-` */
async function readChosenSession(
  call: Invocation,
  opened: OpenPad,
  file: string | undefined,
  limit: number,
): Promise<Transcript> {
  if (file === '-') return readTranscriptText(readStdin(), { limit });

  const isId = file !== undefined && !/[/\\.]/.test(file) && !exists(resolve(call.cwd, file));
  const session = isId ? file : call.options.session;

  if (file !== undefined && !isId) return readTranscriptFile(resolveFile(file, call), { limit, session });

  const all = await listHostSessions(call, opened, session === undefined ? 1 : undefined);
  const ids = all.map(({ id }) => id);
  const ref = session === undefined ? all[0] : all[ids.indexOf(completeSession(session, ids))];

  if (ref !== undefined) return readTranscriptFile(ref.path, { limit, session: ref.id });

  if (isId)
    throw usageError('no such file, and no session of this workspace with that id', {
      found: file,
      next: 'list sessions with: scratchpad transcript list',
    });

  throw hostSessionNotFound('list them with: scratchpad transcript list (or name a file)', session);
}

function renderMessage(
  { role, content, sender, tool, timestamp }: Message,
  formatTime: (at: string) => string,
): string {
  const who = [role, sender, tool].filter(Boolean).join(' ');
  const text = role === 'tool' ? shorten(toOneLine(content), TOOL_SHOWN) : content;
  const time = timestamp === undefined ? NO_TIME : formatTime(timestamp);
  return `${time}  ${who}: ${text.replace(/\n(?=[^\n])/g, `\n${NO_TIME}  `)}`;
}

function summarizeTranscript({ format, messages, facts, skipped }: Transcript): string {
  const omitted = skipped.map(describeSkipped).join(', ');
  const about = [format, facts.id, facts.model].filter(Boolean).join(' · ');
  return `${about}: ${formatCount(messages.length, 'message')}${omitted === '' ? '' : `; skipped: ${omitted}`}`;
}
