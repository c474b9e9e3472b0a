import { usageError } from '../base/errors.ts';
import type { Pad } from '../core/context.ts';
import { hideUntrusted, isUntrusted } from '../core/hide-untrusted.ts';
import { FileEntries } from '../entries/file-entries.ts';
import type { EntryPlaces } from '../entries/reach.ts';
import { keepWhole } from '../entries/spill.ts';
import { detectActor } from '../session/actor.ts';
import type { Author } from '../session/journal.ts';
import type { PadStore } from '../session/store.ts';
import { getSessionPaths, type SessionPaths } from '../session/workspace.ts';
import { entryTools } from './entries.ts';
import { addTarget, keepAnswers } from './keep.ts';
import { memorySearchTool } from './memory.ts';
import { notepadTools } from './notepad.ts';
import { checkArguments } from './schema.ts';
import { scratchpadTool } from './scratchpad.ts';
import type { Tool, ToolAnswer, ToolContext } from './tool.ts';

export const TOOLS: readonly Tool[] = [scratchpadTool, ...entryTools, memorySearchTool, ...notepadTools].map(
  keepAnswers,
);

/** The tools that a server offers unless it is asked for all: the notepad's are the notes under another name. */
export const USUAL_TOOLS: readonly string[] = TOOLS.map(({ name }) => name).filter(
  (name) => !notepadTools.some((tool) => tool.name === name),
);

/** The tools that a configuration enables, with its limits: `scratchpad.enabled: off` removes `session.scratchpad`. */
export function listTools(config: Pad['config']): readonly Tool[] {
  const { enabled } = config.scratchpad;
  return TOOLS.filter(({ name }) => enabled || name !== scratchpadTool.name).map((tool) => {
    const limits = tool.limits?.(config);
    return limits === undefined ? tool : { ...tool, description: `${tool.description} ${limits}` };
  });
}

/** The enabled tools under names without a dot, which many hosts and the APIs of models do not allow. */
export const listPlainTools = (config: Pad['config'], all = true): readonly Tool[] =>
  listTools(config)
    .filter(({ name }) => all || USUAL_TOOLS.includes(name))
    .map((tool) => ({ ...tool, name: tool.name.replace('.', '_') }));

/**
 * Finds an enabled tool. Hosts that allow no dot in a name call it `session_scratchpad`.
 * @param offered those that the caller knows of
 * @throws ScratchpadError `usage` if there is none of that name
 */
export function findTool(
  config: Pad['config'],
  name: string,
  offered: readonly Tool[] = listPlainTools(config),
): Tool {
  const plainName = name.replace('.', '_');
  const tool = listTools(config).find((each) => each.name.replace('.', '_') === plainName);
  if (tool) return tool;
  throw usageError('no such tool', { expected: offered.map((each) => each.name).join(', '), found: name });
}

/**
 * Calls a tool by its name.
 * @throws ScratchpadError `usage` for an unknown tool or invalid arguments, and what the tool throws
 */
export async function callTool(
  context: ToolContext,
  name: string,
  args: unknown,
  offered?: readonly Tool[],
): Promise<ToolAnswer> {
  const tool = findTool(context.pad.config, name, offered);
  return tool.run(context, checkArguments(name, addTarget(tool.inputSchema), args));
}

/** The context of tool calls for one session. The journal marks their changes as a tool's. */
export async function createToolContext(pad: Pad, paths: SessionPaths): Promise<ToolContext> {
  const store = hideUntrusted(pad);
  const marked: PadStore = { ...store, change: (decide, by: Author = 'tool') => store.change(decide, by) };
  const openEntries = (folder: SessionPaths): FileEntries =>
    new FileEntries(folder, {
      now: () => pad.now(),
      assertCanCreate: () => pad.assertCanCreate?.(),
      actor: detectActor(pad.env),
      isHidden: () => isUntrusted(pad),
    });

  // Each session of a host has entries of its own, so that servers of two sessions never write one.
  const session = store.here?.session;
  const shared = openEntries(paths);
  const entriesOf = (id: string): FileEntries =>
    openEntries(getSessionPaths(pad.root, id, pad.config.primarySession));
  const places: EntryPlaces = session === undefined ? [shared] : [entriesOf(session), shared];

  return {
    pad: { ...pad, store: marked, keepWhole: (space, text) => keepWhole(places[0], space, text, shared) },
    places,
    entriesOf,
  };
}
