/** Parameters of the ranking formula; `docs/memory.md` explains the purpose and source of each. */
export interface RankWeights {
  /** BM25 saturation and length normalisation (Robertson and Zaragoza 2009) of whole files and of questions. */
  k1: number;
  b: number;
  /** Saturation of a term over a passage and its neighbours; no length is normalised there. */
  kNear: number;
  /** Weight of a mention one and two passages before or after. */
  before1: number;
  before2: number;
  after1: number;
  after2: number;
  /** Share of the file's own BM25 score. */
  file: number;
  /** Added if the query mentions the file's date; half of it in the week after. */
  date: number;
  /** Share of a question's score added to the next passage, its answer. */
  answer: number;
  /** Added if the query names the author of the line. */
  author: number;
  /** Share of the score that a question loses, because questions in notes are rarely answers. */
  question: number;
  /** Added to a passage with a time if the query asks when, or with a number if it asks how many. */
  when: number;
  number: number;
  /** Maximum relative bonus of a recent dated note; it halves every 30 days. */
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
