/** Where texts become vectors, as the configuration says (`memory.embeddings.*`). */
export interface EmbeddingSettings {
  provider: 'off' | 'openai' | 'ollama' | 'gemini';
  /** Base address of the service; the provider's usual one unless set. */
  url: string | undefined;
  model: string | undefined;
  /** Name of the environment variable that holds the key. The key itself is in no file of ours. */
  keyFrom: string | undefined;
  /** Numbers in a vector, for models that can shorten theirs; the model's own length unless set. */
  dimensions: number | undefined;
  /** Milliseconds that a search waits for the vector of its query. */
  deadline: number;
}
