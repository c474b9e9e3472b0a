import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from './sdk.ts';

/** The session of a client that disappears is kept until this many others have started. */
const MOST_SESSIONS = 64;

interface Session {
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  /** Addresses that the client has subscribed to. */
  subscriptions: Set<string>;
}

/**
 * The sessions of clients that use the 2025 protocol over HTTP: started by `initialize`, identified by
 * `Mcp-Session-Id`, ended by DELETE. Such clients can be notified of changes only within a session.
 */
export class HttpSessions {
  readonly #make: (subscriptions: Set<string>) => Server;
  /** Ordered by last use, the most recent last. */
  readonly #open = new Map<string, Session>();

  /**
   * @param make creates a connection's own server, which records its client's subscriptions in
   * `subscriptions`
   */
  constructor(make: (subscriptions: Set<string>) => Server) {
    this.#make = make;
  }

  /** @returns `undefined` for a request that neither starts a session nor names one */
  async answer(request: Request, body: unknown): Promise<Response | undefined> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return isInitialize(body) ? this.#begin(request, body) : undefined;
    const session = this.#open.get(id);
    // By the protocol, a 404 tells the client to start a new session.
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
    // The request was refused, so there is no session.
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

/** The protocol's error response to something that is not a call. */
export function refusal(status: number, message: string, code = -32000): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

function isInitialize(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize';
}
