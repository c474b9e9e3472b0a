import { tryStat } from '../base/fs/index.ts';
import { digestText } from '../base/text/strings.ts';
import { type ContextUse, mayWarn } from '../ledger/window.ts';
import type { Transcript } from '../transcript/read.ts';
import { getWindowSize } from './protocol.ts';
import type { HookSession } from './session.ts';

/** Fraction of the tokens at which a host compacts: its own count differs slightly from its transcript's. */
const ABOUT_FULL = 0.97;

/** If no event reports a compaction, look in the transcript. */
export async function noticeCompaction(session: HookSession): Promise<void> {
  if (!session.event.host.unseenCompaction) return;
  const compactionId = await identifyLastCompaction(session);
  if (compactionId !== '' && compactionId !== session.memory.hints.compactionId)
    session.next({ is: 'compacted', at: session.event.now, compactionId });
}

/** Identifies the last compaction by its summary, because a resumed session rewrites its time. */
export async function identifyLastCompaction(session: HookSession): Promise<string> {
  const last = (await session.transcript())?.facts.compactions.at(-1);
  return last === undefined ? '' : digestText(last.summary || (last.timestamp ?? ''));
}

/**
 * For a host that compacts between a prompt and its request, without an event afterwards: the model would answer
 * this prompt without the pad. So everything is said again if the context is nearly full.
 */
export async function expectCompaction(session: HookSession): Promise<void> {
  if (!session.event.host.unseenCompaction || !session.event.host.compactsAt) return;
  const used = (await session.transcript())?.facts.tokensUsed ?? 0;
  if (used >= (await session.event.host.compactsAt(session.workspace.root, session.event.env)) * ABOUT_FULL)
    session.next({ is: 'compaction expected' });
}

/** A smaller transcript cannot fill a context enough for a warning. */
const SMALL_TRANSCRIPT = 160 * 1024;

/** The warning before a compaction, once per cycle; if one was held, the reason. */
export async function warnOfCompaction(session: HookSession): Promise<string[]> {
  const { hints } = session.memory;
  const { warnAt, window } = session.event.config.compaction;
  const { ways } = session;
  if (hints.phase === 'held') return session.next({ is: 'context full', use: { used: 0, window: 0 }, ways });
  if (warnAt === 0 || !mayWarn(hints)) return [];
  const { transcript: path, contextUse: told } = session.event.input;
  const size = path === undefined ? 0 : (tryStat(path)?.size ?? 0);
  if (size < SMALL_TRANSCRIPT && window === 0 && told === undefined) return [];
  const use = await readContextUse(session);
  if (use === undefined || use.used < (use.window * warnAt) / 100) return [];
  return session.next({ is: 'context full', use, ways });
}

const TURN = 25_000;

/** Whether another turn fits before the model's whole context is full: hosts compact before it is. */
export async function turnFits(session: HookSession): Promise<boolean> {
  const use = await readContextUse(session, true);
  return use !== undefined && use.window - use.used >= TURN;
}

/** How full the context was at the last answer: by the host's own figures, else by the transcript's. */
async function readContextUse(session: HookSession, whole = false): Promise<ContextUse | undefined> {
  if (session.event.input.contextUse !== undefined) return session.event.input.contextUse;
  const { model: named, compactedAt } = session.memory.hints;
  const transcript = await session.transcript();
  if (!transcript || wasAnsweredBefore(transcript, compactedAt)) return undefined;
  const { tokensUsed: used, contextWindow, model: said } = transcript.facts;
  // Transcripts do not say whether a model is the variant with the large context.
  const model = said !== undefined && named.startsWith(said) ? named : said;
  const usual = whole
    ? undefined
    : await session.event.host.compactsAt?.(session.workspace.root, session.event.env);
  const window = contextWindow ?? (session.event.config.compaction.window || usual || getWindowSize(model));
  // A context that is fuller than its limit is not the one that the model's name suggests.
  return used === undefined || window === undefined || used > window ? undefined : { used, window };
}

/** Figures from an answer before the compaction do not apply to the context after it. */
function wasAnsweredBefore({ messages, facts }: Transcript, compactedAt: string): boolean {
  const answer = messages.findLast(({ role }) => role !== 'user')?.timestamp ?? '';
  const inFile = facts.compactions.at(-1)?.timestamp ?? '';
  const last = inFile > compactedAt ? inFile : compactedAt;
  return last !== '' && answer !== '' && answer <= last;
}
