import { DATA_DIR, PAD_FILE } from '../base/fs/index.ts';
import { embedText } from '../base/text/strings.ts';
import { parseRefs } from '../pad/budget.ts';
import { SPACE_NAMES, SPACE_TITLES, type SpaceName } from '../pad/markers.ts';
import { sortNotes } from '../pad/rules.ts';
import { findCurrentStep, parseSteps } from '../pad/steps.ts';
import type { Spaces } from '../session/journal.ts';
import { encodeFileName } from '../session/workspace.ts';
import { digestLine, hasSameWords, type Ledger, PAD_NAMES, type PadName, stripMarks } from './ledger.ts';

/** A plan of up to this many lines is shown in full when it changes, because its steps only make sense together. */
const SHORT_PLAN_LINES = 15;

export interface SpaceLines {
  space: SpaceName;
  heading: string;
  /** A rule of the notes may be several lines in one. */
  lines: string[];
  /** The pad that has all of it, from the workspace: a host's own file tool opens it. */
  file: string;
}

export interface SpacePart extends SpaceLines {
  pad: PadName;
  known: string[];
  whole: boolean;
}

export type ChangedBy = Partial<Record<`${PadName}:${SpaceName}`, string>>;

export interface PadSpaces {
  shared: Spaces;
  own: Spaces;
  /** Whether the shared plan is left out here, which does not count as a change to it. */
  planAside?: boolean;
  /** Whether they are withheld, and only look empty. */
  isWithheld?: boolean;
  /** Which plan the shared one is: each branch and session may have its own. */
  planId?: string;
  /** The remark in its heading: `left 16 h ago by an earlier session, 1 of 3 done`. */
  planFact?: string;
  /** The owner's branch, told where another plan was told before: `of main`. */
  planOwner?: string;
  isApart?: boolean;
  hasOwnText?: boolean;
}

function listLines(spaces: Spaces, name: SpaceName): string[] {
  if (spaces[name].trim() === '') return [];
  if (name === 'refs') return parseRefs(spaces.refs).map((ref) => `- ${ref}`);
  const text = spaces[name].trimEnd();
  return name === 'notes' ? sortNotes(text) : text.split('\n');
}

export const hasContent = (spaces: Spaces): boolean => SPACE_NAMES.some((name) => spaces[name].trim() !== '');

export const isEmpty = ({ shared, own }: Pick<PadSpaces, 'shared' | 'own'>): boolean =>
  !hasContent(shared) && !hasContent(own);

export function findChangedSpaces(ledger: Ledger, spaces: PadSpaces): { pad: PadName; space: SpaceName }[] {
  if (spaces.isWithheld) return [];

  return EVERY_SPACE.filter(({ pad, space }) => {
    if (spaces.planAside && pad === 'shared' && space === 'plan') return false;
    if (isDifferentPlan(ledger, spaces, pad, space)) return true;
    const earlierLines = ledger.spaces[pad][space]?.lines ?? [];
    const now = listLines(spaces[pad], space).map(digestLine);
    return now.length !== earlierLines.length || now.some((line, at) => line !== earlierLines[at]);
  });
}

/** Says whether the plan is not the one that the model was told: of another branch, or taken over. */
function isDifferentPlan(ledger: Ledger, { planId }: PadSpaces, pad: PadName, space: SpaceName): boolean {
  const { of } = ledger.spaces[pad][space] ?? {};
  return pad === 'shared' && space === 'plan' && of !== undefined && planId !== undefined && of !== planId;
}

/**
 * Collects the parts of the spaces to tell: everything if the model was never told a space, else its changes.
 *
 * @param session the host session's id, if commands can name it
 */
