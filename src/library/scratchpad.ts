import type { AssemblyResult, AssembleRequest as FullRequest } from '../assembly/assemble-pad.ts';
import { refusal, type ScratchpadError, usageError } from '../base/errors.ts';
import { assertHasModels, exists } from '../base/fs/index.ts';
import { claim } from '../base/trust/index.ts';
import { isStoreSet, loadConfig } from '../config/load.ts';
import type { Pad, PadContext } from '../core/context.ts';
import { renderToolGuidance } from '../core/guidance.ts';
import type { Difference, HistoryRow, UndoResult } from '../core/history.ts';
import { type Notepad, openNotepad } from '../core/notepad.ts';
import { chooseSession } from '../core/scope.ts';
import { Sessions as CoreSessions, type SessionsOptions } from '../core/sessions.ts';
import {
  openPlanSpace,
  openRefsSpace,
  openTextSpace,
  type PlanSpace,
  type RefsSpace,
  type TextSpace,
} from '../core/spaces.ts';
import { type Entries, FileEntries } from '../entries/file-entries.ts';
import type { SpillOptions, SpillResult } from '../entries/spill.ts';
import type { HandoverView } from '../handover/index.ts';
import type { MemoryHit as MemoryPassage } from '../memory/types.ts';
import { INJECTION_END, NEWS_START } from '../pad/injection.ts';
import { detectActor } from '../session/actor.ts';
import { openStore } from '../session/file-store.ts';
import { findWorkspace, getSessionPaths } from '../session/workspace.ts';
import type { Mood } from '../stages/stage.ts';
import type { ToolAnswer, ToolDeclaration } from '../tools/tool.ts';
import { checkCall, guardCalls } from './arguments.ts';

export interface OpenOptions {
  /** The directory that holds SCRATCHPAD.md, which the first change creates; default: found from the current one. */
  workspace?: string | undefined;
  /** The session whose pad to open; default: the primary session. */
  session?: string | undefined;
  /** The clock, in epoch milliseconds. */
  now?: (() => number) | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}

/** An assembly: of `messages`, `transcript` and `session` the first that is set is read. */
export type AssembleRequest = Pick<
  FullRequest,
  'messages' | 'transcript' | 'session' | 'prompt' | 'ttlMs' | 'withinMs' | 'onProblem'
>;

export interface HandoverRequest extends Pick<AssembleRequest, 'messages'> {
  session?: string | undefined;
  transcript?: string | undefined;
}

export interface SyncResult {
  sent: number;
  received: number;
  /** Notices for a person, such as a conflict and where both versions are. */
  notices: readonly string[];
}

/** A line found in the memory files, its text without secrets. */
export type MemoryHit = Pick<
  MemoryPassage,
  'path' | 'line' | 'startLine' | 'endLine' | 'score' | 'text' | 'headings'
>;

/**
 * Opens the scratchpad of a workspace. Nothing is created before the first change.
 * @throws ScratchpadError `usage` for a workspace that is no directory, or an invalid option
 * @example
 * const pad = await openScratchpad({ workspace: '.' });
 * await pad.notes.append('Root cause: timezone mismatch in token expiry');
 * await pad.assemble();
 * console.log((await pad.context()).text);
 */
export async function openScratchpad(options: OpenOptions = {}): Promise<Scratchpad> {
  checkCall('openScratchpad', '{workspace, session, now, env}', [options]);
  assertHasModels();
  const pad = await open(options);
  for (const part of ['notes', 'plan', 'refs', 'notepad', 'entries', 'memory'] as const)
    guardCalls(pad[part], part);
  return guardCalls(pad, 'pad');
}

