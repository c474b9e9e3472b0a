import { tryStat } from '../fs/index.ts';
import { compactionWarning, contextUse, nearCompaction } from '../nudge/compaction.ts';
import type { Transcript } from '../transcript/read.ts';
import type { Session } from './session.ts';

/** A transcript under this size cannot fill a context to its warning. */
const SMALL_TRANSCRIPT = 160 * 1024;

/** The warning of an approaching compaction, once a cycle. */
export async function warningFor(at: Session): Promise<string | undefined> {
  const { transcript: path } = at.input;
  const memory = at.memory.nudges;
  const settings = at.config.compaction;
  if (settings.warnAt === 0 || memory.warned) return undefined;
  const size = path === undefined ? 0 : (tryStat(path)?.size ?? 0);
  if (size < SMALL_TRANSCRIPT && settings.window === 0) return undefined;
  const transcript = await at.transcript();
  if (!transcript || answeredBefore(transcript, memory.compactedAt)) return undefined;
  const use = contextUse(transcript.facts, settings, await at.host.compactsAt?.(at.root, at.env));
  if (!use || !nearCompaction(use, settings)) return undefined;
  memory.warned = true;
  return compactionWarning(use);
}

/** The figures of an answer given before the compaction say nothing of the context after it. */
function answeredBefore({ messages, facts }: Transcript, compactedAt: string): boolean {
  const answer = messages.findLast(({ role }) => role !== 'user')?.timestamp ?? '';
  const inFile = facts.compactions.at(-1)?.timestamp ?? '';
  const last = inFile > compactedAt ? inFile : compactedAt;
  return last !== '' && answer !== '' && answer <= last;
}
