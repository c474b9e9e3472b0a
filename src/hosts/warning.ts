import { tryStat } from '../fs/index.ts';
import {
  type ContextUse,
  compactionWarning,
  contextUse,
  heldNotice,
  nearCompaction,
  windowOf,
} from '../nudge/compaction.ts';
import type { Transcript } from '../transcript/read.ts';
import type { Session } from './session.ts';

/** A smaller transcript cannot fill a context enough for a warning. */
const SMALL_TRANSCRIPT = 160 * 1024;

/** The warning before a compaction, once per cycle; if one was held, the reason. */
export async function warningFor(at: Session): Promise<string | undefined> {
  const memory = at.memory.nudges;
  const settings = at.config.compaction;
  if (memory.hold === 'held') {
    memory.hold = 'told';
    return heldNotice(at.ways.save);
  }
  if (settings.warnAt === 0 || memory.warned) return undefined;
  const { transcript: path } = at.input;
  const size = path === undefined ? 0 : (tryStat(path)?.size ?? 0);
  if (size < SMALL_TRANSCRIPT && settings.window === 0 && at.input.contextUse === undefined) return undefined;
  const use = await contextUseOf(at);
  if (!use || !nearCompaction(use, settings)) return undefined;
  memory.warned = true;
  return compactionWarning(use, at.ways.save);
}

/**
 * How full the context is: by the host's own figures, else by the transcript's.
 * @param whole relative to the model's whole context, if the host compacts before it is full
 */
export async function contextUseOf(at: Session, whole = false): Promise<ContextUse | undefined> {
  if (at.input.contextUse !== undefined) return at.input.contextUse;
  const { model: named, compactedAt } = at.memory.nudges;
  const transcript = await at.transcript();
  if (!transcript || answeredBefore(transcript, compactedAt)) return undefined;
  const { facts } = transcript;
  // Transcripts do not say whether a model is the variant with the large context.
  const model = facts.model !== undefined && named.startsWith(facts.model) ? named : facts.model;
  const usual = whole ? windowOf(model) : await at.host.compactsAt?.(at.root, at.env, model);
  return contextUse({ ...facts, ...(model === undefined ? {} : { model }) }, at.config.compaction, usual);
}

/** Figures from an answer before the compaction do not apply to the context after it. */
function answeredBefore({ messages, facts }: Transcript, compactedAt: string): boolean {
  const answer = messages.findLast(({ role }) => role !== 'user')?.timestamp ?? '';
  const inFile = facts.compactions.at(-1)?.timestamp ?? '';
  const last = inFile > compactedAt ? inFile : compactedAt;
  return last !== '' && answer !== '' && answer <= last;
}
