import type { HandoverLine } from '../handover/index.ts';
import type { InjectionEvent } from '../stages/stage.ts';
import type { HookSession } from './session.ts';

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
  const id = summary === undefined ? await findNewSummary(session) : undefined;
  if (event === 'compact' && (summary ?? id) === undefined) memory.awaitsSummary = true;
  const markSaid = (): void => {
    const place = summary === undefined ? { summaryOf: id } : { toldAhead: true };
    if ((summary ?? id) !== undefined) Object.assign(memory, { ...place, awaitsSummary: undefined });
  };
  const record = (summary ?? id) === undefined ? undefined : await session.record();

  if (record === undefined) return { lines: [], markSaid };

  const { tellLostMessages } = await import('../handover/index.ts');

  return { lines: tellLostMessages(record, workspace.root, session.event.now, summary), markSaid };
}

/** The id of the newest compaction whose summary can be read, if nothing was told of it; none from before we looked. */
export async function findNewSummary(session: HookSession): Promise<string | undefined> {
  const { summaryOf, hints } = session.memory;
  const record = await session.record();
  if (record === undefined || (hints.compactedAt === '' && summaryOf !== undefined)) return undefined;

  const { listItems } = await import('../transcript/record.ts');
  const isReadable = (item: { type: string; summary?: string | undefined }): boolean =>
    item.type === 'compacted' && Boolean(item.summary);
  const id = listItems(record.record).findLast(isReadable)?.id ?? '';

  // A session that was compacted before this event has its words, or has lost them long ago.
  if (summaryOf === undefined && hints.compactedAt === '') session.memory.summaryOf = id;

  if (session.memory.toldAhead === true && id !== '' && id !== session.memory.summaryOf)
    Object.assign(session.memory, { summaryOf: id, toldAhead: undefined });

  return id === '' || id === session.memory.summaryOf ? undefined : id;
}
