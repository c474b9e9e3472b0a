import { ownSentences } from '../../hearing/own-words.ts';
import { endOf, LONGEST_MS } from '../bans.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';
import { gitCall } from '../shell.ts';
import type { TrailStep } from '../steps.ts';

export interface Instruction extends Mark {
  text: string;
  /** For a ban on one action: its verb, because a later request for it lifts the ban. */
  verb?: string;
  turn: number;
  /** Calls and compactions before it. */
  calls?: number;
  windows?: number;
}

const MOST = 30;
const LONGEST = 160;
/** How many turns a ban on one action lasts. */
const TURNS = 12;
/** What was said so many turns or calls ago is no longer before the model's eyes. */
const FAR_TURNS = 8;
const FAR_CALLS = 60;
const POLITE =
  /^(?:(?:ok(?:ay)?|no(?!\s+(?:new|extra|additional|more)\b)|yes|yeah|please|and|but|so|also|actually|hmm+|well|wait|nope|again|btw|oh|ah|right|hey|for now|now|then)[,.!:]*\s+|stop[,.!:]+\s+|i(?:'d| would)? (?:want|need|like|expect) you to\s+(?=(?:always|never|only)\b)|whatever (?:you do|happens)[,:]?\s+|i (?:said|told you)(?: already)?[,:]?\s+(?=(?:not to|to never|do not|don'?t|never|no)\b))*/i;
const BAN =
  /^(?:do not|don'?t|dont|not to|to never|never|stop \w+ing|avoid|no (?:new|extra|additional|more) (?:dependenc|packag|librar|file|test|comment|abstraction|class|function|feature|option|flag|table|column|migration|code\b|docs?\b)\w*|(?:ask|check with|tell|warn) me (?:first )?before|make sure (?:that )?(?:you |we )?(?:never|do not|don'?t)|no need to|we (?:should|must)(?: not|n'?t)|you (?:should|must)(?: not|n'?t)|let'?s (?:not|avoid|never)|leave)\b/i;
const BID =
  /^(?:(?:you should |we should |make sure (?:to |you |that you )?)?always\s+(?!the\b|an?\b|been\b|was\b|is\b|are\b|has\b|had\b|fails?\b|same\b|gets?\b|got\b|returns?\b|shows?\b|happens?\b|seems?\b|looks?\b|this\b|that\b|it\b|\w+ed\b)|(?:from now on|in (?:the )?future|going forward)\b.{12}|only (?:add|answer|apply|change|check|commit|consider|create|do|edit|fix|focus|give|implement|include|keep|list|look|make|modify|move|push|read|refactor|remove|rename|report|return|run|show|test|touch|update|use|work|write)\b|(?:every time|whenever)\b.*\b(?:you|me|us)\b|remember (?:to|that|not)\b|remember[:,] .{8}|prefer(?! (?:not|it|the idea)\b))/i;
