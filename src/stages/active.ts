import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { exists } from '../base/fs/index.ts';
import { gitPlace } from '../base/git/place.ts';
import { redactSecrets } from '../base/safety/index.ts';
import { stepsOf } from '../pad/steps.ts';
import { ownSentences } from '../transcript/hearing/own-words.ts';
import type { Message } from '../transcript/types.ts';
import { gapOf } from './clock.ts';
import { PRIORITY } from './priorities.ts';
import { quoted } from './quote.ts';
import type { BuiltInStage, SectionLine, StageContext } from './stage.ts';

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

/** The topic and its source. */
export interface Said {
  text: string;
  /** For `--explain`. */
  why: string;
}

/** Maximum length of a topic; whole sentences only. */
export const TOPIC_CHARACTERS = 160;
/** How much of a message is read. */
const LONGEST_READ = 4000;
/** A go-ahead ("yes please") is shorter than this. */
const LEAST_WORDS = 4;
/** A host writes this before an approved plan. */
const APPROVED = /^Implement the following plan:\s+(?:[\s\S]*?\n)??#\s+(.+)$/m;
/** Refers to something outside the sentence, so the sentence alone says nothing. */
const POINTING =
  /^(?:and |but |so |no,? |yes,? |ok(?:ay)?,? )?(?:it|this|that|they|these|those|he|she|the same)\b/i;
/**
 * The person's last meaningful words: whole sentences, nothing pasted or quoted. For readers of the file; a model
 * has already seen them.
 */
export function lastTopic(messages: readonly Message[]): Said | undefined {
  const human = messages.filter(({ role }) => role === 'user');
  for (let at = human.length - 1; at >= 0; at -= 1) {
    const content = human[at]?.content ?? '';
    const title = approvedTitle(content);
    const sentences = title === undefined ? topicSentences(content) : [title];
    if (sentences.join(' ').split(/\s+/).length < LEAST_WORDS && title === undefined) continue;
    const text = whatFits(sentences);
    if (text === undefined) continue;
    const later = human.length - 1 - at;
    return {
      text,
      why: later === 0 ? 'the last message of the person' : `said ${later} messages before the last`,
    };
  }
  return undefined;
}

/** The title of a plan that a host put into a prompt once it was approved. */
export function approvedTitle(content: string): string | undefined {
  if (!content.startsWith('Implement the following plan:')) return undefined;
  return APPROVED.exec(content.slice(0, LONGEST_READ))?.[1]?.trim();
}

/** The sentences that a person wrote, without secrets and without those that only introduce what follows. */
function topicSentences(content: string): string[] {
  // Redacted before anything is cut, because a secret is recognised by its context.
  return ownSentences(redactSecrets(content.slice(0, LONGEST_READ))).filter(
    (sentence) => !sentence.endsWith(':'),
  );
}

/** The question or the first whole sentences, as far as they fit. */
function whatFits(sentences: readonly string[]): string | undefined {
  const question = sentences.findLast((sentence) => sentence.endsWith('?') && !POINTING.test(sentence));
  let text = '';
  for (const sentence of sentences) {
    const longer = text === '' ? sentence : `${text} ${sentence}`;
    if (longer.length > TOPIC_CHARACTERS) break;
    text = longer;
  }
  if (question !== undefined && question.length <= TOPIC_CHARACTERS && !text.includes(question))
    return question;
  return text === '' ? undefined : text;
}

/** A file that a tool was asked to read, run or change. */
export interface TouchedFile {
  /** Relative to the workspace or the session's directory if it is in one of them. */
  path: string;
  edited: boolean;
}

/** How much of calls and patches is read: the path comes before the content. */
const CALL_READ = 4000;
const PATH_MEMBER =
  /"(?:file_path|filePath|path|filename|file|absolute_path|notebook_path|target_file)"\s*:\s*"((?:[^"\\]|\\.){1,400})"/g;
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$|^\+\+\+ b\/(.{1,400})$/gm;
/** A path in a command line: it has a folder and an extension, and is not an option, a URL or a device. */
const IN_COMMAND =
  /(?<=^|[\s"'=])(?:~|\.{1,2})?\/?(?:[\w.@+-]+\/)+[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}(?=$|[\s"';:,)])/g;
const EDITS = /edit|write|patch|replace|create|insert|delete|remove|rename/i;
const NOT_WORK = /(?:^|\/)(?:node_modules|\.git|dist|proc|dev|tmp)\//;

/**
 * The files that the tool calls of a window name, the newest first, those that were changed before those that were
 * read. Results are ignored, because a listing names hundreds.
 *
 * @param roots the workspace, then the directory the session ran in
 */
export function touchedFiles(
  messages: readonly Message[],
  roots: readonly (string | undefined)[],
): TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  for (const { role, content, tool = '' } of messages.toReversed()) {
    if (role !== 'tool') continue;
    for (const [path, edited] of namedIn(content.slice(0, CALL_READ), tool)) {
      const shown = shorten(path, roots);
      if (shown === '' || NOT_WORK.test(`/${shown}`)) continue;
      const known = files.get(shown);
      if (known) known.edited ||= edited;
      else files.set(shown, { path: shown, edited });
    }
  }
  const all = [...files.values()];
  return [...all.filter(({ edited }) => edited), ...all.filter(({ edited }) => !edited)];
}

function namedIn(content: string, tool: string): [path: string, edited: boolean][] {
  const patched = [...content.replace(/\\n/g, '\n').matchAll(PATCHED)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  if (patched.length > 0) return patched.map((path) => [path.replace(/["\\].*$/, ''), true]);
  // A call's input is JSON; a tool's result rarely is.
  if (!content.startsWith('{')) return [];
  const members = [...content.matchAll(PATH_MEMBER)].map((match) => match[1] ?? '');
  const edits = EDITS.test(tool);
  if (members.length > 0) return members.filter(isFile).map((path) => [path, edits]);
  if (!/"(?:command|cmd)"/.test(content)) return [];
  const written = /\bsed -i|(?:^|[^>])>{1,2}\s|\btee\b|\bpatch\b/.test(content);
  return [...content.matchAll(IN_COMMAND)].map((match) => [match[0], written]);
}

/** A folder is where something was searched, not a file that was worked on. */
function isFile(path: string): boolean {
  return /\.[A-Za-z]\w{0,9}$|\/?[A-Z]\w+file$/.test(path);
}

function shorten(path: string, roots: readonly (string | undefined)[]): string {
  const plain = path.replaceAll('\\\\', '/').replace(/^\.\//, '');
  if (!isAbsolute(plain)) return plain;
  for (const root of roots) {
    const inside = root === undefined ? '..' : relative(root, plain);
    if (inside !== '' && !inside.startsWith('..')) return inside;
  }
  return plain.replace(/^\/(?:home|Users)\/[^/]+\//, '~/');
}
