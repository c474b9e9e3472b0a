/** The figures of the ranking formula; `docs/memory.md` says what each is for and where it comes from. */
export interface RankWeights {
  /** BM25 saturation and length normalisation (Robertson and Zaragoza 2009) of whole files and of questions. */
  k1: number;
  b: number;
  /** Saturation of a term over a passage and its neighbours; no length is normalised there. */
  kNear: number;
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
  k1: 2.5,
  b: 0.5,
  kNear: 1.7,
  before1: 0.3,
  before2: 0.35,
  after1: 0.25,
  after2: 0.13,
  file: 0.8,
  date: 5,
  answer: 0.4,
  author: 2,
  question: 0.15,
  when: 2,
  number: 1.5,
  recency: 0.2,
};