export function collectSpaceParts(
  ledger: Ledger,
  spaces: PadSpaces,
  changedBy: ChangedBy,
  session: string | undefined,
): SpacePart[] {
  const hasBoth = hasContent(spaces.own);
  return findChangedSpaces(ledger, spaces).flatMap(({ pad, space }): SpacePart[] => {
    const lines = listLines(spaces[pad], space);
    const isDifferent = isDifferentPlan(ledger, spaces, pad, space);
    const earlier = isDifferent ? undefined : ledger.spaces[pad][space];
    const title = `${hasBoth && pad === 'shared' ? 'Shared ' : ''}${SPACE_TITLES[space]}`;
    const part = { pad, space, known: lines, file: locatePad(pad, session), lines, whole: true };

    if (earlier === undefined) {
      const fact = pad === 'shared' && space === 'plan' && spaces.planFact ? `, ${spaces.planFact}` : '';
      const whose = isDifferent && spaces.planOwner !== undefined ? ` ${spaces.planOwner}` : '';
      return lines.length === 0 ? [] : [{ ...part, heading: `${title}${whose}${fact}` }];
    }

    const who = changedBy[`${pad}:${space}`];
    const changed = { ...part, heading: `${title}, changed${who === undefined ? '' : ` ${who}`}` };

    if (lines.length === 0) return [{ ...changed, lines: ['(now empty)'] }];

    const before = new Set(earlier.lines);
    const now = new Set(lines.map(digestLine));
    const added = lines.filter((line) => line.trim() !== '' && !before.has(digestLine(line)));
    const gone = earlier.lines.filter((line) => line !== BLANK && !now.has(line)).length;

    if (space === 'plan' && lines.length <= SHORT_PLAN_LINES && added.length + gone > 0) return [changed];

    const removed = gone === 0 ? [] : [`(${gone} ${gone === 1 ? 'line is' : 'lines are'} no longer there)`];

    return [{ ...changed, lines: [...added, ...removed], whole: false }];
  });
}

function locatePad(pad: PadName, session: string | undefined): string {
  const isOwn = pad === 'own' && session !== undefined;
  return isOwn ? `${DATA_DIR}/sessions/${encodeFileName(session)}/${PAD_FILE}` : PAD_FILE;
}

export type Recitation = { pad: PadName } & ({ plan: SpaceLines } | { step: string });

/** Repeats a plan that was said long ago: its current step in one line, or all of it. */
export function chooseRecitation(
  ledger: Ledger,
  spaces: PadSpaces,
  request: { session: string | undefined; talkTokens: number; recite: { step: number; plan: number } },
): Recitation | undefined {
  const { session, talkTokens, recite } = request;
  const pad: PadName = hasContent(spaces.own) && spaces.own.plan.trim() !== '' ? 'own' : 'shared';
  const earlierPlan = ledger.spaces[pad].plan;
  const steps = parseSteps(spaces[pad].plan);
  const current = findCurrentStep(steps);
  if (earlierPlan === undefined || current === undefined) return undefined;

  if (recite.plan > 0 && talkTokens - earlierPlan.position >= recite.plan) {
    const lines = listLines(spaces[pad], 'plan');
    return { pad, plan: { space: 'plan', heading: 'Plan (reminder)', lines, file: locatePad(pad, session) } };
  }
  if (recite.step === 0 || talkTokens - earlierPlan.stepPosition < recite.step) return undefined;

  const open = steps.filter(({ done }) => !done);
  return {
    pad,
    step: `Plan: step ${current.number} of ${steps.length}, "${embedText(current.text.trim())}"; ${open.length} open.`,
  };
}

/**
 * Records the changes of the agent's own call as known: a changed line with its words in the call's input or output
 * need not be said. Changes by others in the meantime remain to be said.
 *
 * @param call the input and the output of the call, as one text
 */
export function learnFromCall(ledger: Ledger, spaces: PadSpaces, call: string, now: number): void {
  const words = normalizeWords(call);
  for (const { pad, space } of findChangedSpaces(ledger, spaces)) {
    const earlier = ledger.spaces[pad][space];
    const before = earlier?.lines ?? [];
    const spaceLines = listLines(spaces[pad], space);
    const isMentioned = (line: string): boolean => {
      const bare = normalizeWords(stripMarks(line));
      return bare === '' || words.includes(bare);
    };
    // `plan done 1` moves the current marker to a step not named in the call.
    const isMarked = (line: string): boolean =>
      space === 'plan' &&
      words.includes('plan') &&
      before.some((each) => hasSameWords(each, digestLine(line)));
    const learned = spaceLines.filter(
      (line) => before.includes(digestLine(line)) || isMentioned(line) || isMarked(line),
    );

    // For a space that was never said, only a change that is entirely the agent's own counts.
    if (earlier === undefined && learned.length < spaceLines.length) continue;

    const lines = learned.map(digestLine);
    const of = space === 'plan' && pad === 'shared' ? spaces.planId : undefined;
    if (lines.join() !== earlier?.lines.join() || of !== earlier.of)
      ledger.spaces[pad][space] = { position: 0, stepPosition: 0, ...earlier, lines, at: now, of };
  }
}

/** Only letters and digits: quoting, escapes and line breaks of a shell command do not matter. */
const normalizeWords = (text: string): string =>
  text
    .replace(/\\[nrt]/g, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const BLANK = digestLine('');

const EVERY_SPACE = PAD_NAMES.flatMap((pad) => SPACE_NAMES.map((space) => ({ pad, space })));
