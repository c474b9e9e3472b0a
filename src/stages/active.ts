import { gitPlace } from '../base/git/place.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { spellGap } from '../base/text/strings.ts';
import { DAY } from '../memory/dates.ts';
import { stepsOf } from '../pad/steps.ts';
import { ownSentences } from '../transcript/hearing.ts';
import type { Message } from '../transcript/types.ts';
import { lastSpoken } from './clock.ts';
import { quoted, quotedFrom } from './quote.ts';
import { type BuiltInStage, PRIORITY, type SectionLine, type StageContext } from './stage.ts';
import { dailyNotesUntil } from './tasks.ts';

/** Longest list of files that a person reads at a glance. */
const FILES_CHARACTERS = 120;
const ENTRY_CHARACTERS = 140;
/** A shorter gap does not count: the conversation is continuing. */
const NO_GAP_MS = 10 * 60_000;

/** Active Context: the current work, the last topic, the files, and the time since. */
export const activeStage: BuiltInStage = {
  priority: PRIORITY.files,
  async run(context) {
    const { messages, now } = context;
    const branch = [context.facts?.cwd, context.workspace]
      .map((place) => place && gitPlace(place)?.branch)
      .find((found) => found !== undefined);
    const lines: SectionLine[] = [];
    const working = await workOf(context, branch);
    if (working) {
      const text = `Working on: ${working.text}`;
      lines.push({
        text: `- ${text}`,
        why: working.why,
        priority: PRIORITY.workingOn,
        step: working.text.replace(/…$/, ''),
        ...(working.recorded && { inject: { key: 'working-on', text, at: ['start', 'clear'] } }),
      });
    }
    const last = lastTopic(messages);
    if (last) {
      lines.push({
        text: `- Last topic: ${quoted(last.text, TOPIC_CHARACTERS)}`,
        priority: PRIORITY.lastTopic,
        why: last.why,
      });
    }
    const files = filesLine((await context.handover())?.state.edited ?? [], branch);
    if (files) lines.push(files);
    const note = noteLine(context);
    if (note) lines.push(note);
    const gap = gapLine(messages, now);
    if (gap) lines.push(gap);
    return lines.length === 0 ? null : { lines };
  },
};

interface Working {
  text: string;
  why: string;
  /** An open task of the host says so. Only this is shown to a model, which sees the plan space itself anyway. */
  recorded?: true;
}

/** Branches with names that say nothing about the work. */
const UNTELLING = /^(?:main|master|trunk|develop(?:ment)?|dev|release|HEAD|detached at .*)$/;

/**
 * The current work, if a record names it: the plan's current step, the task in progress, or
 * the branch. Nothing is extracted from what was said.
 */
async function workOf(context: StageContext, branch: string | undefined): Promise<Working | undefined> {
  const steps = stepsOf(context.spaces.plan);
  const step = steps.find((each) => each.current) ?? steps.find((each) => !each.done);
  if (step) {
    const text = quoted(step.text, TOPIC_CHARACTERS);
    return { text, why: `step ${step.number} of the plan` };
  }
  const task = (await context.handover())?.state.tasks.find(({ status }) => status === 'active');
  if (task !== undefined)
    return { text: quoted(task.text, TOPIC_CHARACTERS), why: "the host's task in progress", recorded: true };
  if (branch !== undefined && !UNTELLING.test(branch)) {
    return { text: `branch ${quoted(branch, 60)}`, why: 'the checked-out branch' };
  }
  return undefined;
}

