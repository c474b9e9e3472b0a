import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EmbeddingSettings } from '../../src/memory/types.ts';

/** What a fault does in the place of an answer. */
export type Fault = (response: ServerResponse) => void;

export interface Service {
  url: string;
  /** Every text that came in, in order. */
  texts: string[];
  requests: { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[];
  /** Answers of the next requests, before it is well again. */
  faults: Fault[];
  /** Numbers in its vectors. */
  dimensions: number;
  settings(more?: Partial<EmbeddingSettings>): EmbeddingSettings;
  /** Leaves the port dead. */
  stop(): Promise<void>;
}

/** Words that mean the same to this model; some are made up, so that nothing else knows them. At the same place of its vectors. */
const MEANINGS = [
  ['car', 'gribblet', 'vehicle'],
  ['dog', 'fuzzlet', 'wuffel'],
  ['money', 'salary', 'wage', 'paid'],
  ['doctor', 'physician', 'surgeon'],
  ['sad', 'unhappy', 'sorrow'],
];

/** A server on loopback that speaks OpenAI's protocol at the addresses of several services, and knows a few words. */
export async function startService(): Promise<Service> {
  const service: Service = {
    url: '',
    texts: [],
    requests: [],
    faults: [],
    dimensions: 16,
    settings: (more = {}) => ({
      provider: 'openai',
      url: `${service.url}/v1`,
      model: 'toy',
      keyFrom: undefined,
      dimensions: undefined,
      deadline: 2000,
      ...more,
    }),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>;
      service.requests.push({ path: request.url ?? '', headers: request.headers, body });
      const fault = service.faults.shift();
      if (fault !== undefined) return fault(response);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(service, request.url ?? '', body)));
    });
  });
  // A loaded machine may take longer between two requests of one connection.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => service.stop());
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

function answer(service: Service, path: string, body: Record<string, unknown>): unknown {
  const vectors = (texts: readonly string[]): number[][] => {
    service.texts.push(...texts);
    return texts.map((text) => vectorOf(text, Number(body.dimensions ?? service.dimensions)));
  };
  const data = vectors(body.input as string[]).map((embedding, index) => ({
    object: 'embedding',
    index,
    embedding,
  }));
  const usage = { prompt_tokens: 9, total_tokens: 9 };
  // OpenAI: the order is in `index`, not in the list.
  if (path === '/v1/embeddings') return { object: 'list', data: data.reverse(), model: body.model, usage };
  // Gemini has sent no `index`, and names no usage.
  const inOrder = data.map(({ object, embedding }) => ({ object, embedding }));
  return { object: 'list', data: inOrder, model: `models/${String(body.model)}` };
}

/** The meanings that a text speaks of, and a little of its letters, so that no two texts are quite the same. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  MEANINGS.forEach((meaning, place) => {
    if (words.some((word) => meaning.includes(word))) vector[place] = 1;
  });
  for (const word of words) {
    const at = MEANINGS.length + (word.charCodeAt(0) % (dimensions - MEANINGS.length));
    vector[at] = (vector[at] ?? 0) + 0.05;
  }
  return vector;
}
