import { type Cue, cueText, matchCues, silent } from '../cues.ts';
import type { SignalExtractor } from '../types.ts';

/** Praise whose object is a failure. */
const CUES: readonly Cue[] = [
  [
    /\b(?:great|nice|awesome|wonderful|fantastic|lovely|perfect|brilliant|amazing|fabulous|cool|excellent|super|terrific|splendid)[,.!]* (?:\w+ )?(?:another|yet another|more|one more|now (?:it|the|i|my|everything|nothing|we)|so now)\b/i,
    0.65,
  ],
  [
    /\b(?:thanks|thank you|thx|ty) for (?:nothing|breaking|deleting|wasting|ignoring|making (?:it|things|this) worse|the (?:useless|broken|extra work))/i,
    0.8,
  ],
  [
    /\b(?:oh|ah|well|yeah|wow)[, ]+(?:great|wonderful|perfect|lovely|brilliant|fantastic|joy|nice|good|awesome|sure|right)\b/i,
    0.4,
  ],
  [
    /\b(?:i )?(?:just )?(?:love|enjoy|adore) (?:it when|how (?:you|it|this|the|every)|when (?:you|it|the|a))/i,
    0.5,
  ],
  [
    /\b(?:great|good|nice|excellent|brilliant|amazing|stellar|fine) (?:job|work|going|one)\b[^.!?\n]{0,30}\b(?:break|broke|delet|wip|ignor|ruin|crash|lost|los|mess|fail|wrong|nothing)/i,
    0.7,
  ],
  [
    /\b(?:another|more) (?:\w+ )?(?:hallucinat\w*|broken|useless|failed|wrong|fake|made-up|imaginary)\b/i,
    0.5,
  ],
  [
    /\b(?:what a (?:surprise|shock|joy|treat)|how (?:helpful|useful|convenient|original|surprising)|big surprise|shocker|surprise,? surprise|who could have (?:guessed|known))\b/i,
    0.4,
  ],
  [/\b(?:as (?:usual|always|expected)|of course)[,.]? (?:it|you|the|this|that|nothing|another)\b/i, 0.35],
  [/\b(?:sure|yeah right|yeah sure|right),? (?:because|that'll|that will|like that)\b/i, 0.5],
  [/\b(?:very|so|really|super) helpful[.!]*$/im, 0.25],
  [/\b(?:slow clap|give (?:it|this|him|her|them) a medal|\/s\b|genius move|well done, (?:you|now|it))/i, 0.5],
  [/(?:^|\s)🙄|\b(?:eyeroll|eye roll)\b/i, 0.5],
];

/** Sarcasm: pleasant words for something unpleasant. */
export const sarcasm: SignalExtractor = {
  name: 'sarcasm',
  moves: { frustration: 0.85, valence: -0.8, arousal: 0.2, playfulness: -0.4, engagement: -0.2 },
  extract(messages) {
    const last = messages.at(-1);
    if (last === undefined || last.prose === '') return silent('sarcasm');
    return matchCues('sarcasm', CUES, cueText(last.prose), 0.7);
  },
};
