import { Readable } from 'node:stream';
import { Calls } from './calls.ts';
import type { Server } from './sdk.ts';
import { StdioServerTransport, serveStdio } from './sdk.ts';
import { mcpServer, type Service } from './server.ts';
import { watchPad } from './watch.ts';

/** A longer message is left out. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How long the last calls may take after the client has closed stdin. */
const LAST_CALLS_MS = 10_000;
const LF = 10;

/**
 * Serves one client on stdin and stdout, until stdin ends and all calls are answered. Only protocol messages
 * go to stdout.
 */
export async function serveOverStdio(
  service: Service,
  pad: string,
  onProblem: (problem: Error) => void,
): Promise<void> {
  const calls = new Calls();
  const subscriptions = new Set<string>();
  let current: { server: Server; legacy: boolean } | undefined;
  const stop = watchPad(pad, (uri) => {
    // A client of the 2025 protocol subscribes explicitly; for later ones the SDK keeps track.
    if (!current || (current.legacy && !subscriptions.has(uri))) return;
    current.server.sendResourceUpdated({ uri }).catch(onProblem);
  });
  const input = Readable.from(messages(process.stdin, () => calls.settled(LAST_CALLS_MS), onProblem));
  const transport = new StdioServerTransport(input, process.stdout, { maxBufferSize: MOST_BYTES });
  const ended = new Promise<void>((resolve) => {
    input.once('close', resolve);
  });
  serveStdio(
    ({ era }) => {
      const server = mcpServer(service, subscriptions, calls);
      current = { server, legacy: era === 'legacy' };
      return server;
    },
    { transport, onerror: onProblem },
  );
  await ended;
  await service.hooks.settled();
  stop();
  process.stdin.destroy();
}

/**
 * Complete lines, as many at a time as are available; the transport would assemble a long one piece by piece,
 * and copy it each time.
 * @param last awaited before the end is reported
 * @param onProblem told of a message that is too long, which is left out
 */
async function* messages(
  stdin: AsyncIterable<Buffer>,
  last: () => Promise<void>,
  onProblem: (problem: Error) => void,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  let tooLong = false;
  for await (const chunk of stdin) {
    const end = chunk.lastIndexOf(LF) + 1;
    parts.push(end === 0 ? chunk : chunk.subarray(0, end));
    size += chunk.length;
    if (size > MOST_BYTES && !tooLong)
      onProblem(new Error(`a message of over ${MOST_BYTES >> 20} MB is left out`));
    tooLong ||= size > MOST_BYTES;
    if (tooLong) parts = [];
    if (end === 0) continue;
    yield tooLong ? chunk.subarray(chunk.indexOf(LF) + 1, end) : Buffer.concat(parts);
    tooLong = false;
    parts = [chunk.subarray(end)];
    size = chunk.length - end;
  }
  await last();
}
