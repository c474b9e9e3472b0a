/** A judgement in three steps, and what it rests on for `--explain`. */
export interface Level {
  level: 'LOW' | 'MEDIUM' | 'HIGH';
  why: string;
}