async function open(options: OpenOptions) {
  const { env = process.env } = options;
  const now = (): number => {
    const time = (options.now ?? Date.now)();
    if (typeof time === 'number' && !Number.isNaN(new Date(time).getTime())) return time;
    const expected = 'a function that returns epoch milliseconds';
    throw usageError('now gives no time: nothing was done', { where: 'now', expected, found: String(time) });
  };
  const workspace = findWorkspace(options.workspace, env, process.cwd());
  const { root } = workspace;
  const { config, problems: notices } = await loadConfig(root, env);
  const cwd = options.workspace ?? process.cwd();
  const assertCanCreate = (): void => claim(root, env);
  const sessionId = options.session ?? chooseSession(config, detectActor(env).session);
  const storeOptions = { now, env, assertCanCreate, cwd, notices, by: 'library' } as const;
  const store = openStore(workspace, sessionId, config, storeOptions);
  const { session } = store.paths;
  const fileEntries = new FileEntries(store.paths, { now, assertCanCreate });
  const pad: Pad = {
    ...{ root, store, config, env, now, assertCanCreate },
    keepWhole: async (space, text) =>
      (await import('../entries/spill.ts')).keepWhole(fileEntries, space, text),
  };

  if (!exists(getSessionPaths(root, config.primarySession).journal))
    await (await import('../transcript/adopt-session.ts')).adoptHostSession(pad);
  const place = { root, config, env };
  if (isStoreSet(config, env)) {
    const { sendMeanwhile } = await import('../shared-store/follow.ts');
    sendMeanwhile(place);
  }

  const call = async (name: string, args: unknown): Promise<ToolAnswer> => {
    const { callTool, createToolContext } = await import('../tools/registry.ts');
    return callTool(await createToolContext(pad, store.paths), name, args);
  };
  /**
   * Keeps an output that is too long for a model, over 30,000 characters unless `limit` says otherwise, and gives the
   * preview to show instead; a shorter one comes back as it is, with `entry: null`.
   */
  const keep = async (
    output: string,
    options: Pick<SpillOptions, 'name' | 'limit' | 'origin'> = {},
  ): Promise<SpillResult> =>
    (await import('../entries/spill.ts')).spillText(fileEntries, output, {
      ...options,
      readTool: 'scratchpad_read',
    });

  const entries: Entries & { keep: typeof keep } = Object.assign(fileEntries, { keep });

  // A program that only writes notes loads none of the rest.
  return {
    workspace: root,
    path: store.paths.pad,
    session,
    notes: openTextSpace(pad, 'notes'),
    plan: openPlanSpace(pad),
    refs: openRefsSpace(pad),
    notepad: openNotepad(pad),
    /** Named contents of any size. */
    entries,
    /** Text about the scratchpad for the system prompt of an agent that has the tools. */
    guidance: () => renderToolGuidance(config, 'session_scratchpad', WHERE_SHOWN),
    /** The agent tools that the configuration enables, with their JSON schemas; model APIs take their names. */
    tools: async (): Promise<readonly ToolDeclaration[]> => {
      const { listPlainTools } = await import('../tools/registry.ts');
      return listPlainTools(config).map(({ name, description, inputSchema }) => {
        return { name, description, inputSchema };
      });
    },
    /**
     * Calls an agent tool.
     * @throws ScratchpadError `usage` for an unknown tool or invalid arguments, and whatever the tool throws
     */
    callTool: (name: string, args?: unknown): Promise<ToolAnswer> => call(name, args),
    /** The block to show to the model: the spaces, and the state while it is fresh. */
    context: async (): Promise<PadContext> => (await import('../core/context.ts')).readPadContext(pad),
    /**
     * Reads a session, runs the stages and writes the state block. Messages can be passed directly:
     * `assemble({ messages: [{ role: 'user', content: 'still broken!' }] })`.
     */
    assemble: (request: AssembleRequest = {}): Promise<Omit<AssemblyResult, 'store'>> =>
      assemble(pad, request),
    memory: {
      /** Searches the memory files; the best lines come first. */
      search: async (query: string, options: { limit?: number | undefined } = {}): Promise<MemoryHit[]> =>
        (await call('memory.search', { query, ...options })).value.results as MemoryHit[],
    },
    /**
     * The mood of the person, and how to answer them; not stored. It is read from the messages if they are passed, else
     * from the most recent session.
     */
    mood: async (request?: Pick<AssembleRequest, 'messages'>): Promise<Mood> =>
      (await import('../tools/mood.ts')).readCurrentMood(pad, request),
    /**
     * Facts that the records of a session prove, and `text`, what to tell a session that goes on with its work. It is
     * the session of the messages if they are passed, which are not stored, else the one named, else the most recent.
     */
    handover: (request: HandoverRequest = {}): Promise<HandoverView | undefined> =>
      makeHandover(pad, request),
    /** Every change of the spaces, oldest first, including edits made in the file. */
    history: async (): Promise<HistoryRow[]> => {
      const { listRows } = await importHistory();
      return listRows(await pad.store.history());
    },
    /** The differences between two revisions; default: those of the newest revision. */
    diff: async (from?: number, to?: number): Promise<Difference> => {
      const { diffRevisions } = await importHistory();
      return diffRevisions(await pad.store.history(), from, to);
    },
    /** Undoes the newest changes. @throws ScratchpadError `refused` if there are not that many */
    undo: async (count?: number): Promise<UndoResult> => (await importHistory()).undo(pad, count),
    /** Redoes undone changes. @throws ScratchpadError `refused` if there are not that many */
    redo: async (count?: number): Promise<UndoResult> => (await importHistory()).redo(pad, count),
    /**
     * Sends local changes to the shared store and receives those of others, now.
     * @throws ScratchpadError `refused` if no store is set, or it denies access; `environment` if it cannot be
     * reached: nothing is lost, and the next call sends the changes
     */
    sync: async (): Promise<SyncResult> => (await import('../shared-store/follow.ts')).runExchange(place),
  };
}

