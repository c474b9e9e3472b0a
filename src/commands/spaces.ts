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
  type CommandHelp,
  defineCommand,
  type Takes,
} from './command.ts';
import { type Invocation, isNumber, parseNumber, readReplacement, readTextArgument } from './invocation.ts';
import { openKnown, openSession, readInStep } from './open.ts';
import { renderColumns } from './print.ts';

interface SpaceVerb<Space, T extends Takes> extends CommandHelp {
  takes?: T;
  change: (space: Space, args: Arguments<T>, call: Invocation) => Promise<Outcome>;
}

/** The verbs of a space open it, change it and report the outcome. */
export const defineVerbs =
  <Space>(openSpace: (pad: Pad) => Space) =>
  // biome-ignore lint/complexity/noBannedTypes: a verb that takes nothing.
  <const T extends Takes = {}>({ change, ...verb }: SpaceVerb<Space, T>): CommandDefinition =>
    defineCommand({
      ...verb,
      run: async (call, args: Arguments<T>) => {
        const { pad, noteNewSession } = await openSession(call);
        const outcome = await change(openSpace(pad), args, call);
        noteNewSession();
        report(call, outcome);
      },
    });

const defineNotesVerb = defineVerbs((pad) => openTextSpace(pad, 'notes'));
const defineRefsVerb = defineVerbs((pad) => ({
  ...openRefsSpace(pad),
  locate: (ref: string): string => locateRef(ref, pad),
  isMissing: (ref: string): boolean => FILE_REF.test(ref) && !exists(resolve(pad.root, ref)),
}));
/** Surely the path of a file; a name with a dot may be anything. */
const FILE_REF = /^[\w.@~-]*(?:\/[\w.@~-]+)+\.[a-z]\w{0,4}$/i;

