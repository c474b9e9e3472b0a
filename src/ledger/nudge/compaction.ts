import { thousands } from '../../base/text/counts.ts';
import type { Config } from '../../config/config.ts';
import type { SessionFacts } from '../../transcript/read.ts';

export interface ContextUse {
  used: number;
  window: number;
}

/**
 * How full the model's context was at its last answer; `undefined` if its size is unknown.
 * @param usual tokens at which the host compacts, if known
 */
export function contextUse(
  facts: Pick<SessionFacts, 'tokensUsed' | 'contextWindow' | 'model'>,
  settings: Config['compaction'],
  usual?: number,
): ContextUse | undefined {
  const { tokensUsed: used, contextWindow, model } = facts;
  const window = contextWindow ?? (settings.window || usual || windowOf(model));
  // A context that is fuller than its limit is not the one that the model's name suggests.
  return used === undefined || window === undefined || used > window ? undefined : { used, window };
}

/** Whether the warning is due. */
export function nearCompaction(use: ContextUse | undefined, settings: Config['compaction']): boolean {
  return use !== undefined && settings.warnAt > 0 && use.used >= (use.window * settings.warnAt) / 100;
}

/** Tokens that one more turn may take. */
const TURN = 25_000;

/** Whether another turn fits before the context is full. */
export function turnFits(use: ContextUse | undefined): boolean {
  return use !== undefined && use.window - use.used >= TURN;
}

/**
 * The warning before a compaction, worded as facts: text that gives orders can look like an attack to the
 * model.
 * @param howToSave how to save working state in this host
 */
export function compactionWarning({ used, window }: ContextUse, howToSave: string): string {
  const share = Math.min(100, Math.floor((used / window) * 100));
  return (
    `[Notice: Context is approaching the token limit (${thousands(used)} of ${thousands(window)} tokens, ${share} %) and will be compacted soon. ` +
    'Conversation details may be summarized during compaction, but the scratchpad is kept in full. ' +
    `Working state, findings and progress that it does not hold yet are saved with ${howToSave}.]`
  );
}

/** Why a compaction is held, for the host to show. */
export const HOLD_REASON =
  'Held by scratchpad for one turn, so that the agent can save its working state (compaction.hold: once); the next compaction goes ahead.';

/** The same for the model, at the next event that accepts text. */
export function heldNotice(howToSave: string): string {
  return (
    '[Notice: The context is full. A compaction was due and is held for one turn, so that working state is not lost: the next request compacts. ' +
    `What the scratchpad does not hold yet is saved with ${howToSave}.]`
  );
}

/**
 * Size of a model's context in tokens, by its name, as Claude Code 2.1.330 states it (November 2026). Unknown
 * models are left out: a wrong warning is worse than none.
 */
const WINDOWS: readonly [name: RegExp, tokens: number][] = [
  [/\[1m\]/i, 1_000_000],
  [/^claude-(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-\d{8})?$/, 200_000],
  [/^claude-opus-4-[78](?:-\d{8})?$/, 1_000_000],
  [/^claude-[a-z]+-5(?:-\d)?(?:-\d{8})?$/, 1_000_000],
];

/** @returns `undefined` for a model that is not in the table */
export function windowOf(model: string | undefined): number | undefined {
  return WINDOWS.find(([name]) => name.test(model ?? ''))?.[1];
}
