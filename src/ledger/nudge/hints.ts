import { counted, thousands } from '../../base/text/counts.ts';
import { membersOf } from '../../base/text/json.ts';
import type { Config } from '../../config/config.ts';

/**
 * What hints and warnings know of a host session, kept between its events; losing it costs a superfluous hint.
 */
export interface HintState {
  /** Prompts since the session's start or resume, and the one at which the spaces last changed. */
  turns: number;
  usedAt: number;
  /** Digest of the spaces when last seen. */
  seen: string;
  /** Digest of the agent's message whose plan led to a hint. */
  plan: string;
  /** The host's own task list was offered for the plan space; this happens once per session. */
  offered: boolean;
  /** The model as the host named it at the start, which may say more than the transcript. */
  model: string;
  /**
   * Between two compactions: `warned` of the next one; or it was `held`, until the model was `told`; then one more is held
   * for the turn in which it saves, after which it is `over`.
   */
  cycle: 'calm' | 'warned' | 'held' | 'told' | 'over';
  /** `expected` at the last prompt, or `announced` by the host, which then starts the session anew. */
  compaction: 'none' | 'expected' | 'announced';
  /** A compaction has happened, and no prompt has followed yet. */
  review: boolean;
  /** Of the last compaction: ISO 8601 time, and what tells it from others in the transcript. */
  compactedAt: string;
  summary: string;
}

const FRESH: HintState = {
  ...{ turns: 0, usedAt: 0, seen: '', plan: '', offered: false, model: '' },
  ...{ cycle: 'calm', compaction: 'none', review: false, compactedAt: '', summary: '' },
};

export const freshHints = (): HintState => ({ ...FRESH });

/** The valid parts of parsed JSON; the rest is as in a new session. */
export function readHints(value: unknown): HintState {
  const given = membersOf(value);
  const usable = Object.entries(FRESH).map(([key, fresh]) => [
    key,
    typeof given[key] === typeof fresh ? given[key] : fresh,
  ]);
  return Object.fromEntries(usable) as HintState;
}

type Settings = Pick<
  Config,
  'nudgeAfterTurns' | 'nudgeOnPlanDetected' | 'nudgeAfterCompaction' | 'nudgeTurnsSinceLastUse'
>;

/** Whether any hint is turned on. */
export function hintsOn(settings: Settings): boolean {
  return [
    settings.nudgeAfterTurns,
    settings.nudgeOnPlanDetected,
    settings.nudgeAfterCompaction,
    settings.nudgeTurnsSinceLastUse,
  ].some((setting) => setting > 0);
}

/** What happens to a session. */
export type HintEvent =
  | { is: 'started'; how: 'new' | 'resumed' | 'compacted'; model?: string | undefined; at: number }
  /** @param summary what tells it from others in the transcript */
  | { is: 'compacted'; at: number; summary?: string; announced?: true }
  | { is: 'compaction expected' }
  | { is: 'compaction held' }
  | { is: 'context full'; use: ContextUse; ways: Ways }
  | {
      is: 'prompt';
      settings: Settings;
      ways: Ways;
      /** Whether all spaces are empty, and their digest. */
      empty: boolean;
      digest: string;
      /** The digest of the agent's last message, if it contains a plan. */
      plan?: string | undefined;
      /** Whether `scratchpad plan adopt` would take tasks over. */
      adoptable?: boolean;
    };

/** The state after an event, and the lines for the model: each one stops once it is acted on. */
export function hint(state: HintState, event: HintEvent): [HintState, string[]] {
  switch (event.is) {
    case 'started':
      return [started(state, event), []];
    case 'compacted': {
      const { at, summary = state.summary, announced } = event;
      return [{ ...afterCompaction(state, at), summary, compaction: announced ? 'announced' : 'none' }, []];
    }
    case 'compaction expected':
      return [{ ...state, compaction: 'expected' }, []];
    case 'compaction held':
      return [{ ...state, cycle: state.cycle === 'told' ? 'over' : 'held' }, []];
    case 'context full':
      if (state.cycle === 'held') return [{ ...state, cycle: 'told' }, [heldNotice(event.ways)]];
      if (state.cycle !== 'calm') return [state, []];
      return [{ ...state, cycle: 'warned' }, [compactionWarning(event.use, event.ways)]];
    case 'prompt':
      return atPrompt({ ...state, turns: state.turns + 1 }, event);
  }
}

export const mayHold = ({ cycle }: HintState): boolean => cycle !== 'held' && cycle !== 'over';

function started(state: HintState, { how, model, at }: HintEvent & { is: 'started' }): HintState {
  if (how === 'compacted')
    return { ...afterCompaction(state, at), compaction: 'none', model: model ?? state.model };
  if (state.compaction === 'announced') return { ...state, model: model ?? state.model };
  if (how === 'new') return { ...FRESH, model: model ?? '' };
  // The window is the same: what was said in it stays said.
  const { summary, compaction, offered, cycle } = state;
  return { ...FRESH, summary, compaction, offered, cycle, model: model ?? '' };
}

