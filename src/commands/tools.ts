import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { misuse, ScratchpadError } from '../base/errors.ts';
import { tryStat } from '../base/fs/index.ts';
import { safeJson } from '../base/safety/visible.ts';
import { failureOf } from '../core/faces.ts';
import { GUIDANCE, toolGuidance } from '../core/guidance.ts';
import { HOST_SESSION } from '../session/actor.ts';
import type { Follow } from '../shared-store/afterwards.ts';
import { storeIsSet } from '../shared-store/wanted.ts';
import type { Open } from '../tools/mcp/server.ts';
import { callTool, toolContext, toolsFor } from '../tools/registry.ts';
import { EXIT_CODES } from './failure.ts';
import { type Invocation, inSilence, readStdin, write } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

/**
 * Calls a tool: its arguments as JSON on stdin (nothing for none), its answer as JSON on stdout. A refusal is JSON on
 * stdout too, `{error: {kind, message, …}}`, with the exit code of its kind. Without a name the tools are listed:
 * `[{name, description, inputSchema}]`.
 */
export async function tool(invocation: Invocation, name: string | undefined): Promise<void> {
  const { pad, store } = await openSession(invocation);
  const print = (value: unknown): void => write(1, `${safeJson(value)}\n`);
  if (name === undefined) {
    const offered = toolsFor(pad.config);
    const listed = offered.map(({ name: called, description, inputSchema }) => ({
      name: called,
      description,
      inputSchema,
    }));
    invocation.result(
      listed,
      offered.map(({ name: called, description }) => `${called}\n    ${description}`).join('\n'),
    );
    return;
  }
  try {
    const args = parseArguments(readStdin());
    const { value } = await callTool(await toolContext(pad, store.paths), name, args);
    print(value);
  } catch (error) {
    if (!(error instanceof ScratchpadError)) throw error;
    print({ error: failureOf(error) });
    invocation.exitCode = EXIT_CODES[error.kind];
  }
}

function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misuse('the arguments are not JSON', {
      where: 'standard input',
      expected: 'a JSON object',
      found: text,
      cause: error,
    });
  }
}

/**
 * Serves the agent tools over MCP on stdin and stdout, until stdin ends. Only the protocol goes to stdout.
 */
export async function mcp(
  invocation: Invocation,
  { allTools = false }: { allTools?: boolean },
): Promise<void> {
  const silent = inSilence(invocation);
  const { store, workspace, config } = await openSession(invocation, { anySession: true, anywhere: true });
  const look = await sharing({ root: workspace.root, config, env: invocation.env }, store.paths.session);
  const open: Open = async (root, child) => {
    await look();
    const caller = child ?? hooks.session;
    const env = caller === undefined ? silent.env : { ...silent.env, [HOST_SESSION]: caller };
    const options = child === undefined ? silent.options : { ...silent.options, session: child };
    const openIn = (call: Invocation): Promise<Opened> =>
      openSession(call, { anySession: true, anywhere: true });
    let opened = await openIn({ ...silent, env, options });
    if (!opened.workspace.exists) {
      // The first write makes a workspace in the folder that the client's settings name, or that it works in.
      const named = options.workspace;
      const cwd = named === undefined ? await root() : opened.workspace.root;
      if (cwd !== undefined && isFolder(cwd))
        opened = await openIn({
          ...{ ...silent, options, env: { ...env, SCRATCHPAD_INIT: '1' } },
          cwd: named === undefined ? cwd : silent.cwd,
        });
    }
    return toolContext(opened.pad, opened.store.paths);
  };
  const onProblem = (problem: Error): void => invocation.note(`mcp: ${problem.message}`);
  const { serveOverStdio } = await import('../tools/mcp/stdio.ts');
  const { ResidentHooks } = await import('../hosts/resident.ts');
  const program = [process.execPath, process.argv[1] ?? ''];
  const hooks = new ResidentHooks(invocation.env, invocation.cwd, program);
  const { enabled } = config.scratchpad;
  // One call that goes wrong in a way that nobody foresaw must not end the server: its host does not start it again.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (problem: unknown) =>
      onProblem(problem instanceof Error ? problem : new Error(String(problem))),
    );
  const { serveHooks } = await import('../hosts/served.ts');
  const served = serveHooks(invocation.env, (request) => hooks.reply({ ...request, program }));
  if (served.again) hooks.answeredUntil = Date.now() + WAITING_MS;
  await serveOverStdio({ open, enabled, allTools, hooks }, onProblem);
  served.gone();
}

/** Within this time after a start comes what was waiting. */
const WAITING_MS = 300;

/** Whether a workspace may be made there: not in the root of the disk, nor for everything a person has. */
function isFolder(path: string): boolean {
  return path !== dirname(path) && path !== homedir() && tryStat(path)?.isDirectory() === true;
}

/** @returns takes in changes of others, if a shared store is set and answers in time */
async function sharing(follow: Follow, session: string): Promise<() => Promise<unknown>> {
  if (!storeIsSet(follow.config, follow.env)) return async () => undefined;
  const { sendMeanwhile } = await import('../shared-store/index.ts');
  const { lookInTime } = await import('../shared-store/beforehand.ts');
  sendMeanwhile(follow);
  return () => lookInTime(follow, [session]);
}

/**
 * Prints what a system prompt should say about the scratchpad, for an agent with a shell or, with `--tools`, for
 * one with the tools.
 */
export async function guidance(
  invocation: Invocation,
  { tools = false }: { tools?: boolean },
): Promise<void> {
  const text = tools ? toolGuidance((await openSession(invocation)).config) : GUIDANCE;
  invocation.result({ guidance: text }, text);
}
