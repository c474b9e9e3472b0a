import { tryStat } from '../base/fs/index.ts';
import { digestText } from '../base/text/strings.ts';
import type { HandoverLine } from '../handover/index.ts';
import { type ContextUse, mayWarn } from '../ledger/window.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import type { Transcript } from '../transcript/read.ts';
import { getWindowSize } from './protocol.ts';
import type { HookSession } from './session.ts';

/* Before a compaction: whether one is near. After it: whether there was one, and what its summary lacks. */

/** Fraction of a host's limit that counts as full: the host's own count differs slightly from its transcript's. */
const FULL_SHARE = 0.97;

/** Looks in the transcript for a compaction, where the host reports none by an event. */
export async function noticeCompaction(session: HookSession): Promise<void> {
  if (!session.event.host.unseenCompaction) return;
  const compactionId = await identifyLastCompaction(session);
  if (compactionId !== '' && compactionId !== session.memory.hints.compactionId)
    session.advance({ is: 'compacted', at: session.event.now, compactionId });
}

/** Identifies the last compaction by its summary, because a resumed session rewrites its time. */
export async function identifyLastCompaction(session: HookSession): Promise<string> {
  const last = (await session.transcript())?.facts.compactions.at(-1);
  return last === undefined ? '' : digestText(last.summary || (last.timestamp ?? ''));
}

/**
 * Expects a compaction if the context is nearly full, so that everything is said again: some hosts compact between a prompt
 * and its request, without an event afterwards, and the model would answer this prompt without the pad.
 */
export async function expectCompaction(session: HookSession): Promise<void> {
  const { host, env } = session.event;
  if (!host.unseenCompaction || !host.compactsAt) return;

  const used = (await session.transcript())?.facts.tokensUsed ?? 0;
  const limit = await host.compactsAt(session.workspace.root, env);
  if (used >= limit * FULL_SHARE) session.advance({ is: 'compaction expected' });
}

/** A smaller transcript cannot fill a context enough for a warning. */
const SMALL_TRANSCRIPT = 160 * 1024;

/** The warning before a compaction, once per cycle; if one was held, the reason. */
export async function warnOfCompaction(session: HookSession): Promise<string[]> {
  const { hints } = session.memory;
  const { warnAt, window } = session.event.config.compaction;
  const { ways } = session;
  if (hints.phase === 'held')
    return session.advance({ is: 'context full', use: { used: 0, window: 0 }, ways });
  if (warnAt === 0 || !mayWarn(hints)) return [];

  const { transcript: path, contextUse } = session.event.input;
  const size = path === undefined ? 0 : (tryStat(path)?.size ?? 0);
  if (size < SMALL_TRANSCRIPT && window === 0 && contextUse === undefined) return [];

  const use = await readContextUse(session);
  if (use === undefined || use.used < (use.window * warnAt) / 100) return [];
  return session.advance({ is: 'context full', use, ways });
}

const TURN_TOKENS = 25_000;

/** Whether another turn fits before the model's whole context is full: hosts compact before it is. */
export async function turnFits(session: HookSession): Promise<boolean> {
  const use = await readContextUse(session, true);
  return use !== undefined && use.window - use.used >= TURN_TOKENS;
}

/**
 * How full the context was at the last answer: by the host's own figures, else by the transcript's.
 * @param ofModel counts against the model's whole context, although the host compacts sooner
 */
async function readContextUse(session: HookSession, ofModel = false): Promise<ContextUse | undefined> {
  const { config, env, host, input } = session.event;
  if (input.contextUse !== undefined) return input.contextUse;

  const { model: sessionModel, compactedAt } = session.memory.hints;
  const transcript = await session.transcript();
  if (!transcript || wasAnsweredBefore(transcript, compactedAt)) return undefined;

  const { tokensUsed: used, contextWindow, model: answerModel } = transcript.facts;
  // Transcripts do not say whether a model is the variant with the large context.
  const isVariant = answerModel !== undefined && sessionModel.startsWith(answerModel);
  const model = isVariant ? sessionModel : answerModel;
  const hostLimit = ofModel ? undefined : await host.compactsAt?.(session.workspace.root, env);
  const window = contextWindow ?? (config.compaction.window || hostLimit || getWindowSize(model));

  // A context that is fuller than its limit is not the one that the model's name suggests.
  return used === undefined || window === undefined || used > window ? undefined : { used, window };
}

/** Figures from an answer before the compaction do not apply to the context after it. */
function wasAnsweredBefore({ messages, facts }: Transcript, compactedAt: string): boolean {
  const answeredAt = messages.findLast(({ role }) => role !== 'user')?.timestamp ?? '';
  const compactedInFile = facts.compactions.at(-1)?.timestamp ?? '';
  const compacted = compactedInFile > compactedAt ? compactedInFile : compactedAt;
  return compacted !== '' && answeredAt !== '' && answeredAt <= compacted;
}

/**
 * The person's messages that the summary of a compaction lacks, once for each compaction. Some hosts write the summary
 * only after the start of the new window; others pass it before their file has it, which then holds no news.
 */
export async function collectLostLines(
  session: HookSession,
  event: InjectionEvent,
): Promise<{ lines: HandoverLine[]; markSaid(): void }> {
  const { memory, workspace } = session;
  const { summary } = session.event.input;
  const summaryId = summary === undefined ? await findNewSummary(session) : undefined;
  const hasSummary = summary !== undefined || summaryId !== undefined;
  if (!hasSummary) {
    if (event === 'compact') memory.awaitsSummary = true;
    return { lines: [], markSaid: () => undefined };
  }

  const markSaid = (): void => {
    const news = summary === undefined ? { summaryOf: summaryId } : { toldAhead: true };
    Object.assign(memory, { ...news, awaitsSummary: undefined });
  };
  const record = await session.record();
  if (record === undefined) return { lines: [], markSaid };

  const { tellLostMessages } = await import('../handover/index.ts');

  return { lines: tellLostMessages(record, workspace.root, session.event.now, summary), markSaid };
}

/** The id of the newest compaction whose summary can be read, if nothing was told of it; none from before we looked. */
export async function findNewSummary(session: HookSession): Promise<string | undefined> {
  const { memory } = session;
  const { compactedAt } = memory.hints;
  const record = await session.record();
  if (record === undefined || (compactedAt === '' && memory.summaryOf !== undefined)) return undefined;

  const { listItems } = await import('../transcript/record.ts');
  const isReadable = (item: { type: string; summary?: string | undefined }): boolean =>
    item.type === 'compacted' && Boolean(item.summary);
  const id = listItems(record.record).findLast(isReadable)?.id ?? '';

  // A session that was compacted before this event has its words, or has lost them long ago.
  if (memory.summaryOf === undefined && compactedAt === '') memory.summaryOf = id;

  if (memory.toldAhead === true && id !== '' && id !== memory.summaryOf)
    Object.assign(memory, { summaryOf: id, toldAhead: undefined });

  return id === '' || id === memory.summaryOf ? undefined : id;
}