/** The files that the session changed, the newest first, and the branch. */
function filesLine(edited: readonly string[], branch: string | undefined): SectionLine | undefined {
  const on = branch === undefined ? '' : quoted(branch, 60);
  if (edited.length === 0)
    return branch === undefined
      ? undefined
      : { text: `- Branch: ${on}`, priority: PRIORITY.branch, why: '.git/HEAD', branch };
  const shown: string[] = [];
  for (const path of edited) {
    if (shown.length > 0 && shown.join(', ').length + path.length > FILES_CHARACTERS) break;
    shown.push(quoted(path, FILES_CHARACTERS));
  }
  const more = edited.length > shown.length ? ` and ${edited.length - shown.length} more` : '';
  return {
    text: `- Files: ${shown.join(', ')}${more}${on === '' ? '' : ` (branch ${on})`}`,
    priority: PRIORITY.files,
    branch,
    why: 'changed in this session',
  };
}

/** The last entry of today's note, or else yesterday's: work from before midnight is still current. */
function noteLine({ workspace, clock, now, local, linesOf }: StageContext): SectionLine | undefined {
  const [path] = dailyNotesUntil(workspace, local.date);
  const day = [local.date, clock(now - DAY).date].findIndex((date) => path === `memory/${date}.md`);
  if (path === undefined || day < 0) return undefined;
  const lines = linesOf(path);
  const at = lines.findLastIndex((line) => line.trim() !== '' && !NOT_NEWS.test(line));
  if (at < 0) return undefined;
  const entry = (lines[at] ?? '').replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim();
  const quote = quotedFrom(lines, at + 1, at + 1, entry, ENTRY_CHARACTERS);
  return {
    text: `- ${day === 0 ? "Today's" : "Yesterday's"} note: ${quote} (${path}:${at + 1})`,
    priority: PRIORITY.lastNote,
    why: 'the last entry',
  };
}

/** Headings and the like; tasks belong to the alerts. */
const NOT_NEWS = /^\s*(?:#|---|<!--|```|[-*+]\s+\[[ xX]\])/;

/** How long the session was silent, and what that means for the next answer. */
function gapLine(messages: readonly Message[], now: number): SectionLine | undefined {
  const ms = now - (lastSpoken(messages, now) ?? now);
  if (ms < NO_GAP_MS) return undefined;
  // Then the earlier context cannot be assumed to be present.
  const isLong = ms >= DAY / 6;
  const meaning = !isLong
    ? 'short, no context resurrection needed'
    : ms < DAY
      ? 'pick up where it was left'
      : 'long: recall the state of things before going on';
  return {
    text: `- Session gap: ${spellGap(ms)} (${meaning})`,
    priority: isLong ? PRIORITY.longGap : PRIORITY.shortGap,
    why: `${spellGap(ms)} since the person spoke last`,
  };
}

/** Maximum length of a topic; whole sentences only. */
const TOPIC_CHARACTERS = 160;
const LONGEST_READ = 4000;
/** A go-ahead ("yes please") is shorter than this. */
const LEAST_WORDS = 4;

/**
 * The person's last meaningful words: whole sentences, nothing pasted or quoted. For readers of the file; a model
 * has already seen them.
 */
function lastTopic(messages: readonly Message[]): { text: string; why: string } | undefined {
  const human = messages.filter(({ role }) => role === 'user').reverse();
  for (const [later, { content }] of human.entries()) {
    // Redacted before anything is cut, because a secret is recognised by its context. A colon only introduces.
    const own = ownSentences(redactSecrets(content.slice(0, LONGEST_READ)));
    const said = own.filter((sentence) => !sentence.endsWith(':'));
    const isTelling = said.join(' ').split(/\s+/).length >= LEAST_WORDS;
    const text = isTelling ? whatFits(said) : '';
    if (text === '') continue;
    const why = later === 0 ? 'the last message of the person' : `said ${later} messages before the last`;
    return { text, why };
  }
  return undefined;
}

/** The first whole sentences, as far as they fit. */
function whatFits(sentences: readonly string[]): string {
  const fits = sentences.findIndex((_, at) => sentences.slice(0, at + 1).join(' ').length > TOPIC_CHARACTERS);
  return sentences.slice(0, fits < 0 ? undefined : fits).join(' ');
}
