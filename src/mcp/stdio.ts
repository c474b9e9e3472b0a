import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpServer, type Open } from './server.ts';
import { watchPad } from './watch.ts';

/** Serves one client on stdin and stdout, until stdin ends. Nothing but protocol goes to stdout. */
export async function serveOverStdio(
  open: Open,
  pad: string,
  onProblem: (problem: Error) => void,
): Promise<void> {
  const subscriptions = new Set<string>();
  let current: { server: Server; legacy: boolean } | undefined;
  const stop = watchPad(pad, (uri) => {
    // A client of the protocol of 2025 says what it wants to hear of; for later ones the SDK knows.
    if (!current || (current.legacy && !subscriptions.has(uri))) return;
    current.server.sendResourceUpdated({ uri }).catch(onProblem);
  });
  const transport = new StdioServerTransport();
  serveStdio(
    ({ era }) => {
      const server = mcpServer(open, subscriptions);
      current = { server, legacy: era === 'legacy' };
      return server;
    },
    { transport, onerror: onProblem },
  );
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  stop();
}
