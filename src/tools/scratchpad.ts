import { refusal, type ScratchpadError, usageError } from '../base/errors.ts';
import { toJsonText } from '../base/text/json.ts';
import { formatThousands } from '../base/text/strings.ts';
import type { Pad } from '../core/context.ts';
import { formatAuthor, listRows, summarizeChange, undo } from '../core/history.ts';
import {
  editSpace,
  keepWholeText,
  type Outcome,
  openPlanSpace,
  openRefsSpace,
  openTextSpace,
} from '../core/spaces.ts';
import { describeUsage, parseRefs } from '../pad/budget.ts';
import { SPACE_NAMES, SPACE_TITLES } from '../pad/markers.ts';
import { escapeHeadings } from '../pad/our-headings.ts';
import { cutAfterRules, warnOfLostRules } from '../pad/rules.ts';
import { cleanText, joinText } from '../pad/spaces.ts';
import type { StepName } from '../pad/step-names.ts';
import { estimateTokens, truncateToTokens } from '../pad/tokens.ts';
import { defineTool, type ToolAnswer } from './tool.ts';

const ROWS = 20;
const NO_PAD = 'There is no scratchpad here yet; set_plan, append_notes or refs.add creates it.';
type Arguments = Readonly<Record<string, unknown>>;
type Action = (pad: Pad, args: Arguments) => Promise<ToolAnswer>;

const ACTIONS: Readonly<Record<string, Action>> = {
  set_notes: (pad, args) => answerChange(openTextSpace(pad, 'notes').set(readText(args, 'content'))),
  append_notes: (pad, args) => answerChange(openTextSpace(pad, 'notes').append(readText(args, 'content'))),
  set_plan: (pad, args) => answerChange(openPlanSpace(pad).set(readText(args, 'content'))),
  'refs.add': (pad, args) => answerChange(openRefsSpace(pad).add(readRef(args))),
  'refs.remove': (pad, args) => answerChange(openRefsSpace(pad).remove(readRef(args))),
  'refs.set': (pad, { items }) => {
    if (Array.isArray(items)) return answerChange(openRefsSpace(pad).set(items));
    throw missingArgument('refs.set', 'items', 'a list of strings');
  },
  'refs.clear': (pad) => answerChange(openRefsSpace(pad).clear()),
  'plan.add': (pad, args) => answerStep(openPlanSpace(pad).add(readText(args, 'content'))),
  'plan.done': (pad, args) => {
    const { done, doneCurrent } = openPlanSpace(pad);
    return answerStep(args.steps === undefined ? doneCurrent() : done(readSteps(args)));
  },
  'plan.undone': (pad, args) => answerStep(openPlanSpace(pad).undone(readSteps(args))),
  'plan.current': (pad, args) => {
    const [step, ...others] = readSteps(args);
    if (step !== undefined && others.length === 0) return answerStep(openPlanSpace(pad).current(step));
    throw missingArgument('plan.current', 'one step', 'the number of one step, such as [2]', args.steps);
  },
  show: async (pad) => {
    const { spaces, notices, exists } = await pad.store.read();
    const { plan, notes, refs } = spaces;
    const parts = SPACE_NAMES.map(
      (space) => `## ${SPACE_TITLES[space]}\n${escapeHeadings({ plan, notes, refs }[space]) || '(empty)'}`,
    );
    const value = { plan, notes, refs: parseRefs(refs) };

    return {
      text: [...notices, ...(exists ? parts : [NO_PAD])].join('\n\n'),
      value: notices.length > 0 ? { ...value, notices } : value,
    };
  },
  history: async (pad) => {
    const rows = listRows(await pad.store.history())
      .slice(-ROWS)
      .reverse();
    const lines = rows.map((row) => {
      const who = formatAuthor(row);
      return `${row.rev}  ${row.timestamp}  ${row.space} ${row.op} (${who})  ${summarizeChange(row)}`;
    });
    return { text: lines.join('\n') || 'no changes yet', value: { history: rows } };
  },
  undo: async (pad, { count }) => {
    const result = await undo(pad, typeof count === 'number' ? count : 1, 'tool');
    return { text: [result.message, ...result.usage.map(describeUsage)].join('\n'), value: { ...result } };
  },
};

/** The actions that take an argument, and those that do what a mode says. */
const ACTIONS_WITH: Readonly<Record<string, readonly string[]>> = {
  content: ['set_notes', 'append_notes', 'set_plan', 'plan.add'],
  ref: ['refs.add', 'refs.remove'],
  items: ['refs.add', 'refs.remove', 'refs.set'],
  steps: ['plan.done', 'plan.undone', 'plan.current'],
  count: ['undo'],
  replace: ['set_notes', 'set_plan'],
  append: ['append_notes'],
};

/** Answers how full the space is, and for the plan which step is next. */
async function answerChange(change: Promise<Outcome>, { saysNext = false } = {}): Promise<ToolAnswer> {
  const outcome = await change;
  const message = [...(saysNext ? [outcome.message] : []), describeUsage(outcome)].join('\n');
  return { text: [message, ...outcome.warnings].join('\n'), value: { ...outcome, message } };
}

const answerStep = (change: Promise<Outcome>): Promise<ToolAnswer> =>
  answerChange(change, { saysNext: true });

const ARGUMENT_HELP =
  'set_*, append_notes, plan.add take content; refs.add, refs.remove ref; refs.set items; ' +
  'plan.done (default: current step), undone, current steps from 1; undo count';

