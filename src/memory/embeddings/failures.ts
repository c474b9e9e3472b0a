/** Why there are no vectors. The message is for a person and holds no secret. */
export class EmbeddingError extends Error {
  /** Milliseconds after which the service wants to be asked again; `undefined` when that is of no use. */
  readonly again: number | undefined;

  constructor(message: string, again?: number) {
    super(message);
    this.name = 'EmbeddingError';
    this.again = again;
  }
}

/** Vectors came that cannot be compared with those that are there: another model stands behind the same name. */
export class OtherLength extends Error {
  constructor(expected: number, found: number) {
    super(`expected vectors of ${expected} numbers, found ${found}: all are made anew`);
    this.name = 'OtherLength';
  }
}
