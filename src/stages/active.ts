import { stepsOf } from '../pad/plan.ts';
import { redactSecrets } from '../safety/redact.ts';
import type { Message } from '../transcript/message.ts';
import { quoted } from './quote.ts';
import type { SectionLine, Stage, StageContext } from './stage.ts';

const TOPIC_CHARACTERS = 120;
/** Of a pasted log the beginning tells what it is about. */
const LONGEST_HEARD = 4000;
const DAY_MS = 86_400_000;
/** Id of the message that is being answered: the gap is what lies before it. */
export const PROMPT_IN_HAND = 'prompt-in-hand';

/** Active Context: what is being worked on, what was said last, and how long ago. */
export const activeStage: Stage = {
  id: 'context',
  title: 'Active Context',
  priority: 70,
  timeoutMs: 1000,
  run(context) {
    const lines: SectionLine[] = [];
    const human = context.messages.filter((message) => message.role === 'user');
    const work = workingOn(context, human);
    if (work) lines.push({ ...work, text: `- Working on: ${work.text}`, priority: 85 });
    const last = human.findLast((message) => wordsIn(message.content) >= 3);
    const topic = last && gist(last.content);
    if (topic && topic !== work?.text) {
      lines.push({
        text: `- Last topic: ${topic}`,
        why: 'the last message of the person that says something',
      });
    }
    const note = context.latestNote;
    if (note) {
      lines.push({
        text: `- Latest note: ${note.quote} (${note.path}:${note.line})`,
        priority: 40,
        why: 'last entry of the newest daily note',
      });
    }
    const gap = gapLine(human, context.now);
    if (gap) lines.push(gap);
    return lines.length === 0 ? null : { lines };
  },
};

function workingOn({ spaces, messages }: StageContext, human: readonly Message[]): SectionLine | undefined {
  const steps = stepsOf(spaces.plan);
  const current = steps.find((step) => step.current) ?? steps.find((step) => !step.done);
  if (current)
    return { text: quoted(current.text, TOPIC_CHARACTERS), why: `step ${current.number} of the plan` };
  return mostSpokenOf(messages, human);
}

/** Without a plan: what the person wrote that shares most words with the rest of the window. */
function mostSpokenOf(messages: readonly Message[], human: readonly Message[]): SectionLine | undefined {
  const heard = new Map<string, number>();
  for (const message of messages) {
    for (const word of contentWords(message.content.slice(0, LONGEST_HEARD)))
      heard.set(word, (heard.get(word) ?? 0) + 1);
  }
  let best: { text: string; score: number } | undefined;
  for (const message of human) {
    const text = gist(message.content);
    const words = contentWords(text);
    const score = [...words].filter((word) => (heard.get(word) ?? 0) >= 3).length;
    if (words.size >= 3 && score > (best?.score ?? 0)) best = { text, score };
  }
  // A short window repeats nothing yet: then the first full request is what it is about.
  const first = human.find((message) => wordsIn(message.content) >= 5);
  const text = best?.text ?? (first && gist(first.content));
  return text
    ? {
        text,
        why: best ? `shares ${best.score} words with the rest of the window` : 'the first full request',
      }
    : undefined;
}

function contentWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\d][\p{L}\d.-]{3,}/gu) ?? []);
}

/** The first sentence of what a person wrote, without pasted code and logs. */
function gist(content: string): string {
  // Redacted before anything is cut: a secret is known by what stands around it.
  const prose = redactSecrets(content.slice(0, LONGEST_HEARD))
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .split('\n')
    .filter((line) => !/^(?:\s{4,}|\t|>|\s*[{}[\]]|\s*at )/.test(line))
    .join(' ')
    .trim();
  const sentence = /^.{15,}?[.!?…](?=\s|$)/s.exec(prose)?.[0] ?? prose;
  return quoted(sentence.replace(/[\s.]+$/, ''), TOPIC_CHARACTERS);
}

function gapLine(human: readonly Message[], now: number): SectionLine | undefined {
  const before = human.findLast(({ id }) => id !== PROMPT_IN_HAND);
  const at = Date.parse(before?.timestamp ?? '');
  if (Number.isNaN(at) || now < at) return undefined;
  const gap = now - at;
  const meaning =
    gap < 4 * 3_600_000
      ? 'short, no context resurrection needed'
      : gap < DAY_MS
        ? 'pick up where it was left'
        : 'long: recall the state of things before going on';
  return { text: `- Session gap: ${spellGap(gap)} (${meaning})`, priority: gap < 4 * 3_600_000 ? 50 : 78 };
}

function spellGap(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)}h`;
  return `${Math.round(minutes / 1440)} days`;
}

function wordsIn(text: string): number {
  return text.trim().split(/\s+/).length;
}
