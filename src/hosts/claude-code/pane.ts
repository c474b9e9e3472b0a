import { join } from 'node:path';
import { describeError, usageError } from '../../base/errors.ts';
import { DATA_DIR } from '../../base/fs/index.ts';
import { sanitizeForTerminal } from '../../base/safety/outgoing.ts';
import { getNumber, getString, type JsonObject } from '../../base/text/json.ts';
import { formatCount, shorten } from '../../base/text/strings.ts';
import { judgeProvenance } from '../../base/trust/index.ts';
import { loadConfig } from '../../config/load.ts';
import type { Pad } from '../../core/context.ts';
import { undo } from '../../core/history.ts';
import { openPlanSpace, openTextSpace } from '../../core/spaces.ts';
import { INDEX_FILE } from '../../entries/index-file.ts';
import { choosePlace, listReachable } from '../../entries/reach.ts';
import { listTold } from '../../ledger/ledger.ts';
import { parseRefs } from '../../pad/budget.ts';
import { getPlanTitle, renderProgress } from '../../pad/plan-title.ts';
import { findCurrentStep, parseSteps } from '../../pad/steps.ts';
import { HOST_SESSION } from '../../session/actor.ts';
import { openStore } from '../../session/file-store.ts';
import { readSessionStart, resolveWorkspaceFrom } from '../../session/host-session.ts';
import { findWorkspace } from '../../session/workspace.ts';
import { createToolContext } from '../../tools/registry.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { recall } from '../session-memory.ts';

export interface PaneView {
  exists: boolean;
  title: string;
  progress: string;
  steps: { number: number; text: string; done: boolean; current: boolean }[];
  notes: string[];
  refs: string[];
  /** Newest first. */
  entries: { name: string; size: string }[];
  /** What hooks told the model in this window, newest first; `at` is the local time, `03:21`. */
  told: { at: string; text: string }[];
  message: string;
  entry: { name: string; text: string } | null;
  files: string[];
}

const MOST_ITEMS = 50;
const MOST_TOLD = 12;
const ENTRY_CHARACTERS = 8000;
/** Variables that mark an agent's process. The host runs the pane, but a person acts in it. */
const AGENT_VARIABLES = ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'AI_AGENT', HOST_SESSION];

/** What the person does in the pane; `tick` marks a step as done, or as open again. */
type PaneAction =
  | { act: 'tick'; step: number }
  | { act: 'note'; text: string }
  | { act: 'undo' }
  | { act: 'entry'; name: string };

/** Shows the pad as the session sees it, after the person's action, if the message has one. */
export async function answerPane(json: JsonObject, env: NodeJS.ProcessEnv): Promise<PaneView> {
  const session = getString(json, 'session_id') ?? '';
  const start = readSessionStart(session, env);
  const nearest = findWorkspace(undefined, env, getString(json, 'cwd') ?? process.cwd());
  const workspace = start === undefined ? nearest : resolveWorkspaceFrom(start, nearest, env);
  const { root, exists } = workspace;
  if (!exists) return { ...EMPTY, message: `no scratchpad in ${root}; create one with: scratchpad init` };

  const { note, spaces } = judgeProvenance(root, env);
  if (spaces === 'untrusted') return { ...EMPTY, exists, message: sanitizeForTerminal(note ?? '') };

  const { config } = await loadConfig(root, env);
  const personEnv = Object.fromEntries(
    Object.entries(env).filter(([name]) => !AGENT_VARIABLES.includes(name)),
  );
  const { forkedFrom, ledger } = recall(join(root, DATA_DIR), session);
  const store = openStore(workspace, undefined, config, {
    env: personEnv,
    cwd: workspace.from ?? root,
    by: 'pane',
    as: { session, forkedFrom, toldPlan: ledger?.spaces.shared.plan?.of },
  });
  const pad: Pad = { root, store, config, env: personEnv, now: Date.now };
  const context = await createToolContext(pad, store.paths);
  const changes = await performAction(json, context, pad).catch((error: unknown) => {
    return { message: describeError(error) };
  });
  const toldLines = ledger === undefined ? [] : listTold(ledger).reverse().slice(0, MOST_TOLD);

  return makeSafe({
    ...(await viewPad(pad, context)),
    told: toldLines.map(({ at, text }) => ({
      at: new Date(at).toTimeString().slice(0, 5),
      text: cutLine(text),
    })),
    files: [store.paths.pad, ...context.places.map(({ dir }) => join(dir, INDEX_FILE))],
    ...changes,
  });
}

