import { readCues } from '../cues.ts';
import { phraseBook } from '../phrases.ts';
import type { SignalExtractor } from '../types.ts';

const PRAISE =
  'great|nice|awesome|wonderful|fantastic|lovely|perfect|brilliant|amazing|fabulous|cool|excellent|super|terrific|splendid';

/** Praise whose object is a failure. */
const book = phraseBook(`
  .65  ${PRAISE} ?.|!|, ?yet another / ${PRAISE} ?.|!|, one more / ${PRAISE} ?.|!|, ?so now it|the|i|my|everything|nothing|we
  .8   thanks|thx|ty for nothing|breaking|deleting|wasting|ignoring / thank you for nothing|breaking|deleting|wasting|ignoring / thanks|thx|ty ?you for making it|things|this worse / thanks|thx|ty for the useless|broken|extra
  .4   oh|ah|well|yeah|wow ?, great|wonderful|perfect|lovely|brilliant|fantastic|joy|nice|good|awesome|sure|right
  .5   love|enjoy|adore how you|you're|it|it's|this|the|every|nothing / love|enjoy|adore when you|it|the|a / love|enjoy|adore it when
  .7   great|good|nice|excellent|brilliant|amazing|stellar|fine job|work|going|one ..6 break|breaking|broke|deleting|deleted|wiping|wiped|ignoring|ignored|ruining|ruined|crashing|crashed|losing|lost|messing|messed|failing|failed|wrong|nothing
  .5   another|more ..1 hallucination|hallucinations|hallucinated|broken|useless|failed|wrong|fake|made-up|imaginary
  .4   what a surprise|shock|joy|treat / how helpful|useful|convenient|original|surprising / big surprise / shocker / surprise ?, surprise / who could have guessed|known
  .35  as usual|always|expected ?,|. it|you|the|this|that|nothing|another / of course ?, it|it's|you|the|this|that|nothing|another
  .5   sure|right ?, because|that'll|like / yeah right|sure ?, because|that'll|like / sure|right ?, that will
  .5   slow clap / give it|this|him|her|them a medal / genius move / well done ?, you|now|it
  .5   🙄 / eyeroll / eye roll
`);

/** Sarcasm: pleasant words for something unpleasant. */
export const sarcasm: SignalExtractor = {
  name: 'sarcasm',
  moves: { frustration: 0.85, valence: -0.8, arousal: 0.2, playfulness: -0.4, engagement: -0.2 },
  extract: (messages) => readCues('sarcasm', book(), messages.at(-1), 0.7),
};
