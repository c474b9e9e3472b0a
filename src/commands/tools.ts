import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { ScratchpadError } from '../base/errors.ts';
import { tryStat } from '../base/fs/index.ts';
import { findGitPlace } from '../base/git/place.ts';
import { renderSafeJson } from '../base/safety/outgoing.ts';
import { isStoreSet } from '../config/load.ts';
import { GUIDANCE, renderToolGuidance } from '../core/guidance.ts';
import { CONNECTION, HOST_SESSION } from '../session/actor.ts';
import { createId } from '../session/plans.ts';
import type { StoreMember } from '../shared-store/background-sync.ts';
import type { OpenContext } from '../tools/mcp/server.ts';
import { callTool, createToolContext, listTools } from '../tools/registry.ts';
import { defineCommand } from './command.ts';
import { type Invocation, readStdin, silence, write } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';
import { EXIT_CODES } from './print.ts';

/** A refusal is JSON on stdout too, `{error: {kind, message, …}}`, with the exit code of its kind. */
export const tool = defineCommand({
  takes: { '[tool]': 'its name; lists the tools unless given' },
  examples: [
    'scratchpad tool --json',
    `echo '{"action":"append_notes","content":"Root cause found"}' | scratchpad tool session.scratchpad`,
  ],
  run: async (call, { tool: called }) => {
    const { pad, store } = await openSession(call);
    if (called === undefined) {
      const offered = listTools(pad.config);
      return call.print(
        offered.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
        offered.map(({ name, description }) => `${name}\n    ${description}`),
      );
    }

    const print = (value: unknown): void => write(1, `${renderSafeJson(value)}\n`);
    try {
      print((await callTool(await createToolContext(pad, store.paths), called, readStdin())).value);
    } catch (error) {
      if (!(error instanceof ScratchpadError)) throw error;
      print({ error: error.toFailure('tool') });
      call.exitCode = EXIT_CODES[error.kind];
    }
  },
});

/** Serves until stdin ends. Only the protocol goes to stdout. */
export const mcp = defineCommand({
  takes: {
    '--all-tools': 'offer read_notepad, write_notepad and update_notepad, too: the notes by another name',
  },
  examples: [
    'claude mcp add scratchpad -- scratchpad mcp',
    'scratchpad mcp   # the first write makes a workspace: in the folder of the client, or in this repository',
    'scratchpad mcp --init   # or here, unless a folder above has one',
  ],
  run: async (call, { allTools = false }) => {
    const { store, workspace, config } = await openServed(call);
    const member = { root: workspace.root, config, env: call.env };
    const receive = await startSharing(member, store.paths.session);
    const { ResidentHooks, serveHooks } = await import('../hosts/resident.ts');
    const program = [process.execPath, process.argv[1] ?? ''];
    const folder = call.options.workspace && resolve(call.cwd, call.options.workspace);
    const hooks = new ResidentHooks(call.env, call.cwd, program, folder);
    const silent = silence({ ...call, env: { ...call.env, [CONNECTION]: createId() } });
    const open: OpenContext = async (findRoot, child) => {
      await receive();
      const opened = await openForCall(silent, child ?? hooks.session, child, findRoot);
      return createToolContext(opened.pad, opened.store.paths);
    };

    const onProblem = (problem: Error): void => call.note(`mcp: ${problem.message}`);
    // A call that fails unexpectedly must not end the server: its host does not start it again.
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (problem: unknown) =>
        onProblem(problem instanceof Error ? problem : new Error(String(problem))),
      );

    const { serveOverStdio } = await import('../tools/mcp/stdio.ts');
    const { enabled } = config.scratchpad;
    const { note, gone } = serveHooks(call.env, hooks);
    await serveOverStdio({ open, enabled, allTools, hooks, connected: note }, onProblem);
    gone();
  },
});

const openServed = (call: Invocation): Promise<OpenPad> =>
  openSession(call, { anySession: true, anywhere: true });

/**
 * Opens the session for a call of a tool. The first write makes a workspace in the folder that the client's settings
 * name, or that it works in, or that the server was started in, if that is a repository: any other may be nobody's.
 * @param child the subagent that calls
 */
async function openForCall(
  call: Invocation,
  caller: string | undefined,
  child: string | undefined,
  findRoot: () => Promise<string | undefined>,
): Promise<OpenPad> {
  const env = caller === undefined ? call.env : { ...call.env, [HOST_SESSION]: caller };
  const options = child === undefined ? call.options : { ...call.options, session: child };
  const opened = await openServed({ ...call, env, options });
  if (opened.workspace.exists) return opened;

  const isNamed = options.workspace !== undefined;
  const folder = isNamed ? opened.workspace.root : ((await findRoot()) ?? findGitPlace(call.cwd)?.top);
  if (folder === undefined || !canHoldWorkspace(folder)) return opened;

  const creating = { ...call, options, env: { ...env, SCRATCHPAD_INIT: '1' } };
  return openServed(isNamed ? creating : { ...creating, cwd: folder });
}

const canHoldWorkspace = (path: string): boolean =>
  path !== dirname(path) && path !== homedir() && tryStat(path)?.isDirectory() === true;

/** @returns a function that takes in changes of others, if a shared store is set and answers in time */
async function startSharing(member: StoreMember, session: string): Promise<() => Promise<unknown>> {
  if (!isStoreSet(member.config, member.env)) return async () => undefined;
  const { sendMeanwhile } = await import('../shared-store/index.ts');
  const { receiveInTime } = await import('../shared-store/background-sync.ts');

  sendMeanwhile(member);
  return () => receiveInTime(member, [session]);
}

export const guidance = defineCommand({
  takes: { '--tools': 'for an agent that has the tools (MCP, the library) instead of a shell' },
  examples: ['scratchpad guidance >> AGENTS.md'],
  run: async (call, { tools }) => {
    const text = tools ? renderToolGuidance((await openSession(call)).config) : GUIDANCE;
    call.print({ guidance: text }, text);
  },
});

const INPUT_WAIT_MS = 1000;

/** `bin/scratchpad.js` asks a running server first (`hosts/ask-server.ts`). */
export const hook = defineCommand({
  takes: {
    '<host>': 'claude-code, codex, gemini-cli, copilot, qwen-code, droid, openclaw, opencode, kilo or pi',
    '[event]': "the host's name for the event; taken from stdin unless given",
    '--tools': "name the MCP server's tools to the agent instead of commands",
  },
  examples: ['scratchpad hook claude-code UserPromptSubmit < event.json'],
  run: async ({ options: { workspace, now }, env, cwd }, { host, event, tools = false }) => {
    const started = Date.now();
    const { readHookInput } = await import('../hosts/ask-server.ts');
    const input = await readHookInput(INPUT_WAIT_MS);
    const { runHook } = await import('./hook.ts');
    await runHook({ host, event, workspace, now, tools, input, started, env, cwd });
  },
});
