import { Readable } from 'node:stream';
import { Calls } from './calls.ts';
import { StdioServerTransport, serveStdio } from './sdk.ts';
import { createMcpServer, type Service } from './server.ts';

/** A longer message is left out. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How long the last calls may take after the client has closed stdin. */
const LAST_CALLS_MS = 10_000;
const LF = 10;
const LIST = 0x5b;
const NO_LISTS =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"send one message a line: a list of messages is not supported"}}\n';
const NO_MESSAGE = 'a line on stdin is ignored: expected a JSON-RPC message, such as {"jsonrpc":"2.0",…}';

/** Serves one client until stdin ends and all calls are answered. Only protocol messages go to stdout. */
export async function serveOverStdio(service: Service, onProblem: (problem: Error) => void): Promise<void> {
  const calls = new Calls();
  const input = Readable.from(readMessages(process.stdin, () => calls.settle(LAST_CALLS_MS), onProblem));
  const transport = new StdioServerTransport(input, process.stdout, { maxBufferSize: MOST_BYTES });
  const ended = new Promise<void>((resolve) => {
    input.once('close', resolve);
  });

  // The library prints the schema of every kind of message.
  const onerror = (problem: Error): void => onProblem('issues' in problem ? new Error(NO_MESSAGE) : problem);
  serveStdio(() => createMcpServer(service, calls), { transport, onerror });
  await ended;
  await service.hooks.settled();
  process.stdin.destroy();
}

/** Gives complete lines, as many as are there: the transport would copy a long one at each piece. */
async function* readMessages(
  stdin: AsyncIterable<Buffer>,
  onEnd: () => Promise<void>,
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

    // Only clients of protocol 2025-03-26 send lists, and wait for an answer.
    if (parts[0]?.[0] === LIST || parts.some((part) => part.includes('\n['))) process.stdout.write(NO_LISTS);
    yield tooLong ? chunk.subarray(chunk.indexOf(LF) + 1, end) : Buffer.concat(parts);
    tooLong = false;
    parts = [chunk.subarray(end)];
    size = chunk.length - end;
  }

  await onEnd();
}