async function viewPad({ store }: Pad, { places }: ToolContext): Promise<PaneView> {
  const { plan, notes, refs } = (await store.read()).spaces;
  const steps = parseSteps(plan);
  const currentLine = findCurrentStep(steps)?.line;
  return {
    ...EMPTY,
    exists: true,
    title: plan === '' ? '' : getPlanTitle(plan),
    progress: plan === '' ? '' : renderProgress(plan),
    steps: steps.map(({ number, text, done, line }) => {
      return { number, text: cutLine(text), done, current: line === currentLine };
    }),
    notes: notes.split('\n').filter((line) => line.trim() !== ''),
    refs: parseRefs(refs).slice(-MOST_ITEMS),
    entries: (await listReachable(places))
      .reverse()
      .slice(0, MOST_ITEMS)
      .map(({ info: { name, characters } }) => ({ name, size: formatCount(characters, 'character') })),
  };
}

const EMPTY: PaneView = {
  exists: false,
  title: '',
  progress: '',
  steps: [],
  notes: [],
  refs: [],
  entries: [],
  told: [],
  message: '',
  entry: null,
  files: [],
};

function parseAction(json: JsonObject): PaneAction | undefined {
  const act = getString(json, 'act');
  const step = getNumber(json, 'step');
  switch (act) {
    case 'tick':
      if (step === undefined) throw usageError('no step was named: nothing was ticked');
      return { act, step };
    case 'note':
      return { act, text: getString(json, 'text') ?? '' };
    case 'entry':
      return { act, name: getString(json, 'name') ?? '' };
    default:
      return act === 'undo' ? { act } : undefined;
  }
}

async function performAction(
  json: JsonObject,
  { places }: ToolContext,
  pad: Pad,
): Promise<Partial<Pick<PaneView, 'message' | 'entry'>>> {
  const action = parseAction(json);
  switch (action?.act) {
    case 'tick': {
      const { step } = action;
      const { spaces } = await pad.store.read();
      const isDone = parseSteps(spaces.plan).some(({ number, done }) => number === step && done);
      await (isDone ? openPlanSpace(pad).undone(step) : openPlanSpace(pad).done(step));
      return {};
    }
    case 'note': {
      if (action.text.trim() === '') return {};
      const { warnings } = await openTextSpace(pad, 'notes').append(action.text);
      return { message: warnings.join('; ') };
    }
    case 'undo':
      // Any process of the user can post here, an agent's, too: only a person's changes are undone.
      return { message: (await undo(pad, 1, 'person')).message };
    case 'entry': {
      const { name } = action;
      const { content, total } = await choosePlace(places, name).read(name, { limit: ENTRY_CHARACTERS });
      const rest = total > ENTRY_CHARACTERS ? `\n… ${formatCount(total, 'character')} in all` : '';
      return { entry: { name, text: content + rest } };
    }
    default:
      return {};
  }
}

const LONGEST_LINE = 2000;

const cutLine = (text: string): string => (text.length > LONGEST_LINE ? shorten(text, LONGEST_LINE) : text);

/** Makes all texts safe for a terminal, which obeys control characters; the host refuses a pane that has any. */
function makeSafe(view: PaneView): PaneView {
  const clean = (key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || key === 'files') return value;
    return sanitizeForTerminal(value).replace(/\t/g, '    ').toWellFormed();
  };

  return JSON.parse(JSON.stringify(view, clean)) as PaneView;
}
