/** A text as the trainer sees it. */
export interface Example {
  /** Feature numbers (hashes until they are indexed) and their values. */
  features: Int32Array;
  values: Float32Array;
  dense: Float32Array;
  /** Sum of the vectors of its words; empty when trained without vectors. */
  meaning: Float32Array;
  /** Wanted value a head; NaN where this text says nothing about it. */
  targets: Float32Array;
  weight: number;
}
