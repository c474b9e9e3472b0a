import { ownSentences } from '../../hearing/own-words.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Instruction extends Mark {
  text: string;
  /** For a ban on one action: its verb, because a later request for it lifts the ban. */
  verb?: string;
  turn: number;
}

const MOST = 30;
const LONGEST = 160;
/** How many turns a ban on one action lasts. */
const TURNS = 12;
const POLITE =
  /^(?:(?:ok(?:ay)?|no|yes|yeah|please|and|but|so|also|actually|hmm+|well|wait|stop|nope|again|btw|oh|ah|right|hey|for now|now|then)[,.!:]*\s+)*/i;
const BAN =
  /^(?:do not|don'?t|dont|never|stop|avoid|no need to|we (?:should|must)(?: not|n'?t)|you (?:should|must)(?: not|n'?t)|let'?s (?:not|avoid|never)|leave)\b/i;
const BID =
  /^(?:(?:you should |we should |make sure (?:to |you |that you )?)?always\b|from now on\b|in (?:the )?future\b|only (?!if |when |thing |one |then |problem |issue |question )|going forward\b|every time\b|whenever\b|remember (?:to|that|not)\b|prefer(?! (?:not|it|the idea)\b))/i;
/** Text that begins like a ban but is not one. */
const NO_BAN =
  /^(?:let'?s not worry|don'?t (?:think|know|understand|see|believe|remember|get|mind|have|like|care|want|need|you\b|we\b|we already)|do not (?:think|know|understand|see|believe|want|need|have)|never ?mind|stop\s*[.!]?$|leave it\s*[.!]?$|don'?t\s*[.!]?$)/i;
/** Before a clause that is a ban on its own. */
const CLAUSE = /,?\s+and\s+(?=(?:do not|don'?t|never)\s)|(?<=^.{0,80}),\s+(?=(?:do not|don'?t|never)\s)/i;
const WITHOUT =
  /\b(?:without (?:changing|touching|committing|running|adding|breaking|modifying|using|removing|pushing)\b.+)$/i;

/** The person's instructions and bans, in their own words. */
export const instructions: Extractor<Instruction[]> = {
  kind: 'instruction',
  initial: () => [],
  observe(step, kept, course) {
    if (step.type !== 'said') return;
    const sentences = ownSentences(step.text)
      .flatMap((sentence) => sentence.split(CLAUSE))
      .map((sentence) => sentence.replace(POLITE, ''));
    // "commit this" lifts "don't commit yet".
    for (const sentence of sentences) {
      const verb = /^(?:go ahead and |now |let'?s |you can |please )*(\w+)\b/i
        .exec(sentence)?.[1]
        ?.toLowerCase();
      const index = kept.findIndex(
        (instruction) => instruction.verb !== undefined && instruction.verb === verb,
      );
      if (index !== -1 && !sentence.includes('?')) kept.splice(index, 1);
    }
    for (const sentence of sentences) {
      const said = bidIn(sentence);
      if (said === undefined) continue;
      const text = keep(said, LONGEST);
      const known = kept.findIndex((instruction) => instruction.text === text);
      if (known !== -1) kept.splice(known, 1);
      const verb = /^(?:do not|don'?t|dont|never|no need to)\s+(?:just |ever |actually |also )?(\w+)\b/i
        .exec(said)?.[1]
        ?.toLowerCase();
      kept.push({ text, turn: course.turn, ...(verb !== undefined && { verb }), ...placeOf(step) });
    }
    kept.splice(0, Math.max(0, kept.length - MOST));
  },
  facts: (kept, course) =>
    kept.toReversed().map((instruction) => {
      const standing = isStanding(instruction.text);
      return {
        text: `“${instruction.text}”`,
        why: 'the person said so',
        // An instruction for one task ends with the task; a permanent one does not.
        open: standing || course.turn - instruction.turn <= TURNS,
        ...(standing && { standing }),
        ...markOf(instruction),
      };
    }),
};

function isStanding(text: string): boolean {
  return /\b(?:never|always|from now on|in (?:the )?future|going forward|every time|whenever|remember)\b/i.test(
    text,
  );
}

/** The instruction that a sentence gives, or undefined. Questions, guesses and reports are not instructions. */
function bidIn(sentence: string): string | undefined {
  if (sentence.includes('?') || sentence.length > LONGEST || sentence.split(/\s+/).length < 2)
    return undefined;
  if (NO_BAN.test(sentence)) return undefined;
  if (BID.test(sentence)) return sentence;
  if (BAN.test(sentence))
    return /^leave\b/i.test(sentence) && !/\b(?:as is|alone|unchanged|it as)\b/i.test(sentence)
      ? undefined
      : sentence;
  return WITHOUT.test(sentence) &&
    /^\w+/.test(sentence) &&
    !/^(?:it|this|that|i|we|the|there|they|he|she)\b/i.test(sentence)
    ? sentence
    : undefined;
}