async function assemble(pad: Pad, request: AssembleRequest): Promise<Omit<AssemblyResult, 'store'>> {
  const { assemblePad } = await import('../assembly/assemble-pad.ts');
  const problems: string[] = [];
  const { onProblem = (problem: string) => void problems.push(problem) } = request;
  const { store, ...assembled } = await assemblePad(pad, { ...request, onProblem });
  if (assembled.source === undefined && request.session !== undefined) throw sessionNotFound(request.session);

  const notices = [...problems, ...(await store())];
  const { redactSecrets, withTexts } = await import('../base/safety/index.ts');

  // A conversation goes out as data, as from every command.
  return withTexts({ ...assembled, notices }, redactSecrets);
}

async function makeHandover(
  { root, config, env, now }: Pad,
  { messages, session, transcript }: HandoverRequest,
): Promise<HandoverView | undefined> {
  const handover = await import('../handover/index.ts');
  if (messages !== undefined) {
    const { serializeMessages } = await import('../assembly/source.ts');
    const made = await handover.makeHandover(serializeMessages(messages), { root, now: now() });
    return made && frameHandover(made);
  }

  const options = { root, config, env, now: now(), onProblem: () => undefined };
  const view = await handover.openHandover({ ...options, session, transcript });
  if (view !== undefined) return frameHandover(view);

  // Throws the error that says what is wrong with the file.
  if (transcript !== undefined) await (await import('../transcript/read.ts')).readTranscriptFile(transcript);
  if (session !== undefined) throw sessionNotFound(session);

  return undefined;
}

/** An agent's working memory. No file is held open: every call reads and writes the current file. */
export interface Scratchpad
  extends Omit<Awaited<ReturnType<typeof open>>, 'notes' | 'plan' | 'refs' | 'notepad'> {
  notes: TextSpace;
  plan: PlanSpace;
  refs: RefsSpace;
  /** The notes, through the operations of the notepad tools. */
  notepad: Notepad;
}

/** The sessions of a workspace. Parent and child are independent once the child exists. */
export class Sessions extends CoreSessions {
  /** @param options `archiveMs`: how long archived sessions are kept */
  constructor(root: string, options: SessionsOptions = {}) {
    checkCall('Sessions', 'workspace, {primary:string, now, archiveMs}', [root || undefined, options]);
    super(findWorkspace(root, {}, process.cwd()).root, options);
    guardCalls(this, 'sessions');
  }
}

/** Puts the text into the frame of the scratchpad, by which a later reading of the session tells it from the person's words. */
function frameHandover(view: HandoverView): HandoverView {
  const text = view.text === '' ? '' : `${NEWS_START}\n${view.text}\n${INJECTION_END}\n`;
  return { ...view, text };
}

const WHERE_SHOWN =
  'What it holds may stand before a message, between [Session Scratchpad] and [End Scratchpad]; show gives it at any time.';

function sessionNotFound(found: string): ScratchpadError {
  return refusal('no session of that id was found in this workspace', {
    where: 'session',
    expected: 'the id of a host session, or the path of its file as transcript',
    found: String(found),
  });
}

const importHistory = (): Promise<typeof import('../core/history.ts')> => import('../core/history.ts');
