import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { usageError } from '../base/errors.ts';
import { exists, isInside, resolvePlace } from '../base/fs/index.ts';
import type { Pad } from '../core/context.ts';
import { summarizeOtherPlans } from '../core/scope.ts';
import { type Outcome, openRefsSpace, openTextSpace } from '../core/spaces.ts';
import { describeUsage, measureUsage, parseRefs } from '../pad/budget.ts';
import type { SpaceName } from '../pad/markers.ts';
import { findCurrentStep, parseSteps } from '../pad/steps.ts';
import type { VisiblePlan } from '../session/plans.ts';
import {
  type Arguments,
  type CommandDefinition,
  defineCommand,
  type NamedOptions,
  type Takes,
} from './command.ts';
import { type Invocation, isNumber, parseNumber, readReplacement, readTextArgument } from './invocation.ts';
import { openKnown, openSession, readInStep } from './open.ts';
import { renderColumns } from './print.ts';

interface Verb<Space, T extends Takes> extends NamedOptions {
  takes?: T;
  act: (space: Space, given: Arguments<T>, call: Invocation) => Promise<Outcome>;
}

export const declareVerbs =
  <Space>(spaceIn: (pad: Pad) => Space) =>
  // biome-ignore lint/complexity/noBannedTypes: a verb that takes nothing.
  <const T extends Takes = {}>({ act, ...verb }: Verb<Space, T>): CommandDefinition =>
    defineCommand({
      ...verb,
      run: async (call, given: Arguments<T>) => {
        const { pad, tellStart } = await openSession(call);
        const outcome = await act(spaceIn(pad), given, call);
        tellStart();
        report(call, outcome);
      },
    });

const inNotes = declareVerbs((pad) => openTextSpace(pad, 'notes'));
const inRefs = declareVerbs((pad) => ({
  ...openRefsSpace(pad),
  /** The same ref with the path of a file from the workspace, where it was typed in a folder below. */
  locate: (ref: string): string => locateRef(ref, pad),
  isMissing: (ref: string): boolean => FILE_REF.test(ref) && !exists(resolve(pad.root, ref)),
}));
/** Surely the path of a file; a name with a dot may be anything. */
const FILE_REF = /^[\w.@~-]*(?:\/[\w.@~-]+)+\.[a-z]\w{0,4}$/i;

