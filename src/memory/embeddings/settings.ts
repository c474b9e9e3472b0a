/** The configuration of embeddings (`memory.embeddings.*`). */
export interface EmbeddingSettings {
  provider: 'off' | 'openai';
  /** Base address of the service; OpenAI's unless set. */
  url: string | undefined;
  model: string | undefined;
  /** Name of the environment variable that holds the key. The key itself is never stored. */
  keyFrom: string | undefined;
  /** Numbers in a vector, for models that support shorter ones; the model's default unless set. */
  dimensions: number | undefined;
  /** Milliseconds that a search waits for the vector of its query. */
  deadline: number;
}