/** `session.scratchpad`: three spaces by `action`, or one space by `mode`; docs/designs.md has both contracts. */
export const scratchpadTool = defineTool({
  name: 'session.scratchpad',
  description:
    'Persist important working state (plans, findings, decisions) that survives context compaction: add each finding ' +
    'as it is found, and the next session is shown it. Shown by hosts with hooks at the start and after a compaction, ' +
    'then what changes.',
  limits: ({ limits: { plan, notes, refs }, scratchpad: { maxTokens } }) =>
    `plan: ${formatThousands(plan)} characters; notes: ${formatThousands(notes)}, or ${formatThousands(maxTokens)} tokens without action; refs: ${formatThousands(refs)} items`,
  takes: {
    action: { type: 'string', enum: Object.keys(ACTIONS), description: ARGUMENT_HELP },
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
  },
  readOnly: false,
  run: async ({ pad }, args) => {
    const { action, content, mode } = args;
    if (action === undefined && (content ?? mode) !== undefined) return writeSingleSpace(pad, args);

    const name = String(action);
    const run = ACTIONS[name];
    if (run === undefined) {
      const names = Object.keys(ACTIONS).join(', ');
      throw missingArgument('session_scratchpad', 'action', `one of ${names}; or content`);
    }

    refuseUnusedArguments(name, args);
    return run(pad, args);
  },
});

/** @throws ScratchpadError `usage` for an argument without effect: a model would believe that it had one */
function refuseUnusedArguments(action: string, { action: _, ...args }: Arguments): void {
  for (const [name, value] of Object.entries(args)) {
    // A program writes an empty text or list for an argument that it leaves out.
    const isEmpty = [value].flat().every((each) => each === '' || each === null);
    if (isEmpty || ACTIONS_WITH[name === 'mode' ? String(value) : name]?.includes(action)) continue;
    const detail = { where: name, expected: ARGUMENT_HELP, found: toJsonText(value) };
    throw usageError(`${action} takes no ${name}: nothing was changed`, detail);
  }
}

/** Writes the notes within a budget of tokens in place of their limit. A text that is cut is kept whole as an entry. */
async function writeSingleSpace(pad: Pad, args: Arguments): Promise<ToolAnswer> {
  const { maxTokens } = pad.config.scratchpad;
  const limits = { ...pad.config.limits, notes: Number.POSITIVE_INFINITY };
  const content = cleanText(readText(args, 'content', 'mode'));
  const renderUpdated = (tokens: number): string =>
    `Scratchpad updated (${tokens} tokens / ${maxTokens} budget)`;

  if (args.mode === 'append') {
    let tokens = 0;
    const outcome = await editSpace(pad, 'notes', 'append', (current) => {
      const edited = joinText({ space: 'notes', content: current, limits }, content, 'append');
      tokens = estimateTokens(edited.content);
      if (tokens > maxTokens)
        throw refusal(
          `Append would exceed ${maxTokens} token budget (current: ${estimateTokens(current)}, append: ${estimateTokens(content)}). ` +
            "Use mode 'replace' to rewrite, or reduce content.",
        );
      return { ...edited, message: renderUpdated(tokens) };
    });

    return answerSingleSpace(outcome, tokens, maxTokens);
  }

  const original = estimateTokens(content);
  const keepStart = (whole: string): string => truncateToTokens(whole, maxTokens);
  const fitting = keepStart(content) === content ? content : cutAfterRules(content, keepStart);
  const tokens = estimateTokens(fitting);
  const isCut = fitting !== content;
  const message = isCut
    ? `Scratchpad truncated to ${maxTokens} tokens (original: ${original}). Consider summarizing.`
    : renderUpdated(tokens);
  const warnings = isCut ? [message, ...(await keepWholeText(pad, 'notes', content))] : [];
  const outcome = await editSpace(pad, 'notes', 'set', (current) => {
    const lostRules = warnOfLostRules(`${current}\n${content}`, fitting);
    return { content: fitting, warnings: [...warnings, ...lostRules], message };
  });

  return answerSingleSpace(outcome, tokens, maxTokens);
}

/** The first line is that of the contract in docs/designs.md. The figures are tokens, the unit of the limit that was applied. */
function answerSingleSpace(outcome: Outcome, tokens: number, maxTokens: number): ToolAnswer {
  const { message, warnings } = outcome;
  const text = [message, ...warnings.filter((warning) => warning !== message)].join('\n');
  return { text, value: { ...outcome, used: tokens, limit: maxTokens, unit: 'tokens', tokens, maxTokens } };
}

function readText(args: Arguments, name: string, action = String(args.action)): string {
  const value = args[name];
  if (typeof value === 'string') return value;
  throw missingArgument(action, name, 'a text');
}

/** A ref, a list, or both. */
function readRef({ ref, items, action }: Arguments): string {
  const refs = [ref ?? [], items ?? []].flat();
  return readText({ ref: refs.length > 0 ? refs.join('\n') : undefined, action }, 'ref');
}

function readSteps({ action, steps }: Arguments): StepName[] {
  const isName = (each: unknown): each is StepName => Number.isSafeInteger(each) || typeof each === 'string';
  if (Array.isArray(steps) && steps.length > 0 && steps.every(isName)) return steps;
  throw missingArgument(String(action), 'steps', 'a list of numbers of steps, such as [2]', steps);
}

const missingArgument = (action: string, name: string, expected: string, found?: unknown): ScratchpadError =>
  usageError(`${action} needs ${name}: nothing was changed`, {
    where: name,
    expected,
    found: toJsonText(found) || 'nothing',
  });
