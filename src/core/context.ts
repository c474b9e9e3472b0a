import type { Config } from '../config/config.ts';
import { type Freshness, freshnessOf } from '../pad/freshness.ts';
import { renderInjection } from '../pad/injection.ts';
import { actorOf } from '../session/actor.ts';
import { whereIs } from '../session/origins.ts';
import type { SessionStore } from '../session/store.ts';
import { provenanceOf } from '../trust/provenance.ts';
import { type Here, planOfBranch, replacedInShort, spacesHere } from './scope.ts';

/** The context for work on one session's pad, however it was opened. */
export interface Pad {
  /** The workspace directory. */
  root: string;
  store: SessionStore;
  config: Config;
  env: NodeJS.ProcessEnv;
  /** The caller's working directory; the workspace unless given. */
  cwd?: string;
  /** The clock, epoch milliseconds. */
  now(): number;
  /** Throws if nothing may be created: there is no workspace yet, and none was asked for. */
  mayMake?(): void;
}

export interface PadContext {
  /** The block to show to the model; empty if there is nothing to say. */
  text: string;
  freshness: Freshness;
  notices: readonly string[];
}

/** The caller's place, and the time. */
export function hereOf({ root, cwd = root, env, now }: Pad): Here {
  return { now: now(), ...whereIs(cwd), ...sessionOf(env) };
}

/** The host session that runs this process, if the environment names it. */
function sessionOf(env: NodeJS.ProcessEnv): { session?: string } {
  const { session } = actorOf(env);
  return session === undefined ? {} : { session };
}

/** The injection block: the spaces that are not empty, and the state block while it is fresh. */
export async function padContext(pad: Pad): Promise<PadContext> {
  const { spaces: whose, note = '' } = provenanceOf(pad.root, pad.env);
  if (whose === 'untrusted') return { text: '', freshness: { status: 'missing' }, notices: [note] };
  const snapshot = await pad.store.read();
  const { document, notices } = snapshot;
  const here = hereOf(pad);
  const { spaces, aside: other, age } = spacesHere(snapshot, here, pad.config);
  const replaced = await planOfBranch(pad.store, snapshot, here, pad.config);
  const aside =
    replaced === undefined
      ? (other ?? (age && `The plan was ${age}.`))
      : replacedInShort(replaced, snapshot.origins?.plan);
  const freshness = freshnessOf(document, pad.now());
  const state = snapshot.state?.sections ?? [];
  const made = Date.parse(freshness.updated ?? '');
  const changed = Object.values(snapshot.origins ?? {}).some(({ at }) => at > made);
  const shown = pad.config.scratchpad.enabled;
  const text = shown ? renderInjection(spaces, state, freshness, changed, aside) : '';
  return { text, freshness, notices };
}
