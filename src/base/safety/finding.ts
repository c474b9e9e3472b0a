/** A range of a text that holds a secret or personal data. */
export interface Finding {
  /** What it is, for people: `GitHub token`, `password`. */
  kind: string;
  /** First code unit. */
  start: number;
  /** One past the last code unit. */
  end: number;
  /** Set for personal or payment data that is no credential. */
  personal?: true;
}

/** A finding and the confidence of its rule in the kind: a known prefix outranks a nearby word. */
export interface Candidate extends Finding {
  rank: number;
}
