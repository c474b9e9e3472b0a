import { analyze, type SentimentModel, type SentimentState } from '../../src/sentiment/index.ts';
import type { Baseline } from './baselines.ts';
import type { HeldOut } from './held-out.ts';
import { auc, bootstrap, mean, pick, show } from './stats.ts';

/** A way of reading one message: how displeased, how urgent, and what it calls the person. */
interface Reader {
  name: string;
  displeased(text: string): number;
  urgent(text: string): number;
  /** Whether it says this of the person; `undefined` if it gives moods no names. */
  names: ((text: string, what: 'frustrated' | 'urgent') => boolean) | undefined;
}

/** The share of messages to an agent that are displeased: the base rate that a precision is computed for. */
const BASE_RATE = 0.1;
const NEUTRAL: ReadonlySet<string> = new Set(['ordinary', 'review', 'pasted']);
const DISPLEASED: ReadonlySet<string> = new Set(['sarcasm', 'complaint']);
const ROUNDS = { rounds: 400 };

function engine(name: string, model: SentimentModel): Reader {
  const states = new Map<string, SentimentState>();
  const read = (text: string): SentimentState => {
    const known = states.get(text);
    if (known !== undefined) return known;
    const state = analyze([{ id: '1', role: 'user', content: text, session: 's' }], { model });
    states.set(text, state);
    return state;
  };
  return {
    name,
    displeased: (text) => read(text).frustration,
    urgent: (text) => read(text).urgency,
    names: (text, what) => read(text).emotion === what || read(text).secondary === what,
  };
}

/**
 * Lines of Markdown tables on messages written after the rules: what is found of each kind, how well each reader
 * ranks, and the precision where half of the displeasure is found.
 *
 * @param plain the model trained without messages to an agent, if there is one
 */
export function agentChatTables(
  messages: readonly HeldOut[],
  model: SentimentModel,
  plain: SentimentModel | undefined,
  baselines: readonly Baseline[],
): string[] {
  const readers: Reader[] = [
    engine('this engine', model),
    ...(plain === undefined ? [] : [engine('plain model', plain)]),
    ...baselines.map(
      ({ name, valence }): Reader => ({
        name,
        displeased: (text) => -valence(text),
        urgent: (text) => Math.abs(valence(text)),
        names: undefined,
      }),
    ),
  ];
  const lines = [
    `| measure | n | ${readers.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${'---|'.repeat(readers.length)}`,
  ];
  const row = (name: string, n: number, cells: (reader: Reader) => string): void => {
    lines.push(`| ${name} | ${n} | ${readers.map(cells).join(' | ')} |`);
  };
  const of = (labels: ReadonlySet<string>): HeldOut[] => messages.filter(({ label }) => labels.has(label));
  const neutral = of(NEUTRAL);
  const displeased = of(DISPLEASED);
  const urgent = of(new Set(['urgency']));
  const named = (what: 'frustrated' | 'urgent', rows: readonly HeldOut[]) => (reader: Reader) => {
    const { names } = reader;
    if (names === undefined) return '–';
    const hits = rows.map(({ text }) => (names(text, what) ? 1 : 0));
    return show(bootstrap(hits.length, (sample) => mean(pick(hits, sample)), ROUNDS));
  };
  for (const kind of ['sarcasm', 'complaint']) {
    const rows = of(new Set([kind]));
    row(`${kind}, called frustrated`, rows.length, named('frustrated', rows));
  }
  row('urgency, called urgent', urgent.length, named('urgent', urgent));
  row('neutral look-alikes, called frustrated', neutral.length, named('frustrated', neutral));
  row('neutral look-alikes, called urgent', neutral.length, named('urgent', neutral));
  const sorted = (score: 'displeased' | 'urgent', rows: readonly HeldOut[]) => (reader: Reader) => {
    const all = [...rows, ...neutral];
    const scores = all.map(({ text }) => reader[score](text));
    const truth = all.map((_, i) => (i < rows.length ? 1 : 0));
    return show(bootstrap(all.length, (s) => auc(pick(scores, s), pick(truth, s)), ROUNDS));
  };
  for (const kind of ['sarcasm', 'complaint']) {
    const rows = of(new Set([kind]));
    row(`${kind} against neutral, AUC`, rows.length + neutral.length, sorted('displeased', rows));
  }
  row('urgency against neutral, AUC', urgent.length + neutral.length, sorted('urgent', urgent));
  row(
    'displeasure, precision at recall .5 where one message in ten is displeased',
    displeased.length + neutral.length + urgent.length,
    (reader) => {
      const yes = displeased.map(({ text }) => reader.displeased(text));
      const no = [...neutral, ...urgent].map(({ text }) => reader.displeased(text));
      return show(
        bootstrap(
          yes.length + no.length,
          (sample) =>
            precisionAtHalf(
              sample.filter((i) => i < yes.length).map((i) => yes[i] ?? 0),
              sample.filter((i) => i >= yes.length).map((i) => no[i - yes.length] ?? 0),
            ),
          ROUNDS,
        ),
      );
    },
  );
  return lines;
}

/** Precision at the threshold that half of `yes` reaches, at the base rate. */
function precisionAtHalf(yes: readonly number[], no: readonly number[]): number {
  const threshold = [...yes].sort((a, b) => b - a)[Math.floor((yes.length - 1) / 2)] ?? 0;
  const rate = (scores: readonly number[]): number =>
    scores.filter((score) => score >= threshold).length / scores.length;
  const [found, alarms] = [BASE_RATE * rate(yes), (1 - BASE_RATE) * rate(no)];
  return found / (found + alarms);
}
