import { formatCount } from '../base/text/strings.ts';
import { type AdjustedStrategy, adjust } from '../sentiment/feedback/remarks.ts';
import { tryLoadModel } from '../sentiment/model.ts';
import {
  ANGRY,
  analyzeMood,
  analyzeMoodsBySender,
  createQuietState,
  findDimension,
} from '../sentiment/state.ts';
import { MIN_CONFIDENCE, mapStrategy, renderAdvice } from '../sentiment/strategy.ts';
import type { SentimentState, Strategy, Style, Tone, Verbosity } from '../sentiment/types.ts';
import type { CommandMood } from './mood-command.ts';
import { quoteForeignText } from './quote.ts';
import { type BuiltInStage, type Mood, PRIORITY, type SectionLine, type StageContext } from './stage.ts';

/** @param other the reading of another engine, in place of ours */
export function readMood(
  { messages, signs = [], now, config, feedback: events = [] }: StageContext,
  other: CommandMood | undefined,
): Mood {
  const { messages: windowMessages, age: windowMs } = config.window;
  const options = { now, windowMessages, windowMs, signs, model: tryLoadModel() };
  const state = other?.state ?? analyzeMood(messages, options);
  const speaker = state.sender ?? '';
  const people = new Set(messages.flatMap(({ role, sender }) => (role === 'user' ? [sender ?? ''] : [])));
  // Most conversations are with one person.
  const others = people.size < 2 || other ? [] : [...analyzeMoodsBySender(messages, options)];
  const feedback = { events, lastsMs: config.feedback.lasts };
  const adjustStrategy = (strategy: Strategy): AdjustedStrategy => adjust(strategy, feedback, speaker, now);

  return {
    state,
    ...adjustStrategy({ ...mapStrategy(state), ...other?.strategy }),
    wish: renderAdvice(adjustStrategy(mapStrategy(createQuietState())).strategy),
    others: others.filter(([name]) => name !== speaker),
  };
}

/** A smaller change would read as 0.1 -> 0.1. */
const LEAST_STEP = 0.1;

/** Emotional Context: a mood that changes how to answer or has eased, and those of others in a group. */
export const sentimentStage: BuiltInStage = {
  priority: PRIORITY.valence,
  async run(context) {
    const { state, others } = await context.mood();
    const otherLines = renderOtherLines(state, others);
    const isQuiet = state.emotion === 'neutral' && !isCalmingDown(state);
    const isUnread = state.emotion === 'not read';
    const lines = [
      ...(isUnread ? [UNREAD] : []),
      ...(isQuiet || isUnread ? [] : renderMoodLines(state)),
      ...(isQuiet && otherLines.length === 0 ? [] : renderSpeakerLine(state)),
      ...otherLines,
    ];

    return lines.length === 0 ? null : { lines };
  },
};

const UNREAD = makeLine(
  'Primary',
  'not read: only English is',
  PRIORITY.mood,
  'the last message is in another language',
);

function renderMoodLines(state: SentimentState): SectionLine[] {
  const dimension = findDimension(state.emotion);
  const why = state.signals
    .filter(({ raises }) => raises === dimension)
    .slice(0, 4)
    .map(({ name, score, evidence }) => `${name} ${score.toFixed(2)} (${evidence.slice(0, 3).join(', ')})`)
    .join('; ');

  const lines = [makeLine('Primary', nameEmotion(state.emotion, state), PRIORITY.mood, why)];

  if (state.secondary) {
    const next = 'the next that would change how to answer';
    lines.push(makeLine('Secondary', nameEmotion(state.secondary, state), PRIORITY.secondMood, next));
  }

  const { valence, arousal, confidence, trajectory } = state;
  lines.push(
    makeLine(
      'Valence',
      `${formatSigned(valence)} (${describeValence(valence)}) | **Arousal:** ${arousal.toFixed(1)} (${describeArousal(arousal)})`,
      PRIORITY.valence,
      'pleasant against unpleasant, and how agitated, by the same signals',
    ),
    makeLine(
      'Confidence',
      confidence.toFixed(2),
      PRIORITY.confidence,
      `${formatCount(state.windowSize, 'message')} of the person in the window; it halves every two hours of silence`,
    ),
  );

  if (trajectory && isWorthALine(trajectory)) {
    const { start, now, direction, turns } = trajectory;
    const trend = `frustration ${start.toFixed(1)} to ${now.toFixed(1)}, ${direction}`;
    lines.push(makeLine('Trajectory', trend, PRIORITY.trajectory, `over ${turns} messages`));
  }

  return lines;
}

