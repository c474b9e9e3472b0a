import { join, relative } from 'node:path';
import { failure, refusal, usageError } from '../base/errors.ts';
import {
  decodeLossless,
  ensureFolder,
  exists,
  isTerminal,
  tryReadText,
  writeAtomically,
} from '../base/fs/index.ts';
import { formatAge } from '../base/text/durations.ts';
import { formatCall } from '../base/text/shell.ts';
import { findNearest } from '../config/values.ts';
import { rebuildSpaces } from '../core/history.ts';
import { findHolder, listReachable } from '../entries/reach.ts';
import { describeUsage, measureUsage, parseRefs } from '../pad/budget.ts';
import { parsePad, readRegion } from '../pad/document.ts';
import { setRegion } from '../pad/edit.ts';
import { judgeFreshness } from '../pad/freshness.ts';
import { SPACE_NAMES, SPACE_TITLES } from '../pad/markers.ts';
import { findCurrentStep, parseSteps } from '../pad/steps.ts';
import { detectHost } from '../session/actor.ts';
import type { Spaces } from '../session/journal.ts';
import { isTracked, readFileSpaces, readRevisionStamp } from '../session/reconcile.ts';
import type { Snapshot } from '../session/store.ts';
import { defineCommand } from './command.ts';
import { READING, readEntry, throwIfForeign } from './entry.ts';
import { type Invocation, isNumber } from './invocation.ts';
import { listEntryPlaces, type OpenPad, openKnown, openSession, readInStep, requirePad } from './open.ts';
import { makeTimeFormatter } from './print.ts';
import { showSpace } from './spaces.ts';

export const show = defineCommand({
  takes: {
    '[what]': 'plan, notes, refs, state, an entry, or the number of a revision; the whole pad unless given',
    ...READING,
  },
  examples: ['scratchpad show', 'scratchpad show plan'],
  run: async (call, { what, ...reading }) => {
    if (what === undefined) return showPad(call);
    if (isNumber(what)) return showRevision(call, Number(what));
    if (what === 'state') return showPad(call, true);

    const space = SPACE_NAMES.find((name) => name === what);
    if (space) return showSpace(call, space);

    const opened = await openSession(call);
    const places = await listEntryPlaces(opened);
    const entries = findHolder(places, what);

    if (entries !== undefined) {
      // `cat NAME > file` keeps all of it; an agent's output would fill its context window.
      const printsAll = !call.options.json && !isTerminal(1) && detectHost(call.env) === undefined;
      const isPart = reading.offset ?? reading.limit ?? reading.tail ?? reading.regex;
      return readEntry(call, entries, what, { ...reading, raw: reading.raw ?? (printsAll && !isPart) });
    }

    throwIfForeign(opened, what);
    const near = findNearest(what, [
      ...SPACE_NAMES,
      ...(await listReachable(places)).map(({ info }) => info.name),
    ]);
    throw usageError('nothing of that name to show', {
      expected: near
        ? `perhaps ${formatCall('show', near)}`
        : `${SPACE_NAMES.join(', ')}, state, or the number of a revision, or the name of an entry`,
      found: what,
      next: 'list the entries with: scratchpad entry list; the sessions with: scratchpad session list',
    });
  },
});

async function showRevision(call: Invocation, revision: number): Promise<void> {
  const { pad, config } = await openKnown(call);
  const journal = await pad.store.history();
  const spaces = rebuildSpaces(journal, revision);
  const time = journal.revisions.find(({ rev }) => rev === revision)?.timestamp;

  call.note(`revision ${revision}${time === undefined ? '' : `, of ${makeTimeFormatter(config)(time)}`}`);
  const text = SPACE_NAMES.map((space) => `## ${SPACE_TITLES[space]}\n${spaces[space] || '(empty)'}`);
  call.print({ revision, spaces: toJson(spaces) }, text.join('\n\n'));
}

async function showPad(call: Invocation, stateOnly = false): Promise<void> {
  const opened = await openSession(call);
  const pad = await readInStep(opened.pad);
  requirePad(pad.exists, opened);
  call.warn(pad.notices);
  if (!stateOnly) return call.printExact(padInJson(pad, opened, call.now), readShownText(call, opened, pad));

  const { status, ageMs } = judgeFreshness(pad.state, call.now);
  if (status === 'missing') call.note('no state block yet; run: scratchpad assemble');
  if (status === 'stale' && ageMs !== undefined)
    call.note(`the state block is stale: ${formatAge(ageMs)} old; run: scratchpad assemble`);
  call.printExact(describeState(pad, call.now), readRegion(pad.document, 'state'));
}

/** A person is shown the file as it is. An agent, and a person in a linked work tree, are shown their own plan. */
function readShownText(
  { env }: Invocation,
  { store }: OpenPad,
  { document, revision, state }: Snapshot,
): string {
  const isOwn = detectHost(env) === undefined && store.here?.worktree === undefined;
  const file = isOwn ? tryReadText(store.paths.pad, 'pad') : undefined;
  if (file === undefined) return document.text;

  const { text } = decodeLossless(file);
  const inFile = parsePad(text);
  const isBehind = !isTracked(inFile) && (readRevisionStamp(inFile) ?? revision) < revision;
  // A block that was not assembled here is shown to nobody.
  const isForeign = state === undefined && readRegion(inFile, 'state').trim() !== '';

  return isBehind || isForeign || text.trim() === '' ? document.text : text;
}

const toJson = ({ plan, notes, refs }: Spaces) => ({ plan, notes, refs: parseRefs(refs) });

