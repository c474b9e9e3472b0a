import type { Config } from '../config/config.ts';
import { ScratchpadError } from '../errors.ts';
import { discoverSessions, type SessionRef } from '../transcript/discover.ts';
import { readNewestSession } from '../transcript/newest.ts';
import { readTranscriptFile, readTranscriptText, type Transcript } from '../transcript/read.ts';

/** A message of a conversation, in the form that chat APIs have. */
export interface MessageInput {
  role: 'user' | 'assistant' | 'tool' | 'system';
  /** A text, or the parts that chat APIs make of one. */
  content: string | readonly { readonly [key: string]: unknown }[];
  id?: string;
  /** Who spoke in a group chat. */
  sender?: string;
  /** ISO 8601. */
  timestamp?: string;
}

/** Where an assembly takes its messages from; the first that is given counts. */
export interface SourceRequest {
  /** The conversation, oldest first; or its text as JSON or JSONL, and what an error calls that. */
  messages?: readonly MessageInput[] | { text: string; name: string };
  /** Path of a host's session file. */
  transcript?: string;
  /** Id of a host's session. */
  session?: string;
  /** What the caller has read already; it may be without messages. */
  read?: Source;
}

export interface Source {
  transcript: Transcript;
  /** For people: the file, and what kind it is. */
  name: string;
  /** The session file, where the messages are from one. */
  path?: string;
}

/**
 * Reads the window of messages that was asked for, else that of the session which was active
 * last in this workspace; `undefined` when there is none.
 *
 * @param onProblem told of a store of sessions that is there and cannot be read
 * @throws ScratchpadError `usage` for input that cannot be read as messages or has none
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
  if (request.messages) {
    const given = request.messages;
    const { text, name } = 'text' in given ? given : { text: JSON.stringify(given), name: 'messages' };
    return present(await readTranscriptText(text, options, name), name);
  }
  if (request.transcript !== undefined) {
    const { transcript: path } = request;
    return { ...present(await readTranscriptFile(path, options), path), path };
  }
  const where = {
    workspace,
    env,
    paths: config.transcript.paths,
    onProblem: (problem: ScratchpadError) => onProblem(problem.explain()),
  };
  if (request.session === undefined) {
    const newest = await readNewestSession(where, options);
    return newest && { transcript: newest.transcript, name: nameOf(newest.ref), path: newest.ref.path };
  }
  const ref = (await discoverSessions(where)).find(({ id }) => id === request.session);
  if (!ref) return undefined;
  return {
    transcript: await readTranscriptFile(ref.path, { ...options, session: ref.id }),
    name: nameOf(ref),
    path: ref.path,
  };
}

function nameOf({ path, host }: SessionRef): string {
  return `${path} (${host})`;
}

/** What was named must have something in it: an empty file is more likely the wrong one. */
function present(transcript: Transcript, name: string): Source {
  if (transcript.messages.length > 0) return { transcript, name };
  const skipped = transcript.skipped.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  throw new ScratchpadError('usage', 'there are no messages to read', {
    where: name,
    expected: 'at least one message',
    found: skipped === '' ? 'none' : `none; passed over: ${skipped}`,
    next: 'name another file, or leave the option out to use the session that was active last',
  });
}
