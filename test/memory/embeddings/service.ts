import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { EmbeddingSettings } from '../../../src/memory/embeddings/settings.ts';

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

/** Words that mean the same to this model, at the same place of its vectors. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle'],
  ['dog', 'puppy', 'hound'],
  ['money', 'salary', 'wage', 'paid'],
  ['doctor', 'physician', 'surgeon'],
  ['sad', 'unhappy', 'sorrow'],
];

/** A server on loopback that speaks all three protocols, and knows a few words. */
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
  if (path === '/v1/embeddings') {
    const data = vectors(body.input as string[]).map((embedding, index) => ({ index, embedding }));
    // The order is in `index`, not in the list.
    return { data: data.reverse() };
  }
  if (path === '/api/embed') return { embeddings: vectors(body.input as string[]) };
  const requests = body.requests as { content: { parts: { text: string }[] } }[];
  const texts = requests.map(({ content }) => content.parts[0]?.text ?? '');
  return { embeddings: vectors(texts).map((values) => ({ values })) };
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