/** The path of a file that was typed in a folder below the workspace, as it is from the workspace. */
function locateRef(ref: string, { root, cwd = root }: Pad): string {
  const path = /^[^\s:#]+/.exec(ref)?.[0] ?? '';
  if (path === '' || isAbsolute(path) || exists(join(root, path)) || !exists(join(cwd, path))) return ref;

  const file = resolvePlace(join(cwd, path));
  const base = resolvePlace(root);
  return isInside(base, file) ? relative(base, file).replaceAll(sep, '/') + ref.slice(path.length) : ref;
}

function report(call: Invocation, outcome: Outcome): void {
  // Scripts, too, are warned of a change that was not made as it was asked for.
  call.warn(outcome.warnings, 'always');
  const isEmptied = outcome.changed && outcome.used === 0;
  call.report(outcome, [
    outcome.message,
    describeUsage(outcome),
    isEmptied && 'take it back with: scratchpad undo',
  ]);
}

export const NO_PAD = 'there is no scratchpad here; create one with: scratchpad init';

export const defineShow = (space: SpaceName, about: string, numbers: string): CommandDefinition =>
  defineCommand({
    about,
    aliases: ['list', 'ls'],
    isDefault: true,
    takes: { '--numbers': numbers },
    run: (call, args) => showSpace(call, space, args.numbers),
  });

export async function showSpace(call: Invocation, space: SpaceName, numbers = false): Promise<void> {
  const { pad, workspace } = await openKnown(call);
  const { spaces, notices, seen, isWithheld } = await readInStep(pad);
  call.warn(notices);
  if (space === 'plan') noteOtherPlans(call, seen);
  const content = spaces[space];
  const empty = isWithheld ? `${space} is withheld until the person approves it` : `${space} is empty`;
  const noPad = workspace.named ? NO_PAD.replace(' here', ` in ${workspace.root}`) : NO_PAD;
  if (!workspace.exists) call.warn([noPad], call.options.json ? 'always' : undefined);
  else if (content === '') call.note(empty);

  const items = space === 'refs' ? parseRefs(content) : undefined;
  const lines = items ?? content.split('\n');
  const value = {
    ...measureUsage(space, content, pad.config.limits),
    ...(items ? { items } : { content }),
    ...(space === 'plan' ? { steps: listSteps(content) } : {}),
  };
  const rows = numbers && content !== '' ? renderColumns(numberLines(space, lines), [0]) : lines;
  call.printExact(value, rows.join('\n'));
}

export function noteOtherPlans(call: Invocation, seen: VisiblePlan | undefined): void {
  if (seen?.origin !== undefined) call.note(`this plan was made on ${seen.origin}`);
  const others = seen && summarizeOtherPlans(seen);
  if (others) call.note(`other open plans: ${others}; scratchpad plan take N makes one the plan here`);
}

function listSteps(plan: string) {
  const steps = parseSteps(plan);
  const next = findCurrentStep(steps)?.line;
  return steps.map(({ number, text, done, line }) => {
    return { number, text: text.trim(), done, current: line === next };
  });
}

/** Lines with the numbers that the commands take: those of a plan's steps, else of the lines. */
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
    show: defineShow('notes', 'print the notes', 'number the lines'),
    add: defineNotesVerb({
      about: 'add a line, or import a file; refused if too long',
      aliases: ['append'],
      takes: TEXTS,
      examples: ['scratchpad notes add "Root cause: timezone mismatch in token expiry"'],
      change: (space, { text: words, file }, call) => {
        const text = readTextArgument(joinWords(words), file, call);
        if (text.trim() !== '') return space.append(text);
        throw usageError('the text is empty: nothing was changed', { expected: 'the text to add' });
      },
    }),
    set: defineNotesVerb({
      about: 'replace the notes; text over the limit is cut, with a warning',
      takes: TEXT,
      change: (space, { text, file }, call) => space.set(readReplacement('notes', text, file, call)),
    }),
    edit: defineNotesVerb({
      about: 'change the text of a line',
      takes: { '<line>': 'its number', ...TEXT },
      examples: ['scratchpad notes edit 3 "port 9090"'],
      change: (space, { line, text, file }, call) =>
        space.editLine(parseNumber(line, 'the number of a line'), readTextArgument(text, file, call)),
    }),
    replace: defineNotesVerb({
      about: 'replace a text that occurs exactly once',
      takes: {
        '<find>': 'the text as it is in the notes',
        '<with>': 'the new text',
        '--all': 'replace every match',
      },
      examples: ['scratchpad notes replace "port 8080" "port 9090"'],
      change: (space, { find, with: replacement, all }) => space.replace(find, replacement, { all }),
    }),
    remove: defineNotesVerb({
      about: 'remove lines by number, or the one line that holds a text',
      aliases: REMOVE,
      takes: { '<lines...>': 'their numbers, such as 3 or 3-5, or a text that only one line holds' },
      examples: ['scratchpad notes remove 3', 'scratchpad notes remove "port 8080"'],
      change: (space, { lines }) =>
        space.removeLines(...(lines.every(isNumber) ? lines.map(Number) : [lines.join(' ')])),
    }),
    clear: defineNotesVerb({
      about: 'reset the notes; those that begin with "Rule:" stay',
      takes: { '--all': 'remove those lines, too' },
      change: (space, { all }) => space.clear({ all }),
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
    show: defineShow('refs', 'print one ref per line, oldest first', 'number the lines'),
    add: defineRefsVerb({
      about: 'add refs as the newest; drops the oldest when there are 50',
      takes: REFS,
      examples: [
        'scratchpad refs add src/auth/login.ts',
        'scratchpad refs add https://example.com/spec "the format of the export"',
      ],
      change: (space, args, call) => {
        const items = readTypedRefs(args, call);
        const [first = '', about = ''] = items;
        // A reference and words in quotes about it are one line; several references are one each.
        const hasText = items.length === 2 && !/\s/.test(first) && /\S\s+\S/.test(about);
        const located = (hasText ? [`${first} - ${about}`] : items).map(space.locate);
        const missing = located.filter(space.isMissing);
        if (missing.length > 0) call.note(`not in the workspace yet: ${missing.join(', ')}`);
        return space.add(...located);
      },
    }),
    set: defineRefsVerb({
      about: 'replace all refs; the first 50 are kept',
      takes: REFS,
      change: (space, { refs: items, file }, call) =>
        space.set(items.length > 1 ? items : [readReplacement('refs', items[0], file, call)]),
    }),
    remove: defineRefsVerb({
      about: 'remove refs by exact text, or by number, such as 2-4',
      aliases: REMOVE,
      takes: REFS,
      change: (space, args, call) => space.remove(...readTypedRefs(args, call)),
    }),
    clear: defineRefsVerb({ about: 'remove all refs', change: (space) => space.clear() }),
  },
};
