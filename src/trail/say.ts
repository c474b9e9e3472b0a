import { atPrompt } from './at-prompt.ts';
import { forbidsSomething } from './bans.ts';
import { type Fact, type Kind, openFacts } from './fact.ts';
import { isNamed, names } from './known.ts';
import { mayRun } from './last.ts';
import { checkLine, type TrailLine, titleOf } from './line.ts';
import { type Item, packed, rankedItems } from './rank.ts';
import type { Trail } from './trail.ts';

/** The host event for which the trail chooses its lines. */
export type TrailEvent = 'start' | 'clear' | 'compact' | 'resume' | 'prompt' | 'subagent';

export interface SayOptions {
  event: TrailEvent;
  /** Maximum tokens, counted as a quarter of the characters. */
  budgetTokens: number;
  /** More tokens for the person's instructions alone, which nobody can look up. */
  instructionTokens?: number;
  /** After a compaction: the host's summary. Read from the transcript unless given; `null` if that is impossible. */
  summary?: string | null;
  /** The current prompt, or the task of a subagent. */
  prompt?: string;
  /** At a prompt: the lines before it in the same text. */
  already?: string;
}

/** Facts older than this are not said at a start. */
const OLDEST_MS = 3 * 86_400_000;
/** Commands with a lower score are left out. */
const LEAST_COMMAND = -4;
/** After a compaction only recent or frequent items are worth adding to the host's summary. */
const LEAST_AFTER_COMPACTION = -2;
/** Share of a budget reserved for the list of files and commands. */
const LIST_SHARE = 0.7;
const SHARE_AFTER_COMPACTION = 0.35;

/**
 * The lines worth saying at an event, most important first, within the budget, if any. They are plain text from a
 * session: the caller must make them safe.
 */
export function trailFor(whole: Trail, options: SayOptions): TrailLine[] {
  if (whole.from === 'nothing') return [];
  const lately = STARTS.has(options.event) ? recent(whole) : whole;
  const isBeside = whole.from === 'last session' && options.event === 'start' && mayRun(whole, whole.now);
  const trail = isBeside ? forParallel(lately) : lately;
  if (options.event === 'prompt') return within(atPrompt(trail, options), options.budgetTokens);
  if (options.event === 'resume') return [];
  if (options.event === 'subagent') return forSubagent(trail, options);
  const known = knownText(trail, options);
  const topics = topicsOf(trail, known, options.event);
  const checked = topics.find(({ kind }) => kind === 'check')?.facts[0]?.text ?? '';
  const items = rankedItems(trail).filter(
    (item) =>
      (options.event !== 'compact' || item.score >= LEAST_AFTER_COMPACTION) &&
      isWanted(trail, item) &&
      !names(known, item) &&
      !names(options.prompt ?? '', item) &&
      // What the check names is not listed twice, but an uncommitted file is.
      (item.open || !names(checked, item)),
  );
  return fitted(topics, items, options, options.event === 'compact' ? SHARE_AFTER_COMPACTION : LIST_SHARE);
}

const STARTS: ReadonlySet<TrailEvent> = new Set(['start', 'clear']);

/** The trail without facts too old for a start; permanent instructions are never too old. */
function recent(trail: Trail): Trail {
  const since = trail.now - OLDEST_MS;
  return {
    ...trail,
    facts: trail.facts.filter(
      ({ standing, until, time }) =>
        standing === true ||
        until !== undefined ||
        (time === undefined ? (trail.updated ?? 0) : Date.parse(time)) >= since,
    ),
  };
}

/** What helps an agent beside one that may still be at work: what that one does, not what it is waiting for. */
function forParallel(trail: Trail): Trail {
  const helps = ({ kind, text, standing }: Fact): boolean =>
    kind === 'instruction' ? standing === true && forbidsSomething(text) : BESIDE.has(kind);
  return { ...trail, facts: trail.facts.filter(helps) };
}

const BESIDE: ReadonlySet<Kind> = new Set([
  'recap',
  'title',
  'check',
  'failing',
  'edited',
  'file',
  'command',
]);

/** The window's content besides our text. */
function knownText(trail: Trail, { event, summary = trail.fold.course.summary }: SayOptions): string {
  return event === 'compact' ? (summary ?? '') : '';
}

/** The line for a kind, with as many facts as fit. */
interface Topic {
  kind: Kind;
  title: string;
  facts: readonly Fact[];
  /** Most facts in one line. */
  most: number;
  /** Whether it comes before everything else. */
  first: boolean;
}

const TOPICS: readonly Omit<Topic, 'facts' | 'first'>[] = [
  { kind: 'recap', title: 'Recap', most: 1 },
  { kind: 'title', title: 'About', most: 1 },
  { kind: 'task', title: 'Open tasks', most: 4 },
  { kind: 'question', title: 'You asked, not answered', most: 1 },
  { kind: 'check', title: 'Last check', most: 1 },
  { kind: 'failing', title: 'Still failing', most: 4 },
  { kind: 'interrupted', title: 'Interrupted', most: 1 },
  { kind: 'rejected', title: 'Turned down', most: 2 },
  { kind: 'instruction', title: 'The person said', most: 6 },
  { kind: 'decision', title: 'Decided', most: 2 },
  { kind: 'plan', title: 'Approved plan', most: 1 },
];

