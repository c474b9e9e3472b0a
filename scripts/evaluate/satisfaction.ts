import { analyze, dissatisfaction, type SentimentModel } from '../../src/sentiment/index.ts';
import type { Message } from '../../src/transcript/types.ts';
import type { SatisfactionRow } from '../train/rows.ts';
import type { Baseline } from './baselines.ts';
import { mean } from './stats.ts';

/** One turn of a person in a dialogue, rated by judges. */
export interface RatedTurn {
  dialogue: number;
  /** Mean rating, 1 to 5. */
  rating: number;
  /** The rating that most judges gave, the lower one if tied: the label that the authors of the data use. */
  label: number;
  /** Dissatisfaction by our state and by each baseline (its negated valence). */
  ours: number;
  baselines: number[];
  /** Whether our state calls the person frustrated. */
  named: boolean;
}

/** A dialogue in which the mean ratings of the two halves differ by .25 or more. */
export interface Turned {
  /** Whether our direction, and the sign of each baseline's difference of half means, was right. */
  ours: boolean;
  baselines: boolean[];
}

export function readDialogues(
  rows: readonly SatisfactionRow[],
  model: SentimentModel,
  baselines: readonly Baseline[],
): { turns: RatedTurn[]; turned: Turned[] } {
  const dialogues = new Map<number, SatisfactionRow[]>();
  for (const row of rows) {
    if (row.text === 'OVERALL') continue;
    const dialogue = dialogues.get(row.s);
    if (dialogue === undefined) dialogues.set(row.s, [row]);
    else dialogue.push(row);
  }
  const turns: RatedTurn[] = [];
  const turned: Turned[] = [];
  for (const [id, dialogue] of dialogues) {
    const messages: Message[] = [];
    const own: RatedTurn[] = [];
    for (const row of dialogue) {
      const role = row.role === 'USER' ? 'user' : 'assistant';
      messages.push({ id: String(row.t), role, content: row.text, session: String(id) });
      if (role !== 'user' || row.sat.length === 0) continue;
      const state = analyze(messages, { model });
      own.push({
        dialogue: id,
        rating: mean(row.sat),
        label: mostGiven(row.sat),
        ours: dissatisfaction(state),
        baselines: baselines.map((b) => -b.valence(row.text)),
        named: state.emotion === 'frustrated',
      });
    }
    turns.push(...own);
    const change = halves(own.map((t) => t.rating));
    const trajectory = analyze(messages, { model }).trajectory;
    if (trajectory === null || Math.abs(change) < 0.25) continue;
    turned.push({
      ours: trajectory.direction === (change > 0 ? 'easing' : 'rising'),
      baselines: baselines.map(
        (_, b) => Math.sign(-halves(own.map((t) => t.baselines[b] ?? 0))) === Math.sign(change),
      ),
    });
  }
  return { turns, turned };
}

/** Mean of the later half less mean of the earlier. */
function halves(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  return half === 0 ? 0 : mean(values.slice(-half)) - mean(values.slice(0, half));
}

/** As in `get_main_score` of the authors' own baselines, who count ratings below 3 as dissatisfied. */
function mostGiven(ratings: readonly number[]): number {
  const counts = [1, 2, 3, 4, 5].map((rating) => ratings.filter((r) => r === rating).length);
  return counts.indexOf(Math.max(...counts)) + 1;
}
