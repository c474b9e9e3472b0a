/** GoEmotions' labels that are learnt one by one; valence and arousal are read from them. */
export const EMOTIONS: readonly string[] =
  'admiration amusement anger approval disgust fear gratitude joy love sadness'.split(' ');

/** The labels that together count as frustrated. */
export const FRUSTRATED: ReadonlySet<string> = new Set(
  'annoyance anger disapproval disappointment'.split(' '),
);

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

/** The functions of the model, in the order of its columns; all but the last are probabilities. */
export const HEADS: readonly string[] = [
  ...EMOTIONS,
  ...'frustrated strained uncivil impatient'.split(' '),
  'technical negative',
  'technical positive',
  ...'playful curious engaged pleased technical valence'.split(' '),
];
