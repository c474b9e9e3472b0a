import { Sessions } from '../core/sessions.ts';
import { hasContent } from '../ledger/spaces.ts';
import type { Session } from './session.ts';

/**
 * `primary.onNewSession: archive`: archives the primary pad and entries of the last conversation, so that the new
 * one starts with an empty pad. An empty pad stays.
 */
export async function archivePrimary(at: Session): Promise<void> {
  const { primarySession: primary } = at.config;
  const pads = await at.pads();
  const { shared } = await pads.spaces();
  try {
    const sessions = new Sessions(at.root, { primary, now: () => at.now, archiveMs: at.config.archive.age });
    const found = (await sessions.list()).find(({ session }) => session === primary);
    if (!found || (!hasContent(shared) && found.entries === 0)) return;
    await sessions.archive(primary);
    await pads.renew();
  } catch (error) {
    at.fault('archiving the pad', error);
  }
}
