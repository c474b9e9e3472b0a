import type { SentimentState } from '../sentiment/index.ts';
import { MIN_CONFIDENCE } from '../sentiment/limits.ts';
import type { Mood } from './mood.ts';
import { PRIORITY } from './priorities.ts';
import { quoted } from './quote.ts';
import type { SectionLine, Stage } from './stage.ts';

/** A move of less than this would read as 0.1 -> 0.1. */
const TOLD_STEP = 0.1;

/** Emotional Context: the mood of the person who spoke last, read from the window. */
export const sentimentStage: Stage = {
  id: 'sentiment',
  title: 'Emotional Context',
  priority: PRIORITY.valence,
  timeoutMs: 1500,
  async run(context) {
    const { state, others, trouble } = await context.mood();
    // With nobody's words to read there is no mood to report.
    if (state.windowSize === 0) return null;
    const lines = [...speakerLines(state), ...otherLines(state, others)];
    return { lines, ...(trouble === undefined ? {} : { problems: [trouble] }) };
  },
};

function speakerLines(state: SentimentState): SectionLine[] {
  const why = state.signals
    .slice(0, 4)
    .map(({ name, score, evidence }) => `${name} ${score.toFixed(2)} (${evidence.slice(0, 3).join(', ')})`)
    .join('; ');
  if (!(state.confidence >= MIN_CONFIDENCE)) {
    // An old or thin reading is no reading: saying more would be guessing.
    return [
      {
        text: `- **Primary:** neutral (confidence ${state.confidence.toFixed(2)}: too little to go by)`,
        own: true,
        priority: PRIORITY.mood,
        why: `under ${MIN_CONFIDENCE} nothing is read; ${messagesIn(state)}`,
      },
    ];
  }
  const lines: SectionLine[] = [
    {
      text: `- **Primary:** ${named(state.emotion, state)}`,
      own: true,
      priority: PRIORITY.mood,
      ...(why ? { why } : {}),
    },
  ];
  if (state.secondary)
    lines.push({
      text: `- **Secondary:** ${named(state.secondary, state)}`,
      own: true,
      priority: PRIORITY.secondMood,
      why: 'the next of the six, by the same signals',
    });
  lines.push(
    {
      text: `- **Valence:** ${signed(state.valence)} (${valenceWord(state.valence)}) | **Arousal:** ${state.arousal.toFixed(1)} (${arousalWord(state.arousal)})`,
      own: true,
      priority: PRIORITY.valence,
      why: 'pleasant against unpleasant, and how stirred, by the same signals',
    },
    {
      text: `- **Confidence:** ${state.confidence.toFixed(2)}`,
      own: true,
      priority: PRIORITY.confidence,
      why: `${messagesIn(state)}; it halves every two hours of silence`,
    },
  );
  const { trajectory } = state;
  if (trajectory && Math.abs(trajectory.now - trajectory.start) >= TOLD_STEP) {
    lines.push({
      text: `- **Trajectory:** frustration ${trajectory.start.toFixed(1)} -> ${trajectory.now.toFixed(1)}, ${trajectory.direction}`,
      own: true,
      priority: PRIORITY.trajectory,
      why: `means of the two halves of ${trajectory.turns} turns`,
    });
  }
  if (state.sender)
    lines.push({
      text: `- **Speaker:** ${quoted(state.sender, 40)}`,
      priority: PRIORITY.speaker,
      why: 'spoke last; the mood is theirs',
    });
  return lines;
}

const OTHERS_AT_MOST = 3;

/** The others of a group, where they are in a mood and it is another one than the speaker's. */
function otherLines(state: SentimentState, others: Mood['others']): SectionLine[] {
  const differ = others.filter(
    ([name, { emotion, confidence }]) =>
      name !== '' && emotion !== 'neutral' && emotion !== state.emotion && confidence >= MIN_CONFIDENCE,
  );
  if (differ.length === 0) return [];
  // Those who spoke last are still in the talk.
  const told = differ
    .sort(([, a], [, b]) => (b.timestamp ?? '').localeCompare(a.timestamp ?? ''))
    .slice(0, OTHERS_AT_MOST)
    .map(([name, other]) => `${quoted(name, 40)} ${named(other.emotion, other)}`);
  return [
    {
      text: `- **Others:** ${told.join(', ')}`,
      priority: PRIORITY.speaker,
      why: 'in another mood than the one who spoke last',
    },
  ];
}

function messagesIn({ windowSize }: SentimentState): string {
  return `${windowSize} ${windowSize === 1 ? 'message' : 'messages'} of the person in the window`;
}

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
