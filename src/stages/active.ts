import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stepsOf } from '../pad/plan.ts';
import type { Message } from '../transcript/message.ts';
import { branchOf } from './branch.ts';
import { gapOf } from './gap.ts';
import { PRIORITY } from './priorities.ts';
import { quoted } from './quote.ts';
import type { SectionLine, Stage, StageContext } from './stage.ts';
import { subjectOf } from './subject.ts';
import { type Said, TOPIC_CHARACTERS, topicOf } from './topic.ts';
import { type TouchedFile, touchedFiles } from './touched.ts';

/** Longest list of files: what a person reads at a glance. */
const FILES_CHARACTERS = 120;
/** Of so many files the first that is there tells the repository. */
const FILES_LOOKED_FOR = 5;
/** A shorter gap is none: the talk is going on. */
const NO_GAP_MS = 10 * 60_000;

/** Active Context: what is being worked on, what was said last, with which files, and how long ago. */
export const activeStage: Stage = {
  id: 'context',
  title: 'Active Context',
  priority: PRIORITY.files,
  timeoutMs: 1000,
  run(context) {
    const { messages, facts, now } = context;
    const { work, last: said } = topicOf(messages, facts?.opening);
    const step = currentStep(context);
    const last = said ?? (step && work);
    const lines: SectionLine[] = [];
    const working = step ?? (work && workLine(context, work));
    if (working)
      lines.push({ ...working, text: `- Working on: ${working.text}`, priority: PRIORITY.workingOn });
    if (last) {
      lines.push({
        text: `- Last topic: ${quoted(last.text, TOPIC_CHARACTERS)}`,
        priority: PRIORITY.lastTopic,
        why: last.why,
      });
    }
    const touched = touchedLine(context);
    if (touched) lines.push(touched);
    const note = noteLine(context);
    if (note) lines.push(note);
    const gap = gapLine(messages, now);
    if (gap) lines.push(gap);
    return lines.length === 0 ? null : { lines };
  },
};

/**
 * The branch that the files at hand are on, or with no files that of where the agent works. A repository that has
 * nothing to do with them - the workspace may lie in one - is not named.
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
          const found = roots.map((root) => resolve(root, given)).find((file) => existsSync(file));
          return found === undefined ? [] : [dirname(found)];
        });
  for (const place of places) {
    const branch = branchOf(place);
    if (branch !== undefined) return branch;
  }
  return undefined;
}

/** The request, with the name of the project where it does not have it. */
function workLine(context: StageContext, { text, why }: Said): SectionLine {
  const said = quoted(text, TOPIC_CHARACTERS);
  const subject = subjectOf(context);
  if (!subject || text.toLowerCase().includes(subject.name.toLowerCase())) return { text: said, why };
  return { text: `${quoted(subject.name, 40)}: ${said}`, why: `${why}; ${subject.why}` };
}

function currentStep({ spaces }: StageContext): SectionLine | undefined {
  const steps = stepsOf(spaces.plan);
  const current = steps.find((step) => step.current) ?? steps.find((step) => !step.done);
  return (
    current && { text: quoted(current.text, TOPIC_CHARACTERS), why: `step ${current.number} of the plan` }
  );
}

function touchedLine(context: StageContext): SectionLine | undefined {
  const { workspace, messages, facts } = context;
  const files = touchedFiles(messages, [workspace, facts?.cwd]);
  const branch = branchAt(context, files);
  const on = branch === undefined ? '' : quoted(branch, 60);
  if (files.length === 0) {
    return on === '' ? undefined : { text: `- Branch: ${on}`, priority: PRIORITY.branch, why: '.git/HEAD' };
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
    why: `${files.length === 1 ? '1 file' : `${files.length} files`} in tool calls, ${edited} changed`,
  };
}

function noteLine({ latestNote: note, local }: StageContext): SectionLine | undefined {
  if (note === undefined) return undefined;
  const { about } = note;
  return {
    text: `- ${note.date === local.date ? "Today's" : "Yesterday's"} note: ${note.quote} (${note.path}:${note.line})`,
    priority: about ? PRIORITY.noteInQuestion : PRIORITY.lastNote,
    why: about ? 'the entry that shares most words with what was said' : 'the last entry',
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
