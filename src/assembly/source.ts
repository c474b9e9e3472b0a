import { attempt, ScratchpadError, usageError } from '../base/errors.ts';
import { toJsonText, toMembers } from '../base/text/json.ts';
import type { Config } from '../config/settings.ts';
import {
  type DiscoverOptions,
  describeStrangers,
  discoverSessions,
  type SessionRef,
} from '../transcript/discover.ts';
import { readTranscriptFile, readTranscriptText, type Transcript } from '../transcript/read.ts';
import { describeSkipped } from '../transcript/record.ts';
import type { ReadOptions, Role } from '../transcript/types.ts';

/** A message of a conversation, as in chat APIs. */
export interface MessageInput {
  /** Or the name that an API gives it: `developer`, `model`, `function`. */
  role?: Role | (string & {}) | undefined;
  /** A string, or an array of content parts. */
  content?: unknown;
  parts?: unknown;
  text?: string | undefined;
  tool_calls?: unknown;
  tool_call_id?: string | undefined;
  /** An item that has a type and no role, such as a call in the list of OpenAI's Responses, is passed over. */
  type?: string | undefined;
  id?: string | number | null | undefined;
  name?: string | undefined;
  /** The speaker in a group chat. */
  sender?: string | null | undefined;
  /** ISO 8601. */
  timestamp?: string | number | Date | null | undefined;
}

/** Where an assembly takes its messages from; the first field that is set counts. */
export interface SourceRequest {
  /** The conversation, oldest first; or its text as JSON or JSONL with a name for error messages. */
  messages?: readonly MessageInput[] | { text: string; name: string } | undefined;
  transcript?: string | undefined;
  session?: string | undefined;
  /** A source that the caller has read already; it may have no messages. */
  read?: Source;
}

export interface Source {
  transcript: Transcript;
  name: string;
  path?: string;
}

/**
 * Reads the requested window of messages, by default of the most recent session in this workspace;
 * `undefined` if there is none.
 * @param onProblem called for a session store that exists but cannot be read
 * @throws ScratchpadError `usage` for input that contains no readable messages
 */
export async function readSource(
  request: SourceRequest,
  workspace: string,
  config: Config,
  env: NodeJS.ProcessEnv,
  onProblem: (message: string) => void,
): Promise<Source | undefined> {
  if (request.read) return request.read;

  const options = { limit: config.window.messages, maxAgeMs: config.window.age };
  if (request.messages !== undefined) {
    const { text, name } = serializeMessages(request.messages);
    return requireMessages(await readTranscriptText(text, options, name), name);
  }

  const path = request.transcript;
  if (path !== undefined) return { ...requireMessages(await readTranscriptFile(path, options), path), path };

  const where = {
    workspace,
    env,
    paths: config.transcript.paths,
    onProblem: (problem: ScratchpadError) => onProblem(problem.explain('command')),
  };
  const strangers = describeStrangers(where);
  if (strangers) onProblem(strangers);

  if (request.session === undefined) {
    const newest = await readNewestSession(where, options);
    return newest && makeSource(newest.ref, newest.transcript);
  }

  const ref = (await discoverSessions(where)).find(({ id }) => id === request.session);
  return ref && makeSource(ref, await readTranscriptFile(ref.path, { ...options, session: ref.id }));
}

const makeSource = ({ path, host }: SessionRef, transcript: Transcript): Source => ({
  transcript,
  name: `${path} (${host})`,
  path,
});

/**
 * Messages as text, with a name for error messages.
 * @throws ScratchpadError `usage` for what is neither a list nor a text
 */
export function serializeMessages(messages: unknown): { text: string; name: string } {
  if (Array.isArray(messages)) {
    const text = attempt(() => JSON.stringify(messages));
    if (text !== undefined) return { text, name: 'messages' };
  }

  const { text, name = 'messages' } = toMembers(messages);
  if (typeof text === 'string' && typeof name === 'string') return { text, name };

  throw usageError('the messages are not valid: nothing was read', {
    where: 'messages',
    expected: 'an array of {role, content}, or {text, name}',
    found: toJsonText(messages) || typeof messages,
  });
}

/** A source that was named must contain messages: an empty file is more likely the wrong one. */
function requireMessages(transcript: Transcript, name: string): Source {
  if (transcript.messages.length > 0) return { transcript, name };
  const skipped = transcript.skipped.map(describeSkipped).join(', ');
  throw usageError('there are no messages to read', {
    where: name,
    expected: 'at least one message',
    found: skipped === '' ? 'none' : `none; passed over: ${skipped}`,
    next: 'name another file, or leave the option out to use the session that was active last',
  });
}

const TRIES = 5;

/**
 * The most recent session of a workspace that has messages. One that cannot be read (a locked database) is
 * reported to `onProblem` and skipped; so is one without messages.
 */
export async function readNewestSession(
  where: Omit<DiscoverOptions, 'limit'>,
  options: Omit<ReadOptions, 'session'> = {},
): Promise<{ ref: SessionRef; transcript: Transcript } | undefined> {
  for (const ref of await discoverSessions({ ...where, limit: TRIES })) {
    try {
      const transcript = await readTranscriptFile(ref.path, { ...options, session: ref.id });
      if (transcript.messages.length > 0) return { ref, transcript };
    } catch (error) {
      if (!(error instanceof ScratchpadError)) throw error;
      where.onProblem?.(error);
    }
  }

  return undefined;
}
