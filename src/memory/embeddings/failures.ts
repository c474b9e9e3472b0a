/** The reason for missing vectors. The message is for a person and contains no secret. */
export class EmbeddingError extends Error {
  /** Milliseconds after which the service may be asked again; `undefined` if that is useless. */
  readonly again: number | undefined;

  constructor(message: string, again?: number) {
    super(message);
    this.name = 'EmbeddingError';
    this.again = again;
  }
}

/** The received vectors cannot be compared with the stored ones: the name now belongs to another model. */
export class OtherLength extends Error {
  constructor(expected: number, found: number) {
    super(`expected vectors of ${expected} numbers, found ${found}: all vectors will be rebuilt`);
    this.name = 'OtherLength';
  }
}
