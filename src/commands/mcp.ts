import type { Open } from '../mcp/server.ts';
import type { Follow } from '../shared-store/afterwards.ts';
import { storeIsSet } from '../shared-store/wanted.ts';
import { toolContext } from '../tools/registry.ts';
import { type Invocation, inSilence, write } from './invocation.ts';
import { wholeNumber } from './numbers.ts';
import { openSession } from './open.ts';

export interface McpOptions {
  /** True without a port. */
  http?: string | boolean;
  token?: string;
}

/**
 * Serves the agent tools over MCP: on stdin and stdout until stdin ends, or with `--http` on 127.0.0.1 until it is
 * stopped. Only the protocol goes to stdout.
 */
export async function mcp(invocation: Invocation, options: McpOptions): Promise<void> {
  const silent = inSilence(invocation);
  const { store, workspace, config } = await openSession(invocation, { anySession: true, anywhere: true });
  const look = await sharing({ root: workspace.root, config, env: invocation.env }, store.paths.session);
  const open: Open = async () => {
    await look();
    const { pad, store: opened } = await openSession(silent, { anySession: true, anywhere: true });
    return toolContext(pad, opened.paths);
  };
  const onProblem = (problem: Error): void => invocation.note(`mcp: ${problem.message}`);
  if (options.http === undefined) {
    const { serveOverStdio } = await import('../mcp/stdio.ts');
    const { ResidentHooks } = await import('../hosts/resident.ts');
    const program = [process.execPath, process.argv[1] ?? ''];
    const hooks = new ResidentHooks(invocation.env, invocation.cwd, program);
    await serveOverStdio(open, store.paths.pad, onProblem, hooks);
    return;
  }
  const { serveOverHttp } = await import('../mcp/http.ts');
  const port = wholeNumber(options.http === true ? undefined : String(options.http), '--http', 0, {
    most: 65_535,
  });
  const given = options.token ?? (invocation.env.SCRATCHPAD_MCP_TOKEN || undefined);
  const service = await serveOverHttp(open, store.paths.pad, {
    port,
    onProblem,
    ...(given ? { token: given } : {}),
  });
  // Before the address is printed: whoever reads it may end the server at once.
  const ended = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  write(2, `listening on ${service.url}\n${given ? '' : `Authorization: Bearer ${service.token}\n`}`);
  await ended;
  await service.close();
}

/** @returns takes in changes of others, if a shared store is set and answers in time */
async function sharing(follow: Follow, session: string): Promise<() => Promise<unknown>> {
  if (!storeIsSet(follow.config, follow.env)) return async () => undefined;
  const { sendMeanwhile } = await import('../shared-store/index.ts');
  const { lookInTime } = await import('../shared-store/beforehand.ts');
  sendMeanwhile(follow);
  return () => lookInTime(follow, [session]);
}
