import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from './sdk.ts';

/** A client that goes away without a word keeps its session until so many others have come. */
const MOST_SESSIONS = 64;

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  /** Addresses that the client wants to hear of. */
  subscriptions: Set<string>;
}

/**
 * The sessions of clients that speak the protocol of 2025 over HTTP: begun by `initialize`, named
 * by `Mcp-Session-Id`, ended by DELETE. Only within one can such a client be told of changes.
 */
export class HttpSessions {
  readonly #make: (subscriptions: Set<string>) => Server;
  /** The one that was used last comes last. */
  readonly #open = new Map<string, Session>();

  /** @param make a connection's own server; it keeps in `subscriptions` what its client subscribes to */
  constructor(make: (subscriptions: Set<string>) => Server) {
    this.#make = make;
  }

  /** @returns `undefined` for a request that neither begins a session nor names one */
  async answer(request: Request, body: unknown): Promise<Response | undefined> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return isInitialize(body) ? this.#begin(request, body) : undefined;
    const session = this.#open.get(id);
    // The client has to begin anew: so says the protocol of a 404.
    if (!session) return refusal(404, 'Session not found');
    this.#open.delete(id);
    this.#open.set(id, session);
    return session.transport.handleRequest(request, { parsedBody: body });
  }

  announce(uri: string, onProblem: (problem: Error) => void): void {
    for (const { server, subscriptions } of this.#open.values()) {
      if (subscriptions.has(uri)) server.sendResourceUpdated({ uri }).catch(onProblem);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#end(id)));
  }

  async #begin(request: Request, body: unknown): Promise<Response> {
    const subscriptions = new Set<string>();
    const server = this.#make(subscriptions);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#open.set(id, { transport, server, subscriptions });
      },
      onsessionclosed: (id) => this.#end(id),
    });
    await server.connect(transport);
    const answer = await transport.handleRequest(request, { parsedBody: body });
    // Refused: there is no session then.
    if (transport.sessionId === undefined) await server.close();
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MOST_SESSIONS) break;
      await this.#end(oldest);
    }
    return answer;
  }

  async #end(id: string): Promise<void> {
    const session = this.#open.get(id);
    this.#open.delete(id);
    await session?.server.close();
  }
}

/** An answer as the protocol has it for what was not a call. */
export function refusal(status: number, message: string, code = -32000): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

function isInitialize(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize';
}
