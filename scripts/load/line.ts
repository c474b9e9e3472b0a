import { createConnection, createServer, type Socket } from 'node:net';

/** A connection to the server, on 127.0.0.1 only, that can be slow, silent or cut. */
export class Line {
  readonly port: number;
  /** The delay of each chunk in milliseconds. */
  delayMs = 0;
  /** Nothing passes, and neither side is told. */
  silent = false;
  readonly #open: Set<Socket>;
  readonly #close: () => void;

  private constructor(port: number, open: Set<Socket>, close: () => void) {
    this.port = port;
    this.#open = open;
    this.#close = close;
  }

  static async to(target: number): Promise<Line> {
    const open = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = createConnection(target, '127.0.0.1');
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        open.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          open.delete(from);
          to.destroy();
        });
        from.on('data', (piece) => {
          if (proxy.silent) return;
          if (proxy.delayMs === 0) to.write(piece);
          else setTimeout(() => to.destroyed || to.write(piece), proxy.delayMs);
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const proxy = new Line(port, open, () => server.close());
    return proxy;
  }

  /** Cuts every connection without notice. */
  cut(): void {
    for (const socket of this.#open) socket.resetAndDestroy();
  }

  close(): void {
    this.#close();
    this.cut();
  }
}