/** After a compaction these come first: a summary loses them, and nobody can look them up. */
const IRREPLACEABLE: ReadonlySet<Kind> = new Set(['question', 'failing', 'instruction']);

/** The topics with facts that a text does not already contain, most important first. */
function topicsOf(trail: Trail, known: string, event: TrailEvent): Topic[] {
  return TOPICS.map((topic) => ({ ...topic, first: event === 'compact' && IRREPLACEABLE.has(topic.kind) }))
    .sort((a, b) => Number(b.first) - Number(a.first))
    .flatMap((topic) => {
      // The host's summary of a compaction says what the session is about.
      if (event === 'compact' && (topic.kind === 'recap' || topic.kind === 'title')) return [];
      const open = openFacts(trail.facts, topic.kind);
      const facts = topic.kind === 'instruction' ? byWeight(open) : open;
      return facts.length === 0 || facts.every((fact) => isNamed(fact, known)) ? [] : [{ ...topic, facts }];
    });
}

/** Bans on something in particular first, then permanent rules, and remarks on style last; the newest of each first. */
function byWeight(instructions: readonly Fact[]): Fact[] {
  const weight = ({ text, standing, until }: Fact): number => {
    if (STYLE.test(text)) return 3;
    if (forbidsSomething(text)) return 0;
    return standing === true || until !== undefined ? 1 : 2;
  };
  return instructions.toSorted((a, b) => weight(a) - weight(b));
}

const STYLE =
  /\b(?:comments?|docstrings?|emojis?|tone|answers?|reply|replies|responses?|summar\w+|explanations?|explain|verbose|short(?:er)?|brief(?:ly)?|concise|tabs?|indent\w*|formatt?\w*|style|wording|bullets?|markdown|apologi\w+|sorry|polite\w*)\b/i;

/** The line of a topic with so many of its facts. */
function lineOf({ kind, title, facts }: Topic, count: number): TrailLine {
  const left = facts.length - count;
  const where = kind === 'instruction' ? ': `scratchpad trail`' : '';
  const more = left > 0 ? ` (+${left} more${where})` : '';
  const text = `${titleOf(title, facts[0])}: ${facts
    .slice(0, count)
    .map((fact) => fact.text)
    .join('; ')}${more}`;
  return { key: `trail:${kind}`, kind, text, why: facts[0]?.why ?? '' };
}

/** Reserves the list's share of the budget, except from what comes before everything; the rest goes to the lines in order. */
function fitted(
  topics: readonly Topic[],
  items: readonly Item[],
  { budgetTokens, instructionTokens = 0 }: SayOptions,
  share: number,
): TrailLine[] {
  const most = budgetTokens * 4;
  const list = packed(items, (characters) => characters <= most);
  const listNeeds = Math.min(costOf(list), most * share);
  let left = most;
  const said: TrailLine[] = [];
  for (const topic of topics) {
    const extra = topic.kind === 'instruction' ? instructionTokens * 4 : 0;
    const room = left + extra - (topic.first ? 0 : listNeeds);
    for (let count = Math.min(topic.most, topic.facts.length); count > 0; count -= 1) {
      const line = lineOf(topic, count);
      if (line.text.length + 3 > room) continue;
      said.push(line);
      left -= Math.max(0, line.text.length + 3 - extra);
      break;
    }
  }
  const { files, commands } = packed(items, (characters) => characters <= left);
  if (files !== '')
    said.push({
      key: 'trail:file',
      text: files,
      kind: 'file',
      why: 'by recency, number of uses and mention',
    });
  for (const text of commands)
    said.push({ key: 'trail:command', text, kind: 'command', why: 'by recency and number of uses' });
  return said;
}

function costOf({ files, commands }: { files: string; commands: string[] }): number {
  return files.length + commands.reduce((sum, line) => sum + line.length + 3, 0);
}

/** Plain git commands and long commands that ran once are not useful. */
function isWanted(trail: Trail, item: Item): boolean {
  if (item.kind === 'command' && (item.score < LEAST_COMMAND || /^(?:git|gh)\b/.test(item.value)))
    return false;
  return trail.facts.some(
    (fact) =>
      fact.kind === item.kind && (fact.text === item.value || fact.text.startsWith(`${item.value} (lines`)),
  );
}

/** Facts of the parent's session about files named in a subagent's task. */
function forSubagent(trail: Trail, { prompt = '', budgetTokens }: SayOptions): TrailLine[] {
  const named = rankedItems(trail).filter((item) => item.kind === 'file' && names(prompt, item));
  const said: TrailLine[] = [];
  const { files } = packed(named, (characters) => characters <= budgetTokens * 4);
  if (files !== '' && named.some((item) => item.open))
    said.push({ key: 'trail:file', kind: 'file', text: files, why: 'named in the task' });
  const [check] = openFacts(trail.facts, 'check');
  if (said.length > 0 && check !== undefined) said.push(checkLine(check));
  return within(said, budgetTokens);
}

function within(lines: readonly TrailLine[], budgetTokens: number): TrailLine[] {
  let left = budgetTokens * 4;
  return lines.filter(({ text }) => {
    left -= text.length + 3;
    return left >= 0;
  });
}
