import type { Config } from '../config/config.ts';
import { contentOf } from '../pad/document.ts';
import { type Freshness, freshnessOf } from '../pad/freshness.ts';
import { renderInjection } from '../pad/injection.ts';
import { actorOf } from '../session/actor.ts';
import { whereIs } from '../session/origins.ts';
import type { SessionStore } from '../session/store.ts';
import { provenanceOf } from '../trust/provenance.ts';
import { type Here, spacesHere } from './scope.ts';

/** Everything that working on one session's pad needs, however it was opened. */
export interface Pad {
  /** The workspace directory. */
  root: string;
  store: SessionStore;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** Where whoever asks works; the workspace unless given. */
  cwd?: string;
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

/** Where whoever asks for a pad works, and when. */
export function hereOf({ root, cwd = root, env, now }: Pad): Here {
  return { now: now(), ...whereIs(cwd), ...sessionOf(env) };
}

/** The host's session that runs this process, where its environment says. */
function sessionOf(env: NodeJS.ProcessEnv): { session?: string } {
  const { session } = actorOf(env);
  return session === undefined ? {} : { session };
}

/** The injection block: the spaces that hold something, and the state block while it is fresh. */
export async function padContext(pad: Pad): Promise<PadContext> {
  const { spaces: whose, note = '' } = provenanceOf(pad.root, pad.env);
  if (whose === 'untrusted') return { text: '', freshness: { status: 'missing' }, notices: [note] };
  const snapshot = await pad.store.read();
  const { document, notices } = snapshot;
  const { spaces, aside } = spacesHere(snapshot, hereOf(pad), pad.config);
  const freshness = freshnessOf(document, pad.now());
  const state = freshness.status === 'missing' ? '' : contentOf(document, 'state');
  const text = pad.config.scratchpad.enabled ? renderInjection(spaces, state, freshness, aside) : '';
  return { text, freshness, notices };
}
