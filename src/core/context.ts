import { judgeProvenance } from '../base/trust/index.ts';
import type { Config } from '../config/settings.ts';
import { type Freshness, judgeFreshness } from '../pad/freshness.ts';
import { renderInjection } from '../pad/injection.ts';
import type { SpaceName } from '../pad/markers.ts';
import type { PadStore } from '../session/store.ts';
import { describePlans } from './scope.ts';

/** The context for work on one session's pad, however it was opened. */
export interface Pad {
  root: string;
  store: PadStore;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** The caller's working directory; default: the workspace. */
  cwd?: string;
  /** The clock, epoch milliseconds. */
  now(): number;
  /** Keeps a text that a space has no room for. @returns the name of its entry */
  keepWhole?(space: SpaceName, text: string): Promise<string>;
  /** Throws if nothing may be created: there is no workspace yet, and none was asked for. */
  assertCanCreate?(): void;
}

export interface PadContext {
  /** The block to show to the model; empty if there is nothing to say. */
  text: string;
  freshness: Freshness;
  notices: readonly string[];
}

/** The injection block: the spaces that are not empty, and the state block while it is fresh. */
export async function readPadContext(pad: Pad): Promise<PadContext> {
  const { spaces: owner, note = '' } = judgeProvenance(pad.root, pad.env);
  if (owner === 'untrusted') return { text: '', freshness: { status: 'missing' }, notices: [note] };

  const snapshot = await pad.store.read();
  const { notices } = snapshot;
  const { fact, others } = describePlans(snapshot, pad.now());
  const facts = [...(fact === undefined ? [] : [`The plan was ${fact}.`]), ...others.map(({ text }) => text)];
  const aside = facts.length === 0 ? undefined : facts.join('\n');
  const freshness = judgeFreshness(snapshot.state ?? snapshot.elsewhere, pad.now());
  if (!pad.config.scratchpad.enabled) return { text: '', freshness, notices };

  const state = snapshot.state?.sections ?? [];
  return { text: renderInjection(snapshot.spaces, state, freshness, aside), freshness, notices };
}
