/** A stretch of a text that holds a secret or personal data. */
export interface Finding {
  /** What it is, for people: `GitHub token`, `password`. */
  kind: string;
  /** First code unit. */
  start: number;
  /** One past the last code unit. */
  end: number;
  /** Set for data about a person or their money that is no credential. */
  personal?: true;
}

/** A finding and how sure the rule is of the name it gives: a known prefix beats a neighbouring word. */
export interface Candidate extends Finding {
  rank: number;
}
