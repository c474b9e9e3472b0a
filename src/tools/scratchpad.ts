import { misuse, refused, type ScratchpadError } from '../base/errors.ts';
import { changeInShort, historyOf, rowsOf, spellAuthor, undo } from '../core/history.ts';
import { editSpace, type Outcome, planSpace, refsSpace, textSpace, wholeKept } from '../core/spaces.ts';
import { describeUsage, refsOf } from '../pad/budget.ts';
import { SPACE_NAMES, SPACE_TITLES } from '../pad/markers.ts';
import { joinText, setText } from '../pad/spaces.ts';
import { withLf } from '../pad/text.ts';
import { estimateTokens, truncateToTokens } from '../pad/tokens.ts';
import { objectSchema } from './schema.ts';
import type { Tool, ToolAnswer, ToolContext } from './tool.ts';

const ACTIONS = [
  'set_notes',
  'append_notes',
  'set_plan',
  'refs.add',
  'refs.remove',
  'refs.set',
  'plan.add',
  'plan.done',
  'plan.undone',
  'plan.current',
  'show',
  'history',
  'undo',
] as const;
/** Most changes in the answer of `history`. */
const ROWS = 20;
type Action = (typeof ACTIONS)[number];
type Arguments = Readonly<Record<string, unknown>>;

/** `session.scratchpad`: three spaces by `action`, or one space by `mode`; both contracts in one tool. */
export const scratchpadTool: Tool = {
  name: 'session.scratchpad',
  description:
    'Persist important working state (plans, findings, decisions) that survives context compaction. Shown at the start ' +
    'and after a compaction, then what changes',
  inputSchema: objectSchema({
    action: {
      type: 'string',
      enum: [...ACTIONS],
      description:
        'set_*, append_notes, plan.add take content; refs.add, refs.remove ref; refs.set items; ' +
        'plan.done (default: current step), undone, current steps from 1; undo count',
    },
    content: { type: 'string' },
    mode: {
      type: 'string',
      enum: ['replace', 'append'],
      description: 'Without action; replace: overwrite the entire scratchpad (default)',
    },
    ref: { type: 'string', description: 'Path, URL or id' },
    items: { type: 'array', items: { type: 'string' } },
    steps: { type: 'array', items: { type: 'integer' } },
    count: { type: 'integer', minimum: 1 },
  }),
  readOnly: false,
  run: async (context, args) => {
    const { action } = args;
    if (action === undefined && args.content === undefined && args.mode === undefined)
      throw needs('session_scratchpad', 'action', `one of ${ACTIONS.join(', ')}; or content`);
    if (action === undefined) return single(context, args);
    return (LOOKS[String(action)] ?? changing(ACTS[action as Change]))(context, args);
  },
};

type Look = (context: ToolContext, args: Arguments) => Promise<ToolAnswer>;
type Act = (context: ToolContext, args: Arguments) => Promise<Outcome>;
type Change = Exclude<Action, 'show' | 'history' | 'undo'>;

/** Actions on the pad as a whole. */
const LOOKS: Readonly<Record<string, Look | undefined>> = {
  show: async ({ pad }) => {
    const { plan, notes, refs } = (await pad.store.read()).spaces;
    const parts = SPACE_NAMES.map(
      (space) => `## ${SPACE_TITLES[space]}\n${{ plan, notes, refs }[space] || '(empty)'}`,
    );
    return { text: parts.join('\n\n'), value: { plan, notes, refs: refsOf(refs) } };
  },
  history: async ({ pad }) => {
    const rows = rowsOf(await historyOf(pad))
      .slice(-ROWS)
      .reverse();
    const lines = rows.map((row) => {
      const who = spellAuthor(row);
      return `${row.rev}  ${row.timestamp}  ${row.space} ${row.op} (${who})  ${changeInShort(row)}`;
    });
    return { text: lines.join('\n') || 'no changes yet', value: { history: rows } };
  },
  undo: async ({ pad }, { count }) => {
    const done = await undo(pad, typeof count === 'number' ? count : 1);
    return { text: [done.message, ...done.usage.map(describeUsage)].join('\n'), value: { ...done } };
  },
};

function changing(act: Act): Look {
  return async (context, args) => {
    const outcome = await act(context, args);
    // For the plan the answer names the next step; for the other spaces, by the contract of this tool, it is
    // their content.
    const message = outcome.space === 'plan' && outcome.message !== '' && isStep(args) ? outcome.message : '';
    const told = [message, describeUsage(outcome)].filter((line) => line !== '').join('\n');
    return { text: [told, ...outcome.warnings].join('\n'), value: { ...outcome, message: told } };
  };
}

