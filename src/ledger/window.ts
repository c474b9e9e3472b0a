import { makeUnion, number, record, type Shape, text } from '../base/fs/json-shape.ts';
import { formatCount, formatThousands } from '../base/text/strings.ts';
import type { Config } from '../config/settings.ts';
import type { Ledger } from './ledger.ts';

/*
 * The context window of a host session: what it was told, how near a compaction is, and what reminds the agent to save.
 * Each event of the host leads from one phase to the next:
 *
 *   calm ── context full ──> warned ── a compaction is held ──> held ── the model is told ──> told ── held ──> over
 *    ^                          │                                                                              │
 *    │                          └──> expected: the host is about to compact, and will not say so ──┐           │
 *    └── a prompt ── compacted <── a start follows ── announced <── a compaction ──────────────────┴───────────┘
 */

/** State of a window between events; without it a line is repeated, or a hint given once too often. */
export interface Window {
  hints: HintState;
  /** Lines that the window was told; absent after a compaction, or if nobody knows. */
  ledger?: Ledger | undefined;
  /** Branches whose earlier work the window was told; empty outside of git. */
  handed?: string[] | undefined;
}

const PHASES = ['calm', 'warned', 'held', 'told', 'over', 'expected', 'announced', 'compacted'] as const;

export interface HintState {
  phase: (typeof PHASES)[number];
  /** Prompts since the session's start or resume, and the one at which the spaces last changed. */
  turns: number;
  lastUsedTurn: number;
  spacesDigest: string;
  /** Digest of the agent's message whose plan led to a hint. */
  plan: string;
  /** The model as the host named it at the start, which may say more than the transcript. */
  model: string;
  /** Of the last compaction: ISO 8601 time, and what tells it from others in the transcript. */
  compactedAt: string;
  compactionId: string;
}

const FRESH: HintState = {
  ...{ phase: 'calm', turns: 0, lastUsedTurn: 0, spacesDigest: '', plan: '' },
  ...{ model: '', compactedAt: '', compactionId: '' },
};

export const createHintState = (): HintState => ({ ...FRESH });

const HINTS: Shape<Partial<HintState>> = record(
  {},
  {
    ...{ phase: makeUnion(...PHASES), turns: number, lastUsedTurn: number, spacesDigest: text, plan: text },
    ...{ model: text, compactedAt: text, compactionId: text },
  },
);

export const readHints = (value: unknown): HintState => ({ ...FRESH, ...HINTS(value) });

const NUDGES = [
  'nudgeAfterTurns',
  'nudgeOnPlanDetected',
  'nudgeAfterCompaction',
  'nudgeTurnsSinceLastUse',
] as const;
type Settings = Pick<Config, (typeof NUDGES)[number]>;

export const hasHints = (settings: Settings): boolean => NUDGES.some((nudge) => settings[nudge] > 0);

export type WindowEvent =
  | { is: 'started'; how: 'new' | 'resumed' | 'compacted'; model?: string | undefined; at: number }
  /** @param compactionId what tells it from others in the transcript */
  | { is: 'compacted'; at: number; compactionId?: string; announced?: true }
  | { is: 'compaction expected' }
  | { is: 'compaction held' }
  | { is: 'context full'; use: ContextUse; ways: WriteWays }
  | {
      is: 'prompt';
      settings: Settings;
      ways: WriteWays;
      empty: boolean;
      digest: string;
      plan?: string | undefined;
    };

/** The window after an event, and the lines for the model: each one stops once it is acted on. */
export function advanceWindow(window: Window, event: WindowEvent): [Window, string[]] {
  const { hints } = window;
  const { phase } = hints;
  const change = (now: Partial<HintState>, more: Partial<Window> = {}): Window => ({
    ...window,
    hints: { ...hints, ...now },
    ...more,
  });

  switch (event.is) {
    case 'started':
      return [startWindow(window, event), []];
    case 'compacted': {
      const { at, compactionId = hints.compactionId, announced } = event;
      // Claude Code reports one twice: also at the session's new start. The clock may have been set back since another.
      const apart = Math.abs(at - (Date.parse(hints.compactedAt) || 0));
      if (announced && apart <= SAME_COMPACTION_MS) return [window, []];

      const compactedAt = toIso(at);
      const now = { phase: announced ? 'announced' : 'compacted', compactedAt, compactionId } as const;

      // Lines told while the compaction was expected are already in the new window.
      return [phase === 'expected' && !announced ? change(now) : change(now, { ledger: undefined }), []];
    }
    case 'compaction expected':
      // A compaction that did not happen is expected once only.
      return [phase === 'expected' ? window : change({ phase: 'expected' }, { ledger: undefined }), []];
    case 'compaction held':
      return [change({ phase: phase === 'told' ? 'over' : 'held' }), []];
    case 'context full':
      if (phase === 'held') return [change({ phase: 'told' }), [renderHeldNotice(event.ways)]];
      return mayWarn(hints)
        ? [change({ phase: 'warned' }), [renderCompactionWarning(event.use, event.ways)]]
        : [window, []];
    case 'prompt': {
      const [now, lines] = advanceHints(hints, event);
      return [change(now), lines];
    }
  }
}

const SAME_COMPACTION_MS = 30_000;
const toIso = (at: number): string => new Date(at).toISOString();

/** A compaction may be held twice: before the model knows why, and in the turn in which it saves. */
export const mayHold = ({ phase }: HintState): boolean => phase !== 'held' && phase !== 'over';
export const mayWarn = ({ phase }: HintState): boolean =>
  phase === 'calm' || phase === 'compacted' || phase === 'announced';

