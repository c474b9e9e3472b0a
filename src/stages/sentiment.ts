import type { SentimentState } from '../sentiment/index.ts';
import { MIN_CONFIDENCE } from '../sentiment/limits.ts';
import { quoted } from './quote.ts';
import type { SectionLine, Stage } from './stage.ts';

/** A move of less than this would read as 0.1 -> 0.1. */
const TOLD_STEP = 0.1;

/** Emotional Context: the mood of the person who spoke last, read from the window. */
export const sentimentStage: Stage = {
  id: 'sentiment',
  title: 'Emotional Context',
  priority: 60,
  timeoutMs: 1500,
  async run(context) {
    const state = await context.mood();
    // With nobody's words to read there is no mood to report.
    if (state.windowSize === 0) return null;
    const why = state.signals
      .slice(0, 4)
      .map(({ name, score, evidence }) => `${name} ${score.toFixed(2)} (${evidence.slice(0, 3).join(', ')})`)
      .join('; ');
    if (!(state.confidence >= MIN_CONFIDENCE)) {
      // An old or thin reading is no reading: saying more would be guessing.
      return {
        lines: [
          { text: `- **Primary:** neutral (confidence ${state.confidence.toFixed(2)}: too little to go by)` },
        ],
      };
    }
    const lines: SectionLine[] = [
      { text: `- **Primary:** ${named(state.emotion, state)}`, priority: 90, ...(why ? { why } : {}) },
    ];
    if (state.secondary) lines.push({ text: `- **Secondary:** ${named(state.secondary, state)}` });
    lines.push(
      {
        text: `- **Valence:** ${signed(state.valence)} (${valenceWord(state.valence)}) | **Arousal:** ${state.arousal.toFixed(1)} (${arousalWord(state.arousal)})`,
      },
      { text: `- **Confidence:** ${state.confidence.toFixed(2)}`, priority: 70 },
    );
    const { trajectory } = state;
    if (trajectory && Math.abs(trajectory.now - trajectory.start) >= TOLD_STEP) {
      lines.push({
        text: `- **Trajectory:** frustration ${trajectory.start.toFixed(1)} -> ${trajectory.now.toFixed(1)}, ${trajectory.direction}`,
        why: `means of the two halves of ${trajectory.turns} turns`,
      });
    }
    if (state.sender) lines.push({ text: `- **Speaker:** ${quoted(state.sender, 40)}` });
    return { lines };
  },
};

const DIMENSION_OF = new Map<string, keyof SentimentState>([
  ['frustrated', 'frustration'],
  ['playful', 'playfulness'],
  ['urgent', 'urgency'],
  ['curious', 'curiosity'],
  ['tired', 'fatigue'],
  ['engaged', 'engagement'],
]);

function named(emotion: string, state: SentimentState): string {
  const dimension = DIMENSION_OF.get(emotion);
  return dimension === undefined ? emotion : `${emotion} (${Number(state[dimension]).toFixed(2)})`;
}

function signed(value: number): string {
  const text = value.toFixed(1);
  return text === '-0.0' ? '0.0' : text;
}

function valenceWord(valence: number): string {
  if (valence <= -0.2) return 'negative';
  return valence >= 0.2 ? 'positive' : 'neutral';
}

function arousalWord(arousal: number): string {
  if (arousal >= 0.6) return 'high';
  return arousal <= 0.3 ? 'low' : 'moderate';
}
