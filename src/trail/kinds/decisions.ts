import { ownSentences } from '../../hearing/own-words.ts';
import { listIn, picked, picksIn } from '../../hearing/pointing.ts';
import { questionIn } from '../../hearing/question.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';

export interface Decision extends Mark {
  about: string;
  text: string;
}

export interface Decisions {
  kept: Decision[];
  /** The last list that the agent showed to the person. */
  last: Offered;
  /** The last one with items called options or approaches. */
  options: Offered;
}

/** A list that the agent showed to the person, and its turn. */
interface Offered {
  items: { label: string; text: string }[];
  turn: number;
  /** Whether it was presented as a choice. */
  asked: boolean;
}

const MOST = 20;
/** An answer that leaves the question open. */
const UNDECIDED =
  /^(?:(?:i'?m )?not sure|no idea|(?:i )?don'?t know|maybe|up to you|you (?:decide|choose)|whatever)\b/i;
/** A longer message does more than choose. */
const LONGEST_PICK = 160;

/** The person's decisions: answers to the agent's questions, and choices of numbered options. */
export const decisions: Extractor<Decisions> = {
  kind: 'decision',
  initial: () => ({ kept: [], last: nothing(), options: nothing() }),
  observe(step, state, course) {
    if (step.type === 'agent') {
      const found = listIn(step.text);
      if (found.length < 2) return;
      const items = found.map(({ label, text }) => ({ label, text: keep(text, 160) }));
      const named = found.some((item) => item.named === true);
      state.last = { items, turn: course.turn, asked: named || questionIn(step.text) !== undefined };
      if (named) state.options = state.last;
    } else if (step.type === 'said' && step.answers !== undefined) {
      for (const { question, answer } of step.answers) {
        // An answer that is a question decides nothing.
        if (answer.includes('?')) continue;
        put(state, {
          about: keep(question, 100),
          text: keep(`${question} — ${keep(answer, 90)}`),
          ...placeOf(step),
        });
      }
    } else if (step.type === 'said') {
      const { last } = state;
      const given = last.asked && course.turn - last.turn <= 1 ? answersTo(last.items, step.text) : [];
      for (const { item, answer } of given)
        put(state, { about: item.text, text: keep(`${item.text} — ${answer}`), ...placeOf(step) });
      const said = ownSentences(step.text).join(' ');
      if (given.length > 0 || said.length > LONGEST_PICK || said.includes('?')) return;
      for (const { label, text } of pickedFrom(state, said, course.turn, 1)) {
        put(state, { about: text, text: keep(`picked ${label.toUpperCase()}: ${text}`), ...placeOf(step) });
      }
    }
  },
  facts: ({ kept }) =>
    kept.toReversed().map((decision) => ({
      key: decision.about,
      text: decision.text,
      why: "the person's answer",
      ...markOf(decision),
    })),
};

/**
 * The items that a message picks: from the last list of options if it says "option", else from the last list. A list
 * that was not presented as a choice does not count.
 *
 * @param within turns after which a list no longer counts
 */
function pickedFrom(
  { last, options }: Pick<Decisions, 'last' | 'options'>,
  said: string,
  turn: number,
  within: number,
): Offered['items'] {
  return picksIn(said).flatMap((pick) => {
    const meant =
      pick.named && options.items.length > 0 && turn - options.turn <= within + 2 ? options : last;
    if (!meant.asked || (meant === last && turn - last.turn > within)) return [];
    return picked([pick], meant.items);
  });
}

const nothing = (): Offered => ({ items: [], turn: 0, asked: false });

function put(state: Decisions, decision: Decision): void {
  state.kept = [...state.kept.filter(({ about }) => about !== decision.about), decision].slice(-MOST);
}

/** Separate answers to numbered questions: "1. yes 2. leftmost". */
function answersTo(
  list: Offered['items'],
  text: string,
): { item: Offered['items'][number]; answer: string }[] {
  const parts = [
    ...text.slice(0, 1000).matchAll(/(?:^|[\n,;]|\s)(\d)[.)]\s+([\s\S]*?)(?=(?:[\n,;]|\s)\d[.)]\s|$)/g),
  ];
  if (parts.length < 2 || parts[0]?.[1] !== '1') return [];
  return parts.flatMap(([, label, answer = '']) => {
    const item = list.find((one) => one.label === label);
    if (item === undefined || !item.text.includes('?') || answer.includes('?') || UNDECIDED.test(answer))
      return [];
    return [{ item, answer: keep(answer.replace(/[,;]\s*$/, ''), 90) }];
  });
}