const ACTS: Record<Change, Act> = {
  set_notes: ({ pad }, args) => textSpace(pad, 'notes').set(text(args, 'content')),
  append_notes: ({ pad }, args) => textSpace(pad, 'notes').append(text(args, 'content')),
  set_plan: ({ pad }, args) => planSpace(pad).set(text(args, 'content')),
  'plan.add': ({ pad }, args) => planSpace(pad).add(text(args, 'content')),
  'plan.done': ({ pad }, args) => planSpace(pad).done(...steps(args, 0)),
  'plan.undone': ({ pad }, args) => planSpace(pad).undone(...steps(args, 1)),
  'plan.current': ({ pad }, args) => planSpace(pad).current(steps(args, 1)[0] ?? 0),
  'refs.add': ({ pad }, args) => refsSpace(pad).add(text(args, 'ref')),
  'refs.remove': ({ pad }, args) => refsSpace(pad).remove(text(args, 'ref')),
  'refs.set': ({ pad }, args) => {
    const { items } = args;
    if (Array.isArray(items)) return refsSpace(pad).set(items);
    throw needs('refs.set', 'items', 'a list of strings');
  },
};

/**
 * The single-space contract: the notes under a token budget besides their own limit. What is cut is kept whole as an
 * entry, as by every other way to write them.
 */
async function single({ pad }: ToolContext, args: Arguments): Promise<ToolAnswer> {
  const { limits, scratchpad } = pad.config;
  const { maxTokens } = scratchpad;
  const content = withLf(text({ ...args, action: 'mode' }, 'content')).toWellFormed();
  const told = (whole: string): string =>
    `Scratchpad updated (${estimateTokens(whole)} tokens / ${maxTokens} budget)`;
  if (args.mode === 'append') {
    const outcome = await editSpace(pad, 'notes', 'append', (now) => {
      const unlimited = { ...limits, notes: Number.POSITIVE_INFINITY };
      const whole = joinText('notes', now, content, 'append', unlimited).content;
      if (estimateTokens(whole) > maxTokens)
        throw overBudget(maxTokens, estimateTokens(now), estimateTokens(content));
      return { ...joinText('notes', now, content, 'append', limits), message: told(whole) };
    });
    return singleAnswer(outcome, estimateTokens((await pad.store.read()).spaces.notes), maxTokens);
  }
  const tokens = estimateTokens(content);
  const within = tokens > maxTokens ? truncateToTokens(content, maxTokens) : content;
  const set = setText('notes', within, limits);
  const cut =
    tokens > maxTokens
      ? [`Scratchpad truncated to ${maxTokens} tokens (original: ${tokens}). Consider summarizing.`]
      : [];
  const warnings = [...cut, ...set.warnings];
  const kept = warnings.length > 0 ? await wholeKept(pad, 'notes', content) : [];
  const [message = told(set.content)] = cut;
  const outcome = await editSpace(pad, 'notes', 'set', () => ({
    content: set.content,
    warnings: [...warnings, ...kept],
    message,
  }));
  return singleAnswer(outcome, estimateTokens(set.content), maxTokens);
}

/** The first line is that of the contract; what was cut and where it is kept follow. */
function singleAnswer(outcome: Outcome, tokens: number, maxTokens: number): ToolAnswer {
  const { message, warnings } = outcome;
  const text = [message, ...warnings.filter((warning) => warning !== message)].join('\n');
  return { text, value: { tokens, maxTokens, ...outcome } };
}

function overBudget(maxTokens: number, current: number, added: number): ScratchpadError {
  return refused(
    `Append would exceed ${maxTokens} token budget (current: ${current}, append: ${added}). ` +
      "Use mode 'replace' to rewrite, or reduce content.",
  );
}

function text(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value === 'string') return value;
  throw needs(String(args.action), name, 'a text');
}

function isStep({ action }: Arguments): boolean {
  return String(action).startsWith('plan.');
}

function steps(args: Arguments, least: number): number[] {
  const given = args.steps === undefined ? [] : args.steps;
  if (Array.isArray(given) && given.length >= least && given.every(Number.isSafeInteger)) return given;
  throw needs(String(args.action), 'steps', 'a list of numbers of steps, such as [2]');
}

function needs(action: string, name: string, expected: string): ScratchpadError {
  return misuse(`${action} needs ${name}: nothing was changed`, { where: name, expected, found: 'nothing' });
}
