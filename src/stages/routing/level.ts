/** A judgement on a three-step scale, with its reasons for `--explain`. */
export interface Level {
  level: 'LOW' | 'MEDIUM' | 'HIGH';
  why: string;
}
