import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Fault {
  /** The delay of each chunk in milliseconds. */
  delayMs?: number;
  /** Nothing passes, and neither side is told. */
  silent?: boolean;
}

/** A connection to the server, on 127.0.0.1 only, that can be slow, silent or cut. */
export async function openLine(target: number) {
  const open = new Set<Socket>();
  let fault: Fault = {};
  const pass = (from: Socket, to: Socket): void => {
    open.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
    from.on('data', (piece) => {
      if (fault.silent) return;
      if (fault.delayMs === undefined) to.write(piece);
      else setTimeout(() => to.destroyed || to.write(piece), fault.delayMs);
    });
  };
  const server = createServer((client) => {
    const upstream = createConnection(target, '127.0.0.1');
    pass(client, upstream);
    pass(upstream, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  /** Cuts every connection without notice. */
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async during(passing: Fault, ms: number): Promise<void> {
      fault = passing;
      await sleep(ms);
      fault = {};
    },
    close(): void {
      server.close();
      cut();
    },
  };
}
