import { readFileSync } from 'node:fs';
import type { SentimentModel } from '../../src/sentiment/model.ts';
import { analyzeMood } from '../../src/sentiment/state.ts';
import type { SentimentState } from '../../src/sentiment/types.ts';
import type { Message } from '../../src/transcript/types.ts';
import type { SatisfactionRow } from '../train/rows.ts';
import { mean } from './stats.ts';

/** One turn of a person in a dialogue, rated by judges. */
interface RatedTurn {
  dialogue: number;
  /** Mean rating, 1 to 5. */
  rating: number;
  /** The rating that most judges gave, the lower one if tied: the label that the authors of the data use. */
  label: number;
  /** Dissatisfaction by our state. */
  level: number;
}

/**
 * The rated turns, and whether the direction was right in each dialogue in which the mean ratings of the two halves
 * differ by .25 or more.
 */
export function readDialogues(
  rows: readonly SatisfactionRow[],
  model: SentimentModel,
): { turns: RatedTurn[]; turned: boolean[] } {
  const dialogues = new Map<number, SatisfactionRow[]>();
  for (const row of rows)
    if (row.text !== 'OVERALL') dialogues.set(row.s, [...(dialogues.get(row.s) ?? []), row]);
  const turns: RatedTurn[] = [];
  const turned: boolean[] = [];
  for (const [id, dialogue] of dialogues) {
    const messages: Message[] = [];
    const own: RatedTurn[] = [];
    for (const { role, t, text, sat } of dialogue) {
      const isPerson = role === 'USER';
      messages.push({ id: `${t}`, role: isPerson ? 'user' : 'assistant', content: text, session: `${id}` });
      if (!isPerson || sat.length === 0) continue;
      const level = measureDissatisfaction(analyzeMood(messages, { model }));
      own.push({ dialogue: id, rating: mean(sat), label: findMostGiven(sat), level });
    }
    turns.push(...own);
    const half = Math.floor(own.length / 2);
    const computeMean = (some: readonly RatedTurn[]): number => mean(some.map(({ rating }) => rating));
    const change = half === 0 ? 0 : computeMean(own.slice(-half)) - computeMean(own.slice(0, half));
    const trajectory = analyzeMood(messages, { model }).trajectory;
    if (trajectory !== null && Math.abs(change) >= 0.25)
      turned.push(trajectory.direction === (change > 0 ? 'easing' : 'rising'));
  }
  return { turns, turned };
}

/**
 * How little the answers seem to suit the person, about -1.5 to 1.7; for ranking moments of a conversation,
 * without a threshold. Nobody is disappointed by answers not yet given: the first message counts .5 less, and
 * each further one half of that.
 */
function measureDissatisfaction(
  state: Pick<SentimentState, 'frustration' | 'valence' | 'windowSize'>,
): number {
  return state.frustration - 0.7 * state.valence - 2 ** -Math.max(1, state.windowSize);
}

/** As in `get_main_score` of the authors, who count ratings below 3 as dissatisfied. */
function findMostGiven(ratings: readonly number[]): number {
  const counts = [1, 2, 3, 4, 5].map((rating) => ratings.filter((r) => r === rating).length);
  return counts.indexOf(Math.max(...counts)) + 1;
}

/** Neutral messages with the output of a program, by its number: every request with every paste, in two of the ways in which people paste: below, above, fenced or run together. */
export function listPastedCases(): { text: string; paste: number }[] {
  const file = new URL('../../test/fixtures/sentiment/pastes.jsonl', import.meta.url);
  const rows = readFileSync(file, 'utf8').trim().split('\n');
  const all = rows.map((row) => JSON.parse(row) as { ask?: string; paste?: string });
  const asks = all.flatMap(({ ask }) => ask ?? []);
  const pastes = all.flatMap(({ paste }) => paste ?? []);
  return asks.flatMap((ask, a) =>
    pastes.flatMap((paste, p) => {
      const texts = [
        `${ask}\n\n${paste}`,
        `${ask}\n${paste}`,
        `${paste}\n\n${ask}`,
        `${ask}\n\`\`\`\n${paste}\n\`\`\`\nthanks`,
      ];
      return [0, 1].map((more) => ({ text: texts[(a + p + more) % 4] ?? ask, paste: p }));
    }),
  );
}
