import type { Config } from '../config/config.ts';
import { contentOf } from '../pad/document.ts';
import { type Freshness, freshnessOf } from '../pad/freshness.ts';
import { renderInjection } from '../pad/injection.ts';
import type { SessionStore } from '../session/store.ts';
import { provenanceOf } from '../trust/provenance.ts';

/** Everything that working on one session's pad needs, however it was opened. */
export interface Pad {
  /** The workspace directory. */
  root: string;
  store: SessionStore;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** The clock, epoch milliseconds. */
  now(): number;
  /** Throws where nothing is to be made: there is no workspace yet, and nobody has asked for one. */
  mayMake?(): void;
}

export interface PadContext {
  /** The block to put before the model; empty when there is nothing to say. */
  text: string;
  freshness: Freshness;
  notices: readonly string[];
}

/** The injection block: the spaces that hold something, and the state block while it is fresh. */
export async function padContext(pad: Pad): Promise<PadContext> {
  const { spaces: whose, note = '' } = provenanceOf(pad.root, pad.env);
  if (whose === 'untrusted') return { text: '', freshness: { status: 'missing' }, notices: [note] };
  const { document, spaces, notices } = await pad.store.read();
  const freshness = freshnessOf(document, pad.now());
  const state = freshness.status === 'missing' ? '' : contentOf(document, 'state');
  const text = pad.config.scratchpad.enabled ? renderInjection(spaces, state, freshness) : '';
  return { text, freshness, notices };
}