/** Text that begins like a ban but is not one. */
const NO_BAN =
  /^(?:let'?s not worry|never (?:(?!need|proceed|embed|exceed)\w+ed|works?|been|was|got|gets?|had|seen|mind|again|heard|thought|ran|shows?|happens?)\b|don'?t (?:worry|think|know|understand|see|believe|remember|get|mind|have|like|care|want|need|(?:you|we|they|it|both|all|these|those|the|our|my)\b)|do not (?:think|know|understand|see|believe|want|need|have)|never ?mind|stop\s*[.!]?$|leave it\s*[.!]?$|don'?t\s*[.!]?$)/i;
/** What is meant stood in the sentence before: "don't do that", "do not clean it up". */
const POINTING =
  /\b(?:it|that|this|them|those|these|change)(?:\s+(?:up|out|yet|now|again|anymore|at all))?[\s.!]*$/i;
/** Words of a sentence that mostly goes on from the one before. */
const SHORT = 7;
const NOT = String.raw`^(?:do not|don'?t|dont|no need to)\s+(?:start\s+)?`;
const YET = String.raw`(?:\s+(?:yet|now|for now|or \w+ anything))?(?:[\s.!]*$|,)`;
/** A ban on any work, and what shows that it has been lifted since. */
const UNTIL_EDIT = new RegExp(
  String.raw`${NOT}(?:writ|mak|modify|chang|edit|cod|implement|do\b|touch)\w*(?:\s+(?:any|more|code|changes?|files?|anything|stuff))*${YET}`,
  'i',
);
const UNTIL_COMMIT = new RegExp(String.raw`${NOT}(?:commit|push)\w*(?:\s+anything)?${YET}`, 'i');
/** Where a clause may begin that is an instruction on its own. */
const CLAUSE = /[,;:]\s+(?:(?:and|but|so)\s+)?|\s+[-–—]+\s+|\s+(?:and|but)\s+/gi;
const CLAUSE_BID = /^(?:whatever (?:you do|happens)[,:]?\s+)?(?:do not|don'?t|dont|never|always)\s/i;
/** What must not be, as a rule about things: "sent invoices must never change". */
const MUST =
  /^(?!(?:it|this|that|they|these|those|there|he|she|i|what|which|who|why|how|if|when|because|since|so|seems?|looks?|ca)\b)[^?,]{3,60}\bmust(?: (?:never|not)|n'?t)\s+\w/i;
/** "use uv instead of pip, always" */
const STANDING_END =
  /^(?!(?:to|it|this|that|they|these|those|there|he|she|i|we|what|which|who|why|how|if|when)\b)[a-z].{3,80}(?:,\s*always|\s(?:from now on|going forward|in (?:the )?future))[\s.!]*$/i;
const WITHOUT =
  /\b(?:without (?:changing|touching|committing|running|adding|breaking|modifying|using|removing|pushing)\b.+)$/i;

/** The person's instructions and bans, in their own words. */
export const instructions: Extractor<Instruction[]> = {
  kind: 'instruction',
  initial: () => [],
  observe(step, kept, course) {
    if (step.type === 'done') return lift(step, kept, course.turn);
    if (step.type !== 'said') return;
    const sentences = ownSentences(step.text).map((sentence) => sentence.replace(POLITE, ''));
    // "commit this" lifts "don't commit yet".
    for (const sentence of sentences) {
      const verb = /^(?:go ahead and |now |let'?s |you can |please )*(\w+)\b/i
        .exec(sentence)?.[1]
        ?.toLowerCase();
      const index = kept.findIndex(
        (instruction) =>
          instruction.verb !== undefined && instruction.verb === verb && lets(sentence, instruction),
      );
      if (index !== -1 && !sentence.includes('?')) kept.splice(index, 1);
    }
    for (const sentence of sentences) {
      const said = ruleIn(sentence);
      if (said === undefined) continue;
      const text = keep(said, LONGEST);
      // A rule that is repeated in fewer words is the same rule, and one in more words replaces it.
      const known = kept.findIndex((instruction) => holds(instruction.text, text));
      const [same] = known === -1 ? [] : kept.splice(known, 1);
      for (const part of kept.filter((instruction) => holds(text, instruction.text)))
        kept.splice(kept.indexOf(part), 1);
      const verb = BANNED_VERB.exec(said)?.[1]?.toLowerCase();
      const { windows = 0 } = course;
      kept.push({
        text: same?.text ?? text,
        turn: course.turn,
        calls: course.calls,
        ...(windows > 0 && { windows }),
        // What is never to be done stays so when it is done once.
        ...(verb !== undefined && { verb }),
        ...placeOf(step),
      });
    }
    kept.splice(0, Math.max(0, kept.length - MOST));
  },
  facts: (kept, course) =>
    kept.toReversed().map((instruction) => {
      const { text, turn, calls = course.calls, windows = 0, session, time } = instruction;
      const standing = isStanding(text);
      const until = time === undefined ? undefined : endOf(text, time, standing);
      const far =
        session !== undefined ||
        windows < (course.windows ?? 0) ||
        course.turn - turn >= FAR_TURNS ||
        course.calls - calls >= FAR_CALLS;
      return {
        text: `“${text}”`,
        why: 'the person said so',
        // An instruction for one task ends with the task; a permanent one, or one until a day or an event, does not.
        open: standing || until !== undefined || course.turn - turn <= TURNS,
        ...(standing && until === undefined && { standing }),
        ...(until !== undefined && { until }),
        ...(far && { far }),
        ...markOf(instruction),
      };
    }),
};

/** Whether an instruction holds in a session that begins now. */
export function outlasts({ text, time }: Instruction, now: number): boolean {
  const standing = isStanding(text);
  if (time === undefined) return standing;
  const until = endOf(text, time, standing);
  return Date.parse(time) >= now - LONGEST_MS && (until === undefined ? standing : Date.parse(until) >= now);
}

/** The verb of a ban on one action, wherever it stands in the sentence. */
const BANNED_VERB =
  /(?:^|[,;:]\s+(?:(?:and|but)\s+)?|\b(?:and|but)\s+)(?:do not|don'?t|dont|not to|no need to)\s+(?:just |ever |actually |also )?(\w+)\b/i;

/** Whether a text has the words of another, next to each other. */
function holds(text: string, part: string): boolean {
  const [whole, some] = [text, part].map(
    (one) =>
      ` ${
        one
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu)
          ?.join(' ') ?? ''
      } `,
  );
  return whole?.includes(some ?? '') === true;
}

/** The instruction in a sentence: the whole sentence, else what begins with the clause that gives it. */
function ruleIn(sentence: string): string | undefined {
  const whole = bidIn(sentence);
  if (whole !== undefined) return whole;
  for (const { index, 0: mark } of sentence.matchAll(CLAUSE)) {
    const rest = sentence.slice(index + mark.length);
    if (!CLAUSE_BID.test(rest)) continue;
    const clause = rest.length > LONGEST ? (rest.split(/[,;]\s|\s[-–—]\s/)[0] ?? '') : rest;
    const said = bidIn(clause.replace(POLITE, ''));
    if (said !== undefined) return said;
  }
  return undefined;
}

/** Whether a request lets what was banned: it points at it, or it names the same thing. */
function lets(request: string, { text, verb = '' }: Instruction): boolean {
  const [asked, banned] = [request, text].map((sentence) =>
    (sentence.toLowerCase().split(new RegExp(`\\b${verb}\\b`))[1] ?? '')
      .split(/[^\w.-]+/)
      .filter((word) => word.length > 2 && !NO_THING.test(word)),
  );
  return asked?.length === 0 || banned?.length === 0 || (asked ?? []).some((word) => banned?.includes(word));
}

const NO_THING =
  /^(?:it|this|that|them|these|those|all|now|yet|please|the|and|again|anything|everything|any|more|for|here|one|first|then|too|up|so|with)$/;

/** "Don't write code yet" ends when the agent edits in a later turn: the person has let it. */
function lift(step: TrailStep & { type: 'done' }, kept: Instruction[], turn: number): void {
  if (step.outcome !== 'ok' && step.outcome !== 'unknown') return;
  const edits = step.call.files.some(({ how }) => how !== 'read');
  const commits = step.segments.some((segment) => /^(?:commit|push)$/.test(gitCall(segment)?.verb ?? ''));
  if (!edits && !commits) return;
  const left = kept.filter(
    ({ text, turn: since }) =>
      since >= turn || !((edits && UNTIL_EDIT.test(text)) || (commits && UNTIL_COMMIT.test(text))),
  );
  kept.splice(0, kept.length, ...left);
}

function isStanding(text: string): boolean {
  return /\b(?:never|always|must(?: not|n't)|(?:do not|don'?t) ever|ask me before|from now on|in (?:the )?future|going forward|every time|whenever|remember)\b/i.test(
    text,
  );
}

/** The instruction that a sentence gives, or undefined. Questions, guesses and reports are not instructions. */
function bidIn(sentence: string): string | undefined {
  if (sentence.includes('?') || sentence.length > LONGEST || sentence.split(/\s+/).length < 2)
    return undefined;
  if (NO_BAN.test(sentence)) return undefined;
  if (POINTING.test(sentence) && sentence.split(/\s+/).length <= SHORT) return undefined;
  if (BID.test(sentence) || MUST.test(sentence) || STANDING_END.test(sentence)) return sentence;
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
