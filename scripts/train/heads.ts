/** GoEmotions' labels. */
export const EMOTIONS = [
  'admiration',
  'amusement',
  'anger',
  'annoyance',
  'approval',
  'caring',
  'confusion',
  'curiosity',
  'desire',
  'disappointment',
  'disapproval',
  'disgust',
  'embarrassment',
  'excitement',
  'fear',
  'gratitude',
  'grief',
  'joy',
  'love',
  'nervousness',
  'optimism',
  'pride',
  'realization',
  'relief',
  'remorse',
  'sadness',
  'surprise',
  'neutral',
] as const;

/** The labels that together count as frustrated. */
export const FRUSTRATED: ReadonlySet<string> = new Set([
  'annoyance',
  'anger',
  'disapproval',
  'disappointment',
]);

const POSITIVE =
  'admiration amusement approval caring desire excitement gratitude joy love optimism pride relief';
const NEGATIVE =
  'anger annoyance disappointment disapproval disgust embarrassment fear grief nervousness remorse sadness';

/** The sign of each label's valence; ambiguous labels have none. */
export const POLARITY: ReadonlyMap<string, number> = new Map([
  ...POSITIVE.split(' ').map((l): [string, number] => [l, 1]),
  ...NEGATIVE.split(' ').map((l): [string, number] => [l, -1]),
]);

/** Groups of labels that together describe one state of a person in a conversation. */
export const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['frustrated', FRUSTRATED],
  ['strained', FRUSTRATED],
  ['playful', new Set(['amusement'])],
  ['curious', new Set(['curiosity', 'confusion'])],
  ['engaged', new Set(['excitement', 'admiration', 'desire', 'optimism'])],
  [
    'pleased',
    new Set(['gratitude', 'approval', 'relief', 'joy', 'love', 'admiration', 'caring', 'pride', 'optimism']),
  ],
]);

export interface Head {
  name: string;
  /** `logistic` gives a probability, `linear` a value. */
  kind: 'logistic' | 'linear';
  /** The weight of its error in training. */
  weight: number;
}

/** All heads of the network, in the order of its outputs. */
export const HEADS: readonly Head[] = [
  ...EMOTIONS.map((name): Head => ({ name, kind: 'logistic', weight: 0.3 })),
  { name: 'frustrated', kind: 'logistic', weight: 1 },
  { name: 'uncivil', kind: 'logistic', weight: 1 },
  { name: 'impatient', kind: 'logistic', weight: 0.7 },
  { name: 'technical negative', kind: 'logistic', weight: 0.7 },
  { name: 'technical positive', kind: 'logistic', weight: 0.5 },
  { name: 'playful', kind: 'logistic', weight: 0.5 },
  { name: 'curious', kind: 'logistic', weight: 0.5 },
  { name: 'engaged', kind: 'logistic', weight: 0.5 },
  { name: 'pleased', kind: 'logistic', weight: 0.5 },
  { name: 'chat displeased', kind: 'logistic', weight: 1 },
  { name: 'chat urgent', kind: 'logistic', weight: 0.7 },
  { name: 'chat tired', kind: 'logistic', weight: 0.7 },
  { name: 'chat playful', kind: 'logistic', weight: 0.5 },
  { name: 'technical', kind: 'logistic', weight: 0.3 },
  { name: 'strained', kind: 'logistic', weight: 1 },
  { name: 'valence', kind: 'linear', weight: 1.5 },
];
