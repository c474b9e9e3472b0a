/** A text as the trainer sees it. */
export interface Example {
  /** Feature numbers (hashes until they are indexed) and their values. */
  features: Int32Array;
  values: Float32Array;
  dense: Float32Array;
  /** The sum of the vectors of its words; empty when training without vectors. */
  meaning: Float32Array;
  /** The target value of each head; NaN if this text has no label for it. */
  targets: Float32Array;
  weight: number;
}