function locateRef(ref: string, { root, cwd = root }: Pad): string {
  const path = /^[^\s:#]+/.exec(ref)?.[0] ?? '';
  if (path === '' || isAbsolute(path) || exists(join(root, path)) || !exists(join(cwd, path))) return ref;

  const place = resolvePlace(join(cwd, path));
  const top = resolvePlace(root);

  return isInside(top, place) ? relative(top, place).replaceAll(sep, '/') + ref.slice(path.length) : ref;
}

export function report(call: Invocation, outcome: Outcome): void {
  // A change that was not made as it was asked for is said even to a script.
  call.warn(outcome.warnings, 'always');
  const emptied = outcome.changed && outcome.used === 0;
  const back = emptied && 'take it back with: scratchpad undo';
  call.done(outcome, [outcome.message, describeUsage(outcome), back]);
}

export const NO_PAD = 'there is no scratchpad here; create one with: scratchpad init';

export const declareShow = (space: SpaceName, about: string, numbers: string): CommandDefinition =>
  defineCommand({
    about,
    also: ['list', 'ls'],
    usual: true,
    takes: { '--numbers': numbers },
    run: (call, given) => showSpace(call, space, given.numbers),
  });

export async function showSpace(call: Invocation, space: SpaceName, numbers = false): Promise<void> {
  const { pad, workspace } = await openKnown(call);
  const { spaces, notices, seen, isWithheld } = await readInStep(pad);
  call.warn(notices);
  if (space === 'plan') tellOthers(call, seen);
  const content = spaces[space];
  const empty = isWithheld ? `${space} is withheld until the person approves it` : `${space} is empty`;
  const where = workspace.named ? ` in ${workspace.root}` : '';
  if (!workspace.exists)
    call.warn([NO_PAD.replace(' here', where || ' here')], call.options.json ? 'always' : undefined);
  else if (content === '') call.note(empty);
  const items = space === 'refs' ? parseRefs(content) : undefined;
  const lines = items ?? content.split('\n');
  call.exact(
    {
      ...measureUsage(space, content, pad.config.limits),
      ...(items ? { items } : { content }),
      ...(space === 'plan' ? { steps: listSteps(content) } : {}),
    },
    (numbers && content !== '' ? renderColumns(numberLines(space, lines), [0]) : lines).join('\n'),
  );
}

export function tellOthers(call: Invocation, seen: VisiblePlan | undefined): void {
  if (seen?.origin !== undefined) call.note(`this plan was made on ${seen.origin}`);
  const beside = seen && summarizeOtherPlans(seen);
  if (beside) call.note(`other open plans: ${beside}; scratchpad plan take N makes one the plan here`);
}

function listSteps(plan: string) {
  const steps = parseSteps(plan);
  const next = findCurrentStep(steps)?.number;
  return steps.map(({ number, text, done }) => {
    return { number, text: text.trim(), done, current: number === next && !done };
  });
}

/** Lines with the numbers that the commands take: of the steps of a plan, else of the lines. */
function numberLines(space: SpaceName, lines: readonly string[]): string[][] {
  const steps = space === 'plan' ? parseSteps(lines.join('\n')) : [];
  const numbers = new Map(steps.map(({ line, number }) => [line, String(number)]));
  return lines.map((line, k) => [steps.length > 0 ? (numbers.get(k) ?? '') : String(k + 1), line]);
}

const FILE = { '-f, --file <path>': 'read the text from a file' };
export const TEXT = { '[text]': 'the text, or - to read it from stdin', ...FILE };
export const TEXTS = { '[text...]': 'the text, or - to read it from stdin', ...FILE };

/** Words that the shell has split are one text. */
export const joinWords = (texts: readonly string[], asLines = false): string | undefined =>
  texts.length === 0 ? undefined : texts.join(asLines ? '\n' : ' ');

export const REMOVE = ['delete', 'rm', 'del'];

export const notes: CommandDefinition = {
  examples: [
    'scratchpad notes',
    'scratchpad note "Build fails only on arm64"   # the same as: scratchpad notes add',
  ],
  verbs: {
    show: declareShow('notes', 'print the notes', 'number the lines'),
    add: inNotes({
      about: 'add a line, or import a file; refused if too long',
      also: ['append'],
      takes: TEXTS,
      examples: ['scratchpad notes add "Root cause: timezone mismatch in token expiry"'],
      act: (space, { text: words, file }, call) => {
        const text = readTextArgument(joinWords(words), file, call);
        if (text.trim() !== '') return space.append(text);
        throw usageError('the text is empty: nothing was changed', { expected: 'the text to add' });
      },
    }),
    set: inNotes({
      about: 'replace the notes; text over the limit is cut, with a warning',
      takes: TEXT,
      act: (space, { text, file }, call) => space.set(readReplacement('notes', text, file, call)),
    }),
    edit: inNotes({
      about: 'change the text of a line',
      takes: { '<line>': 'its number', ...TEXT },
      examples: ['scratchpad notes edit 3 "port 9090"'],
      act: (space, { line, text, file }, call) =>
        space.editLine(parseNumber(line, 'the number of a line'), readTextArgument(text, file, call)),
    }),
    replace: inNotes({
      about: 'replace a text that occurs exactly once',
      takes: {
        '<find>': 'the text as it is in the notes',
        '<with>': 'the new text',
        '--all': 'replace every match',
      },
      examples: ['scratchpad notes replace "port 8080" "port 9090"'],
      act: (space, { find, with: by, all }) => space.replace(find, by, { all }),
    }),
    remove: inNotes({
      about: 'remove lines by number, or the one line that holds a text',
      also: REMOVE,
      takes: { '<lines...>': 'their numbers, or a text that only one line holds' },
      examples: ['scratchpad notes remove 3', 'scratchpad notes remove "port 8080"'],
      act: (space, { lines }) =>
        space.removeLines(...(lines.every(isNumber) ? lines.map(Number) : [lines.join(' ')])),
    }),
    clear: inNotes({
      about: 'reset the notes; lines that begin with "Rule:" stay',
      takes: { '--all': 'remove those lines, too' },
      act: (space, { all }) => space.clear({ all }),
    }),
  },
};

const REFS = {
  '[refs...]': 'the refs, or - for one per line on stdin',
  '-f, --file <path>': 'read them from a file',
};

const readTypedRefs = ({ refs: items, file }: Arguments<typeof REFS>, call: Invocation): readonly string[] =>
  items.length > 1 ? items : [readTextArgument(items[0], file, call)];

export const refs: CommandDefinition = {
  examples: ['scratchpad refs', 'scratchpad ref src/auth/login.ts   # the same as: scratchpad refs add'],
  verbs: {
    show: declareShow('refs', 'print one ref per line, oldest first', 'number the lines'),
    add: inRefs({
      about: 'add refs as the newest; drops the oldest when there are 50',
      takes: REFS,
      examples: [
        'scratchpad refs add src/auth/login.ts',
        'scratchpad refs add https://example.com/spec "the format of the export"',
      ],
      act: (space, given, call) => {
        const items = readTypedRefs(given, call);
        const [first = '', about = ''] = items;
        // A reference and words in quotes about it are one line; several references are one each.
        const isOne = items.length === 2 && !/\s/.test(first) && /\S\s+\S/.test(about);
        const located = (isOne ? [`${first} - ${about}`] : items).map(space.locate);
        const missing = located.filter(space.isMissing);
        if (missing.length > 0) call.note(`not in the workspace yet: ${missing.join(', ')}`);
        return space.add(...located);
      },
    }),
    set: inRefs({
      about: 'replace all refs; the first 50 are kept',
      takes: REFS,
      act: (space, { refs: items, file }, call) =>
        space.set(items.length > 1 ? items : [readReplacement('refs', items[0], file, call)]),
    }),
    remove: inRefs({
      about: 'remove refs by their exact text, or by their number',
      also: REMOVE,
      takes: REFS,
      act: (space, given, call) => space.remove(...readTypedRefs(given, call)),
    }),
    clear: inRefs({ about: 'remove all refs', act: (space) => space.clear() }),
  },
};
