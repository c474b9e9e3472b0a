import type { SourceRequest } from '../assembly/source.ts';
import { misuse, refused, type ScratchpadError } from '../base/errors.ts';
import { discoverSessions, type SessionRef } from '../transcript/discover.ts';
import { fileArgument, type Invocation, readInput, readStdin } from './invocation.ts';
import type { Opened } from './open.ts';

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
    return { messages: { text: readInput(fileArgument(messages, call)).toString(), name: messages } };
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

export function noHostSession(next: string): ScratchpadError {
  return refused('no session of this workspace was found', { next });
}