function startWindow(window: Window, { how, model, at }: WindowEvent & { is: 'started' }): Window {
  const { hints } = window;
  if (how === 'new')
    return { ...window, ledger: undefined, handed: undefined, hints: { ...FRESH, model: model ?? '' } };

  const { phase, compactionId } = hints;
  const modelName = model ?? hints.model;
  // Codex starts a resumed session twice around a compaction: the first start has told the new window everything.
  const ledger = phase === 'announced' ? window.ledger : undefined;

  if (how === 'compacted')
    return { ...window, ledger, hints: { ...hints, phase: how, compactedAt: toIso(at), model: modelName } };
  if (phase === 'announced') return { ...window, hints: { ...hints, model: modelName } };

  // The window is the same: what was said in it stays said.
  const same = { compactionId, phase: phase === 'compacted' ? 'calm' : phase, model: model ?? '' } as const;

  return { ...window, hints: { ...FRESH, ...same } };
}

function advanceHints(state: HintState, event: WindowEvent & { is: 'prompt' }): [HintState, string[]] {
  const { settings, ways, empty, digest, plan } = event;
  const wasCompacted = state.phase === 'compacted' || state.phase === 'announced';
  const turns = state.turns + 1;
  // A change of any space counts as use, whoever made it.
  const lastUsedTurn = ['', digest].includes(state.spacesDigest) ? state.lastUsedTurn : turns;
  const phase = wasCompacted ? 'calm' : state.phase;
  const now: HintState = { ...state, turns, lastUsedTurn, spacesDigest: digest, phase };
  const unused = turns - lastUsedTurn;
  const lines = wasCompacted && settings.nudgeAfterCompaction > 0 ? [renderReviewHint(empty, ways)] : [];

  if (empty && settings.nudgeOnPlanDetected > 0 && plan !== undefined && plan !== state.plan) {
    now.plan = plan;
    lines.push(
      `[Hint: The last answer holds a plan that the scratchpad does not have; ${ways.plan} keeps it across compaction.]`,
    );
  } else if (empty && settings.nudgeAfterTurns > 0 && turns % settings.nudgeAfterTurns === 0) {
    lines.push(
      `[Hint: The scratchpad is still empty after ${formatCount(turns, 'turn')}; ${ways.save} keep plan and findings across compaction.]`,
    );
  } else if (!empty && unused > 0 && unused % settings.nudgeTurnsSinceLastUse === 0) {
    lines.push(
      `[Hint: The scratchpad has not changed for ${formatCount(unused, 'turn')}; it may need a review: steps done, new findings, refs no longer needed.]`,
    );
  }

  return [now, lines];
}

export const renderReviewHint = (empty: boolean, { save }: WriteWays): string =>
  empty
    ? `[Hint: The conversation was compacted, and plan, notes and refs are empty; what is still known of plan and findings can be saved with ${save}.]`
    : '[Hint: The conversation was compacted; the scratchpad was kept in full and may need a review against what is still known.]';

export interface ContextUse {
  used: number;
  window: number;
}

/** The warning before a compaction, worded as facts: text that gives orders can look like an attack to the model. */
function renderCompactionWarning({ used, window }: ContextUse, { save }: WriteWays): string {
  const share = Math.min(100, Math.floor((used / window) * 100));
  return (
    `[Notice: Context is approaching the token limit (${formatThousands(used)} of ${formatThousands(window)} tokens, ${share} %) and will be compacted soon. ` +
    'Conversation details may be summarized during compaction, but the scratchpad is kept in full. ' +
    `Working state, findings and progress that it does not hold yet are saved with ${save}.]`
  );
}

export const HOLD_REASON =
  'Held by scratchpad for one turn, so that the agent can save its working state (compaction.hold: once); the next compaction goes ahead.';

const renderHeldNotice = ({ save }: WriteWays): string =>
  '[Notice: The context is full. A compaction was due and is held for one turn, so that working state is not lost: the next request compacts. ' +
  `What the scratchpad does not hold yet is saved with ${save}.]`;

/** The calls that an agent of a host makes on the scratchpad: commands, or tools if it has them. */
export interface WriteWays {
  /** How to write to an empty pad, once per window: a sentence without its full stop. */
  firstUse: string;
  /** The sentences after `firstUse`. */
  remarks: string;
  /** The same for a pad that is not empty. */
  more: string;
  save: string;
  plan: string;
}

const RULES_LAST = '`Rule:` lines stay on top.';
export const SHOWN = 'the next session is shown';

const COMMANDS: WriteWays = {
  firstUse:
    '`scratchpad plan set "1. …"` keeps a plan and `scratchpad notes add "…"` each finding as it is found, across compaction',
  remarks: RULES_LAST,
  more: `\`scratchpad notes add "…"\` adds to it, and ${SHOWN} it. ${RULES_LAST}`,
  save: '`scratchpad notes add "…"` and `scratchpad plan set "1. …"`',
  plan: '`scratchpad plan set "1. …"`',
};

const UNTIL_LISTED = 'Until that tool is listed: `scratchpad plan set "1. …"`.';

/**
 * @param tool the model's name for our tool, if the host has our MCP server or plugin
 * @param late whether the host may ask its model before it has the server's tools
 */
export function describeWays(tool: string | undefined, late = false): WriteWays {
  if (tool === undefined) return COMMANDS;

  const call = (args: string): string => `\`${tool} {${args}}\``;
  const plan = call('"action": "set_plan", "content": "1. …"');
  const notes = call('"action": "append_notes", "content": "…"');

  return {
    firstUse: `${plan} keeps a plan and append_notes each finding as it is found, across compaction`,
    remarks: late ? `${RULES_LAST} ${UNTIL_LISTED}` : RULES_LAST,
    more: `${notes} adds to it, and ${SHOWN} it. ${RULES_LAST}`,
    save: `${notes} and ${plan}`,
    plan,
  };
}
