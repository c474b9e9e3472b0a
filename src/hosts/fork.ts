import { readText } from '../base/fs/index.ts';
import type { Session } from './session.ts';
import { recall, remembered } from './session-memory.ts';

/**
 * A forked session holds the window of another one, and goes on with its ledger: nothing is said twice. The records
 * that the host copied tell which session that was; they may be written only after the start.
 * @returns whether it is known now
 */
export function followParent(at: Session): boolean {
  const { memory, input, data } = at;
  const parent = parentOf(at);
  if (parent === undefined || input.transcript === undefined) return false;
  const { ledger, nudges, place, forkedFrom = [] } = recall(data, parent);
  memory.forkedFrom = [parent, ...forkedFrom];
  memory.ledger = ledger;
  memory.nudges = nudges;
  // The records have the same ids in the new file.
  memory.place = place && { ...place, path: input.transcript, size: 0 };
  return true;
}

/** The session whose newest known record is in this one's file: the nearest of several. */
function parentOf({ input, data }: Session): string | undefined {
  const { transcript, session } = input;
  const text = transcript === undefined ? undefined : readText(transcript, 'transcript');
  if (text === undefined) return undefined;
  let nearest: { session: string; at: number } | undefined;
  for (const { session: id, memory } of remembered(data)) {
    const { tip } = memory.place ?? {};
    const at = id === session || tip === undefined ? -1 : text.lastIndexOf(`"${tip}"`);
    if (at > (nearest?.at ?? -1)) nearest = { session: id, at };
  }
  return nearest?.session;
}