const afterCompaction = (state: HintState, at: number): HintState => ({
  ...state,
  cycle: 'calm',
  review: true,
  compactedAt: new Date(at).toISOString(),
});

function atPrompt(state: HintState, event: HintEvent & { is: 'prompt' }): [HintState, string[]] {
  const { settings, ways, empty, digest, plan, adoptable } = event;
  const { turns } = state;
  const lines: string[] = [];
  // A change of any space counts as use, whoever made it.
  if (state.seen !== digest) {
    if (state.seen !== '') state.usedAt = turns;
    state.seen = digest;
  }
  const unused = turns - state.usedAt;
  if (state.review && settings.nudgeAfterCompaction > 0) lines.push(reviewHint(empty, ways));
  state.review = false;
  if (settings.nudgeOnPlanDetected > 0 && !state.offered && adoptable === true) {
    state.offered = true;
    lines.push(ADOPT);
  } else if (empty && settings.nudgeOnPlanDetected > 0 && plan !== undefined && plan !== state.plan) {
    state.plan = plan;
    lines.push(
      `[Hint: The last answer holds a plan that the scratchpad does not have; ${ways.plan} keeps it across compaction.]`,
    );
  } else if (empty && settings.nudgeAfterTurns > 0 && turns % settings.nudgeAfterTurns === 0) {
    lines.push(
      `[Hint: The scratchpad is still empty after ${counted(turns, 'turn')}; ${ways.save} keep plan and findings across compaction.]`,
    );
  } else if (!empty && unused > 0 && unused % settings.nudgeTurnsSinceLastUse === 0) {
    lines.push(
      `[Hint: The scratchpad has not changed for ${counted(unused, 'turn')}; it may need a review: steps done, new findings, refs no longer needed.]`,
    );
  }
  return [state, lines];
}

const ADOPT =
  '[Hint: The open tasks of this session are not in the scratchpad, whose plan is empty; `scratchpad plan adopt` takes them over.]';

/** @param empty whether there is anything to review */
export function reviewHint(empty: boolean, { save }: Ways): string {
  return empty
    ? `[Hint: The conversation was compacted and the scratchpad is empty; what is still known of plan and findings can be saved with ${save}.]`
    : '[Hint: The conversation was compacted; the scratchpad was kept in full and may need a review against what is still known.]';
}

export interface ContextUse {
  used: number;
  window: number;
}

/** The warning before a compaction, worded as facts: text that gives orders can look like an attack to the model. */
function compactionWarning({ used, window }: ContextUse, { save }: Ways): string {
  const share = Math.min(100, Math.floor((used / window) * 100));
  return (
    `[Notice: Context is approaching the token limit (${thousands(used)} of ${thousands(window)} tokens, ${share} %) and will be compacted soon. ` +
    'Conversation details may be summarized during compaction, but the scratchpad is kept in full. ' +
    `Working state, findings and progress that it does not hold yet are saved with ${save}.]`
  );
}

/** Why a compaction is held, for the host to show. */
export const HOLD_REASON =
  'Held by scratchpad for one turn, so that the agent can save its working state (compaction.hold: once); the next compaction goes ahead.';

/** The same for the model, at the next event that accepts text. */
function heldNotice({ save }: Ways): string {
  return (
    '[Notice: The context is full. A compaction was due and is held for one turn, so that working state is not lost: the next request compacts. ' +
    `What the scratchpad does not hold yet is saved with ${save}.]`
  );
}

/** The calls that an agent of a host makes on the scratchpad: commands, or tools if it has them. */
export interface Ways {
  /** For an empty pad: how to write to it, said once per window. */
  empty: string;
  /** The calls that save working state. */
  save: string;
  plan: string;
}

const COMMANDS: Ways = {
  empty:
    '(The scratchpad is empty. `scratchpad plan set "1. …"` and `scratchpad notes append "…"` keep a plan and findings across compaction.)',
  save: '`scratchpad notes append "…"` and `scratchpad plan set "1. …"`',
  plan: '`scratchpad plan set "1. …"`',
};

const UNTIL_LISTED = 'Until that tool is listed: `scratchpad plan set "1. …"`.';

/**
 * @param tool the model's name for our tool, if the host has our MCP server or plugin
 * @param late whether the host may ask its model before it has the server's tools
 */
export function waysOf(tool: string | undefined, late = false): Ways {
  if (tool === undefined) return COMMANDS;
  const call = (args: string): string => `\`${tool} {${args}}\``;
  const plan = call('"action": "set_plan", "content": "1. …"');
  const notes = call('"action": "append_notes", "content": "…"');
  return {
    empty: `(The scratchpad is empty. ${plan} keeps a plan, append_notes findings, across compaction.${late ? ` ${UNTIL_LISTED}` : ''})`,
    save: `${notes} and ${plan}`,
    plan,
  };
}
