import { dirname, join, resolve } from 'node:path';
import { exists } from '../base/fs/index.ts';
import { gitPlace } from '../base/git/place.ts';
import { stepsOf } from '../pad/steps.ts';
import type { Message } from '../transcript/types.ts';
import { gapOf } from './gap.ts';
import { PRIORITY } from './priorities.ts';
import { quoted } from './quote.ts';
import type { BuiltInStage, SectionLine, StageContext } from './stage.ts';
import { approvedTitle, lastTopic, TOPIC_CHARACTERS } from './topic.ts';
import { type TouchedFile, touchedFiles } from './touched.ts';

/** Longest list of files that a person reads at a glance. */
const FILES_CHARACTERS = 120;
/** The first existing one of this many files determines the repository. */
const FILES_LOOKED_FOR = 5;
/** A shorter gap does not count: the conversation is continuing. */
const NO_GAP_MS = 10 * 60_000;

/** Active Context: the current work, the last topic, the files, and the time since. */
export const activeStage: BuiltInStage = {
  priority: PRIORITY.files,
  async run(context) {
    const { messages, now } = context;
    const files = touchedFiles(messages, [context.workspace, context.facts?.cwd]);
    const branch = branchAt(context, files);
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
    const touched = touchedLine(files, branch);
    if (touched) lines.push(touched);
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
  /**
   * An open task of the host or an approved plan says so. Only this is shown to a model, which sees the plan space
   * itself anyway.
   */
  recorded?: true;
}

/** Branches with names that say nothing about the work. */
const UNTELLING = /^(?:main|master|trunk|develop(?:ment)?|dev|release|HEAD|detached at .*)$/;

/**
 * The current work, if a record names it: the plan's current step, the task in progress, the title of an approved
 * plan, or the branch. Nothing is extracted from what was said.
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
  const human = context.messages.filter(({ role }) => role === 'user');
  const plan = human.map(({ content }) => approvedTitle(content)).findLast((title) => title !== undefined);
  if (plan !== undefined)
    return {
      text: `plan "${quoted(plan, TOPIC_CHARACTERS)}"`,
      why: 'the approved plan',
      recorded: true,
    };
  if (branch !== undefined && !UNTELLING.test(branch)) {
    return { text: `branch ${quoted(branch, 60)}`, why: 'the checked-out branch' };
  }
  return undefined;
}

/**
 * The branch of the files in use, or without files that of the agent's directory. An unrelated repository, such as
 * one around the workspace, is not named.
 */
function branchAt(
  { workspace, facts, home }: StageContext,
  files: readonly TouchedFile[],
): string | undefined {
  const roots = [facts?.cwd, workspace].filter((root) => root !== undefined);
  const places =
    files.length === 0
      ? roots
      : files.slice(0, FILES_LOOKED_FOR).flatMap(({ path }) => {
          const given = home !== undefined && path.startsWith('~/') ? join(home, path.slice(2)) : path;
          const found = roots.map((root) => resolve(root, given)).find((file) => exists(file));
          return found === undefined ? [] : [dirname(found)];
        });
  for (const place of places) {
    const branch = gitPlace(place)?.branch;
    if (branch !== undefined) return branch;
  }
  return undefined;
}

function touchedLine(files: readonly TouchedFile[], branch: string | undefined): SectionLine | undefined {
  const on = branch === undefined ? '' : quoted(branch, 60);
  if (files.length === 0) {
    return on === ''
      ? undefined
      : { text: `- Branch: ${on}`, priority: PRIORITY.branch, why: '.git/HEAD', branch };
  }
  const shown: string[] = [];
  for (const { path } of files) {
    if (shown.length > 0 && shown.join(', ').length + path.length > FILES_CHARACTERS) break;
    shown.push(quoted(path, FILES_CHARACTERS));
  }
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : '';
  const edited = files.filter((file) => file.edited).length;
  return {
    text: `- Files: ${shown.join(', ')}${more}${on === '' ? '' : ` (branch ${on})`}`,
    priority: PRIORITY.files,
    branch,
    why: `${files.length === 1 ? '1 file' : `${files.length} files`} in tool calls, ${edited} changed`,
  };
}

function noteLine({ latestNote: note, local }: StageContext): SectionLine | undefined {
  if (note === undefined) return undefined;
  const { about } = note;
  return {
    text: `- ${note.date === local.date ? "Today's" : "Yesterday's"} note: ${note.quote} (${note.path}:${note.line})`,
    priority: about ? PRIORITY.noteInQuestion : PRIORITY.lastNote,
    why: about ? 'the entry that shares most words with the conversation' : 'the last entry',
  };
}

function gapLine(messages: readonly Message[], now: number): SectionLine | undefined {
  const gap = gapOf(messages, now);
  if (!gap || gap.ms < NO_GAP_MS) return undefined;
  return {
    text: `- Session gap: ${gap.spelt} (${gap.meaning})`,
    priority: gap.long ? PRIORITY.longGap : PRIORITY.shortGap,
    why: `${gap.spelt} since the person spoke last`,
  };
}
