import { counted } from '../../base/text/counts.ts';
import type { Config } from '../../config/config.ts';
import type { Remembered } from './memory.ts';

/** The input of the nudges at one prompt. */
interface Turn {
  /** Whether all spaces are empty. */
  empty: boolean;
  /** Digest of the spaces. */
  digest: string;
  /**
   * Whether the agent's last message contains a plan, with a digest of the message. Called only when needed.
   */
  plan(): Promise<{ found: boolean; words: string }>;
  ways: Ways;
  /**
   * Whether `scratchpad plan adopt` would take tasks over; not if the plan space is in use. Called only when
   * needed.
   */
  adoptable(): Promise<boolean>;
}

type Settings = Pick<
  Config,
  'nudgeAfterTurns' | 'nudgeOnPlanDetected' | 'nudgeAfterCompaction' | 'nudgeTurnsSinceLastUse'
>;

/** Whether any nudge is enabled. */
export function nudgesOn(config: Settings): boolean {
  return (
    config.nudgeAfterTurns > 0 ||
    config.nudgeOnPlanDetected > 0 ||
    config.nudgeAfterCompaction > 0 ||
    config.nudgeTurnsSinceLastUse > 0
  );
}

/**
 * The hints for a prompt, one line each, and the updated memory. Each hint stops once the scratchpad is used,
 * and is not repeated before its interval has passed.
 */
export async function nudge(config: Settings, memory: Remembered, turn: Turn): Promise<string[]> {
  memory.turns += 1;
  const { turns } = memory;
  // A change of any space counts as use, whoever made it.
  if (memory.seen !== turn.digest) {
    if (memory.seen !== '') memory.usedAt = turns;
    memory.seen = turn.digest;
    memory.hintedAt = memory.usedAt;
  }
  const hints: string[] = [];
  if (memory.compacted) {
    if (config.nudgeAfterCompaction > 0) hints.push(afterCompaction(turn.empty, turn.ways));
    memory.compacted = false;
  }
  const offer = await newOffer(config, memory, turn);
  if (offer !== undefined) hints.push(offer);
  else if (turn.empty) {
    if (config.nudgeOnPlanDetected > 0 && (await newPlan(memory, turn))) hints.push(planDetected(turn.ways));
    else if (config.nudgeAfterTurns > 0 && turns % config.nudgeAfterTurns === 0) {
      hints.push(stillEmpty(turns, turn.ways));
    }
  } else if (config.nudgeTurnsSinceLastUse > 0) {
    const since = Math.max(memory.usedAt, memory.hintedAt);
    if (turns - since >= config.nudgeTurnsSinceLastUse) {
      hints.push(unused(turns - memory.usedAt));
      memory.hintedAt = turns;
    }
  }
  return hints;
}

async function newOffer(config: Settings, memory: Remembered, turn: Turn): Promise<string | undefined> {
  if (config.nudgeOnPlanDetected === 0 || memory.offered) return undefined;
  if (!(await turn.adoptable())) return undefined;
  memory.offered = true;
  return '[Hint: The open tasks of this session are not in the scratchpad, whose plan is empty; `scratchpad plan adopt` takes them over.]';
}

async function newPlan(memory: Remembered, turn: Turn): Promise<boolean> {
  if (memory.planWaiting) {
    memory.planWaiting = false;
    memory.plan = (await turn.plan()).words;
    return true;
  }
  const { found, words } = await turn.plan();
  if (!found || words === memory.plan) return false;
  memory.plan = words;
  return true;
}

/** @param empty whether there is anything to review */
export function afterCompaction(empty: boolean, { save }: Ways): string {
  return empty
    ? `[Hint: The conversation was compacted and the scratchpad is empty; what is still known of plan and findings can be saved with ${save}.]`
    : '[Hint: The conversation was compacted; the scratchpad was kept in full and may need a review against what is still known.]';
}

function planDetected({ plan }: Ways): string {
  return `[Hint: The last answer holds a plan that the scratchpad does not have; ${plan} keeps it across compaction.]`;
}

function stillEmpty(turns: number, { save }: Ways): string {
  return `[Hint: The scratchpad is still empty after ${counted(turns, 'turn')}; ${save} keep plan and findings across compaction.]`;
}

function unused(turns: number): string {
  return `[Hint: The scratchpad has not changed for ${counted(turns, 'turn')}; it may need a review: steps done, new findings, refs no longer needed.]`;
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
    '(The scratchpad is empty. `scratchpad plan set "1. …"` keeps a plan, `scratchpad notes append "…"` findings and decisions, `scratchpad refs add PATH` files that will be needed again; they survive context compaction.)',
  save: '`scratchpad notes append "…"` and `scratchpad plan set "1. …"`',
  plan: '`scratchpad plan set "1. …"`',
};

const UNTIL_LISTED =
  'Until that tool is listed, the commands `scratchpad plan set "1. …"` and `scratchpad notes append "…"` do the same.';

/**
 * @param tool the model's name for our tool, if the host has our MCP server or plugin
 * @param late whether the host may ask its model before it has the server's tools
 */
export function waysOf(tool: string | undefined, late = false): Ways {
  if (tool === undefined) return COMMANDS;
  const call = (args: string): string => `\`${tool} {${args}}\``;
  const plan = call('"action": "set_plan", "content": "1. …"');
  const notes = call('"action": "append_notes", "content": "…"');
  const refs = call('"action": "refs.add", "ref": "PATH"');
  return {
    empty: `(The scratchpad is empty. The tool call ${plan} keeps a plan, ${notes} findings and decisions, ${refs} files that will be needed again; they survive context compaction.${late ? ` ${UNTIL_LISTED}` : ''})`,
    save: `${notes} and ${plan}`,
    plan,
  };
}