function isWorthALine({ start, now, direction, peak }: NonNullable<SentimentState['trajectory']>): boolean {
  const wasFrustrated = peak > ANGRY;
  const isVisible = Math.abs(now - start) >= LEAST_STEP;
  // The direction also depends on valence, and could contradict the numbers shown.
  return wasFrustrated && isVisible && direction === (now > start ? 'rising' : 'easing');
}

/** Nobody is frustrated any more, but somebody was: who answers should know both. */
const isCalmingDown = ({ trajectory }: SentimentState): boolean =>
  trajectory !== null && trajectory.direction === 'easing' && isWorthALine(trajectory);

function renderSpeakerLine({ sender }: SentimentState): SectionLine[] {
  if (!sender) return [];
  return [
    makeLine('Speaker', quoteForeignText(sender, 40), PRIORITY.speaker, 'spoke last; the mood is theirs'),
  ];
}

const OTHERS_AT_MOST = 3;

function renderOtherLines(state: SentimentState, others: Mood['others']): SectionLine[] {
  const differ = others.filter(
    ([name, { emotion, confidence }]) =>
      name !== '' && emotion !== 'neutral' && emotion !== state.emotion && confidence >= MIN_CONFIDENCE,
  );
  if (differ.length === 0) return [];

  // Recent speakers are still part of the conversation.
  const differences = differ
    .sort(([, a], [, b]) => (b.timestamp ?? '').localeCompare(a.timestamp ?? ''))
    .slice(0, OTHERS_AT_MOST)
    .map(([name, other]) => `${quoteForeignText(name, 40)} ${nameEmotion(other.emotion, other)}`);

  return [
    makeLine(
      'Others',
      differences.join(', '),
      PRIORITY.speaker,
      'in another mood than the one who spoke last',
    ),
  ];
}

function nameEmotion(emotion: string, state: SentimentState): string {
  const dimension = findDimension(emotion);
  return dimension === undefined ? emotion : `${emotion} (${state[dimension].toFixed(2)})`;
}

function formatSigned(value: number): string {
  const text = value.toFixed(1);
  return text === '-0.0' ? '0.0' : text;
}

function describeValence(valence: number): string {
  if (valence <= -0.2) return 'negative';
  return valence >= 0.2 ? 'positive' : 'neutral';
}

function describeArousal(arousal: number): string {
  if (arousal >= 0.6) return 'high';
  return arousal <= 0.3 ? 'low' : 'moderate';
}

const MEANINGS: Readonly<Record<Style | Tone | Verbosity, string>> = {
  concise: 'lead with the answer',
  gentle: 'one step at a time, few decisions',
  matched: 'match their lightness',
  neutral: 'as usual',
  direct: 'no hedging',
  warm: 'kind, not effusive',
  playful: 'a light touch is welcome',
  professional: 'plain and to the point',
  minimal: 'they will ask for more',
  moderate: 'no more than needed',
  thorough: 'detail is welcome',
};

/** Response Strategy: how to answer, if not in the usual way. It describes the answer, never the person. */
export const strategyStage: BuiltInStage = {
  priority: PRIORITY.preamble,
  tells: 'part',
  async run(context) {
    // Without a remark of theirs it is made from the mood alone, of which no model is told.
    if (context.forModel && !context.feedback?.length) return null;
    const { strategy, why, wish } = await context.mood();
    if (renderAdvice(strategy) === undefined) return null;

    const advice = strategy.suggestions.join('; ');
    const style = makeLine(
      'Style',
      explainWord(strategy.style),
      PRIORITY.style,
      strategy.reasons.join('; ') || 'nothing asks for another',
    );

    // The model is told what they asked for, never a mood: of those read, too many are wrong.
    const inject = wish && {
      key: 'how-to-answer',
      text: `How they asked to be answered: ${wish}`,
      at: ['prompt' as const],
    };

    return {
      lines: [
        { ...style, ...(inject && { inject }) },
        makeLine('Tone', explainWord(strategy.tone), PRIORITY.tone, why.tone),
        makeLine('Verbosity', explainWord(strategy.verbosity), PRIORITY.verbosity, why.verbosity),
        makeLine(
          'Preamble',
          strategy.preamble && strategy.verbosity !== 'minimal' ? 'YES' : 'NO',
          PRIORITY.preamble,
          why.preamble,
        ),
        ...(advice === '' ? [] : [makeLine('Suggestion', advice, PRIORITY.suggestion)]),
      ],
    };
  },
};

function makeLine(label: string, text: string, priority: number, why = 'goes with the style'): SectionLine {
  return { text: `- **${label}:** ${text}`, priority, why };
}

const explainWord = (word: keyof typeof MEANINGS): string => `${word} — ${MEANINGS[word]}`;