const padInJson = (pad: Snapshot, { store, config }: OpenPad, now: number) => ({
  session: pad.session,
  pad: store.paths.pad,
  exists: pad.exists,
  revision: pad.revision,
  spaces: toJson(pad.spaces),
  next: findCurrentStep(parseSteps(pad.spaces.plan))?.number ?? null,
  usage: SPACE_NAMES.map((space) => measureUsage(space, pad.spaces[space], config.limits)),
  state: describeState(pad, now),
});

function describeState({ state }: Snapshot, now: number) {
  const { status, updated = null } = judgeFreshness(state, now);
  const sections = (state?.sections ?? []).map(({ title, lines }) => ({
    title,
    lines: lines.map(({ text }) => text),
  }));
  return { status, updated, sections };
}

/** Opens the file: what changes in it meanwhile is merged with what the editor saves, as with any edit by hand. */
export const edit = defineCommand({
  takes: { '[space]': 'plan, notes or refs: sections of the same file' },
  examples: ['scratchpad edit'],
  run: async (call, { space }) => {
    if (space !== undefined && !SPACE_NAMES.some((name) => name === space))
      throw usageError('no such space', {
        expected: SPACE_NAMES.join(', '),
        found: space,
        next: 'an entry is changed with: scratchpad entry edit, or scratchpad entry write',
      });

    const opened = await openSession(call);
    const { store } = opened;
    const before = await readInStep(opened.pad);

    requirePad(before.exists, opened);
    // A file that was removed is written again.
    if (!exists(store.paths.pad)) await store.change(() => []);
    const plan = await editInPlace(call, store, before);
    // The edit is journalled at once, so that history shows it and undo reverts it.
    const { notices, revisions } = await store.change(() =>
      plan === before.spaces.plan ? [] : [{ space: 'plan', content: plan, op: 'edit' }],
    );
    call.warn(notices);
    const changes = revisions.map((each) => ({ space: each.space, revision: each.rev }));
    const spaces = [...new Set(changes.map((each) => each.space))];
    call.report(
      { pad: store.paths.pad, changes },
      spaces.length === 0 ? 'the spaces are unchanged' : `changed: ${spaces.join(', ')}`,
    );
  },
});

/** Opens the file, or a copy with the plan of this place, which is returned; all else is merged into the file. */
async function editInPlace(
  call: Invocation,
  { paths }: OpenPad['store'],
  { spaces, document, isWithheld, conflicted }: Snapshot,
): Promise<string> {
  const read = (path: string): string => tryReadText(path, 'pad') ?? document.text;
  const readPlan = (text: string): string => readFileSpaces(parsePad(text)).plan ?? spaces.plan;
  const isElsewhere = readPlan(read(paths.pad)) !== spaces.plan && !isWithheld && !conflicted;
  const copy = join(paths.dir, 'EDIT.md');
  ensureFolder(paths.dir);
  if (isElsewhere) writeAtomically(copy, document.text);
  await runEditor(call, isElsewhere ? copy : paths.pad);
  if (!isElsewhere) return spaces.plan;

  const { mergeText } = await import('../session/merge.ts');
  const edited = read(copy);
  const merged = mergeText(document.text, read(paths.pad), setRegion(edited, 'plan', spaces.plan));
  if (merged.conflict)
    throw refusal('the same lines were changed in SCRATCHPAD.md meanwhile: nothing was changed', {
      where: copy,
      next: 'your text is there until the next scratchpad edit',
    });

  writeAtomically(paths.pad, merged.content);
  return readPlan(edited);
}

async function runEditor({ env }: Invocation, file: string): Promise<void> {
  const usual = process.platform === 'win32' ? 'notepad' : 'vi';
  const editor = env.VISUAL || env.EDITOR || (isTerminal(0) && isTerminal(1) ? usual : '');

  if (editor === '')
    throw failure('no editor is configured', {
      expected: 'VISUAL or EDITOR set, or a terminal',
      next: { to: 'set EDITOR, or write the text', command: 'scratchpad notes set, plan set, refs set' },
    });

  const { spawnSync } = await import('node:child_process');
  // The variable may have arguments, as in `code --wait`; the shell splits them.
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit', env })
      : spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env });

  if (status === 0) return;

  throw failure('the editor failed: nothing was changed', {
    found: error?.message ?? `${editor} ended with ${status ?? 'a signal'}`,
    next: 'check VISUAL and EDITOR',
  });
}

const FIRST_STEPS = `There is no scratchpad here yet. Create one:

  scratchpad init                       creates SCRATCHPAD.md in this directory
  scratchpad install claude-code        connects it to Claude Code

All commands: scratchpad --help`;

export async function showOverview(call: Invocation): Promise<void> {
  const opened = await openKnown(call);
  const { store, config } = opened;
  const pad = await readInStep(opened.pad);

  call.warn(pad.notices);
  const { status, ageMs } = judgeFreshness(pad.state, call.now);
  const age = ageMs === undefined ? '' : `, ${formatAge(ageMs)} old`;
  const next = findCurrentStep(parseSteps(pad.spaces.plan))?.line;
  const marked = pad.spaces.plan.split('\n').map((line, k) => (k === next ? `> ${line}` : line));
  const lines = [
    `${relative(call.cwd, store.paths.pad) || store.paths.pad}   session ${store.paths.session}`,
    SPACE_NAMES.map((space) => {
      const content = pad.spaces[space];
      const text = space === 'plan' ? marked : content;
      return ['', describeUsage(measureUsage(space, content, config.limits)), content.trim() !== '' && text];
    }),
    '',
    status === 'missing' ? 'state: none yet; run: scratchpad assemble' : `state: ${status}${age}`,
  ];

  call.print(padInJson(pad, opened, call.now), pad.exists ? lines : FIRST_STEPS);
}
