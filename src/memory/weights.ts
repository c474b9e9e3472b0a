/** The figures of the ranking formula; `docs/memory.md` says what each is for and where it comes from. */
export interface RankWeights {
  /** BM25 saturation, and length normalisation where a whole passage is measured (Robertson and Zaragoza 2009). */
  k1: number;
  b: number;
  /** How much a mention one and two passages before or after counts as a mention here. */
  before1: number;
  before2: number;
  after1: number;
  after2: number;
  /** Share of the file's own BM25 score. */
  file: number;
  /** Added when the file's date is one the query speaks of; half of it in the week after. */
  date: number;
  /** Share of a question's score that the passage after it, its answer, inherits. */
  answer: number;
  /** Added when the query names who wrote the line. */
  author: number;
  /** Part of the score that a question loses: notes that ask seldom tell. */
  question: number;
  /** Added to a passage with a time when the query asks when, with a number when it asks how many. */
  when: number;
  number: number;
  /** Most that a fresh dated note gains, in parts; half of it is gone after 30 days. */
  recency: number;
}

export const WEIGHTS: RankWeights = {
  k1: 1.2,
  b: 0.5,
  before1: 0.35,
  before2: 0.4,
  after1: 0.3,
  after2: 0.13,
  file: 0.4,
  date: 4.5,
  answer: 0.4,
  author: 2,
  question: 0.15,
  when: 2,
  number: 1.5,
  recency: 0.2,
};
