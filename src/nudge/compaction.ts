import type { Config } from '../config/config.ts';
import type { SessionFacts } from '../transcript/read.ts';

/** Context sizes of models whose host does not tell. A figure over the usual one proves the large variant. */
const USUAL_WINDOW = 200_000;
const LARGE_WINDOW = 1_000_000;

export interface ContextUse {
  used: number;
  window: number;
}

/**
 * How full the model's context was at its last answer; `undefined` when the transcript does not tell.
 * @param usual tokens at which the host compacts, where that is known of it
 */
export function contextUse(
  facts: Pick<SessionFacts, 'tokensUsed' | 'contextWindow' | 'model'>,
  settings: Config['compaction'],
  usual?: number,
): ContextUse | undefined {
  const { tokensUsed: used, contextWindow, model } = facts;
  if (used === undefined) return undefined;
  if (contextWindow !== undefined) return { used, window: contextWindow };
  if (settings.window > 0) return { used, window: settings.window };
  if (usual !== undefined) return { used, window: usual };
  const large = used > USUAL_WINDOW || /\[1m\]|-1m\b/i.test(model ?? '');
  return { used, window: large ? LARGE_WINDOW : USUAL_WINDOW };
}

/** Whether it is time for the warning. */
export function nearCompaction(use: ContextUse | undefined, settings: Config['compaction']): boolean {
  return use !== undefined && settings.warnAt > 0 && use.used >= (use.window * settings.warnAt) / 100;
}

/** The warning before a compaction, as facts: text that gives orders can look like an attack to the model. */
export function compactionWarning({ used, window }: ContextUse): string {
  const share = Math.min(100, Math.floor((used / window) * 100));
  return (
    `[Notice: Context is approaching the token limit (${thousands(used)} of ${thousands(window)} tokens, ${share} %) and will be compacted soon. ` +
    'Conversation details may be summarized during compaction, but the scratchpad is kept in full. ' +
    'Working state, findings and progress that it does not hold yet are saved with `scratchpad notes append` and `scratchpad plan set`.]'
  );
}

/** Why a compaction is held, for the host to show. */
export const HOLD_REASON =
  'Held once by scratchpad so that the agent can save its working state (compaction.hold: once). ' +
  'Working state, findings and progress that the scratchpad does not hold yet are saved with `scratchpad notes append` and `scratchpad plan set`; the next compaction goes ahead.';

/** `Intl` would cost a cold start ten milliseconds. */
function thousands(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
