import type { EmbeddingSettings } from './settings.ts';

/** Some models encode queries and stored texts differently. */
export type Role = 'query' | 'passage';

/** The protocol of one kind of service for vectors. */
export interface Protocol {
  url: string;
  model: string;
  /** Environment variable of the key unless another is named; `undefined` if none is needed. */
  keyFrom: string | undefined;
  path(model: string): string;
  headers(key: string): Record<string, string>;
  body(request: { model: string; texts: readonly string[]; role: Role; dimensions?: number }): unknown;
  /** The vectors in the answer, in the order of the texts; validated later. */
  vectors(answer: Record<string, unknown>): unknown[];
}

/** https://platform.openai.com/docs/api-reference/embeddings; spoken by many local servers too. */
const openai: Protocol = {
  url: 'https://api.openai.com/v1',
  model: 'text-embedding-3-small',
  keyFrom: 'OPENAI_API_KEY',
  path: () => '/embeddings',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: ({ model, texts, dimensions }) => ({
    model,
    input: texts,
    encoding_format: 'float',
    ...(dimensions === undefined ? {} : { dimensions }),
  }),
  vectors: ({ data }) =>
    (list(data) as ({ index?: number; embedding?: unknown } | null)[])
      .map((row, place) => ({ at: row?.index ?? place, vector: row?.embedding }))
      .sort((a, b) => a.at - b.at)
      .map(({ vector }) => vector),
};

/** https://docs.ollama.com/api/embed */
const ollama: Protocol = {
  url: 'http://127.0.0.1:11434',
  model: 'nomic-embed-text',
  keyFrom: undefined,
  path: () => '/api/embed',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: ({ model, texts, role, dimensions }) => ({
    model,
    // The prefixes that this family of models was trained with, according to its model card.
    input: model.startsWith('nomic-embed-text')
      ? texts.map((text) => `${role === 'query' ? 'search_query' : 'search_document'}: ${text}`)
      : texts,
    truncate: true,
    ...(dimensions === undefined ? {} : { dimensions }),
  }),
  vectors: ({ embeddings }) => list(embeddings),
};

/** https://ai.google.dev/api/embeddings#method:-models.batchembedcontents */
const gemini: Protocol = {
  url: 'https://generativelanguage.googleapis.com/v1beta',
  model: 'gemini-embedding-001',
  keyFrom: 'GEMINI_API_KEY',
  path: (model) => `/models/${encodeURIComponent(model)}:batchEmbedContents`,
  headers: (key) => ({ 'x-goog-api-key': key }),
  body: ({ model, texts, role, dimensions }) => ({
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      taskType: role === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    })),
  }),
  vectors: ({ embeddings }) =>
    (list(embeddings) as ({ values?: unknown } | null)[]).map((each) => each?.values),
};

export const PROTOCOLS: Record<Exclude<EmbeddingSettings['provider'], 'off'>, Protocol> = {
  openai,
  ollama,
  gemini,
};

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
