import { relative } from 'node:path';
import { misuse } from '../base/errors.ts';
import { besideInShort } from '../core/scope.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import { contentOf } from '../pad/document.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { SPACE_NAMES, SPACE_TITLES } from '../pad/markers.ts';
import { brief } from '../pad/spaces.ts';
import { currentStep, type Step, stepsOf } from '../pad/steps.ts';
import type { Snapshot } from '../session/store.ts';
import { spacesOfRevision } from './history.ts';
import { type Invocation, isNumber } from './invocation.ts';
import { entriesIn, needPad, needSession, type Opened, openSession } from './open.ts';
import { showSpace } from './spaces.ts';
import { type Paint, painter } from './terminal.ts';

/** Prints the pad, one of its spaces, the state block, an entry, or the spaces as they were at a revision. */
export async function show(invocation: Invocation, what: string | undefined): Promise<void> {
  if (what === undefined) return showPad(invocation);
  if (isNumber(what)) return showRevision(invocation, Number(what));
  if (what === 'state') return showState(invocation);
  const space = SPACE_NAMES.find((name) => name === what);
  if (space) return showSpace(invocation, space);
  const entries = await (await entriesIn(await openSession(invocation))).list();
  if (entries.some(({ name }) => name === what))
    return (await import('./entry.ts')).read(invocation, what, {});
  throw misuse('nothing of that name to show', {
    expected: `${SPACE_NAMES.join(', ')}, state, or the number of a revision, or the name of an entry`,
    found: what,
    next: 'list the entries with: scratchpad entry list; the sessions with: scratchpad session list',
  });
}

async function showRevision(invocation: Invocation, revision: number): Promise<void> {
  const spaces = await spacesOfRevision(invocation, revision);
  const text = SPACE_NAMES.map((space) => `## ${SPACE_TITLES[space]}\n${spaces[space] || '(empty)'}`);
  invocation.result(
    { revision, spaces: { plan: spaces.plan, notes: spaces.notes, refs: refsOf(spaces.refs) } },
    text.join('\n\n'),
  );
}

async function showState(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const pad = await opened.pad.store.read();
  needPad(pad.exists, opened);
  const { status, updated, ageMs } = freshnessOf(pad.state, invocation.now);
  const content = contentOf(pad.document, 'state');
  invocation.warn(pad.notices);
  if (status === 'missing') invocation.note('no state block yet; run: scratchpad assemble');
  if (status === 'stale' && ageMs !== undefined)
    invocation.note(`the state block is stale: ${spellAge(ageMs)} old; run: scratchpad assemble`);
  invocation.exact({ status, updated: updated ?? null, sections: sectionsOf(pad) }, content);
}

/** The sections of the state, as far as it was assembled here. */
function sectionsOf({ state }: Snapshot): { title: string; lines: string[] }[] {
  return (state?.sections ?? []).map(({ title, lines }) => ({ title, lines: lines.map(({ text }) => text) }));
}

/** Prints the file as it is. */
async function showPad(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const { store, config } = opened;
  const pad = await opened.pad.store.read();
  needPad(pad.exists, opened);
  invocation.warn(pad.notices);
  const freshness = freshnessOf(pad.state, invocation.now);
  const usage = SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits));
  const value = {
    session: pad.session,
    pad: store.paths.pad,
    revision: pad.revision,
    spaces: { plan: pad.spaces.plan, notes: pad.spaces.notes, refs: refsOf(pad.spaces.refs) },
    usage,
    state: {
      status: freshness.status,
      updated: freshness.updated ?? null,
      sections: sectionsOf(pad),
    },
  };
  invocation.exact(value, pad.document.text);
}

/** How many lines of each part are shown. */
const SHOWN = 8;

/** The summary that `scratchpad` alone shows. */
export async function overview(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  await needSession(opened);
  const { store, config, workspace } = opened;
  const pad = await opened.pad.store.read();
  const { exists, spaces, state, notices } = pad;
  invocation.warn(notices);
  const { status, ageMs } = freshnessOf(state, invocation.now);
  const lines = exists
    ? overviewLines(invocation, opened, pad)
    : [
        'There is no scratchpad here yet. Create one:',
        '',
        '  scratchpad init                       creates SCRATCHPAD.md in this directory',
        '  scratchpad install claude-code        shows it to your agent at every prompt',
        '',
        'All commands: scratchpad --help',
      ];
  invocation.result(
    {
      workspace: workspace.root,
      session: store.paths.session,
      exists,
      pad: store.paths.pad,
      plan: stepsOf(spaces.plan).map(({ number, text, done, current }) => ({ number, text, done, current })),
      notes: spaces.notes,
      refs: refsOf(spaces.refs),
      usage: SPACE_NAMES.map((space) => usageOf(space, spaces[space], config.limits)),
      state: status,
      ageMs: ageMs ?? null,
    },
    lines.join('\n'),
    overviewPaint(painter(invocation.env)),
  );
}

/** The contents of a pad in about twenty lines. */
function overviewLines(
  { cwd }: Invocation,
  { store, config, pad: { now } }: Opened,
  { spaces, state, seen }: Snapshot,
): string[] {
  const { status, ageMs } = freshnessOf(state, now());
  const beside = seen && besideInShort(seen);
  const steps = stepsOf(spaces.plan);
  const [plan, notes, refs] = SPACE_NAMES.map((space) =>
    describeUsage(usageOf(space, spaces[space], config.limits)).replace(/^\w+: /, ''),
  );
  const age = ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`;
  return [
    `${relative(cwd, store.paths.pad) || store.paths.pad}   session ${store.paths.session}`,
    '',
    `Plan: ${planTitle(steps, plan)}`,
    ...(steps.length === 0 ? firstLines(spaces.plan.split('\n')) : aroundCurrent(steps)),
    ...(beside === undefined
      ? []
      : [`  beside it: ${beside}; scratchpad plan take N makes one the plan here`]),
    '',
    `Notes: ${notes}`,
    ...lastLines(spaces.notes.split('\n')),
    '',
    `Refs: ${refs}`,
    ...lastLines(refsOf(spaces.refs)),
    '',
    status === 'missing' ? 'State: none yet; run: scratchpad assemble' : `State: ${status}${age}`,
  ];
}

/** Highlights titles and the current step. */
function overviewPaint(paint: Paint): (line: string) => string {
  return (line) => {
    const title = /^(Plan|Notes|Refs|State):/.exec(line)?.[0];
    if (title !== undefined) return paint('bold', title) + paint('dim', line.slice(title.length));
    return line.startsWith('> ') ? paint('green', line) : line;
  };
}

function planTitle(steps: readonly Step[], usage = ''): string {
  if (steps.length === 0) return usage;
  const done = steps.filter((step) => step.done).length;
  return `${done} of ${steps.length} done`;
}

/** The steps around the current one, which is marked. */
function aroundCurrent(steps: readonly Step[]): string[] {
  const current = currentStep(steps);
  const at = Math.max(0, Math.min(steps.length - SHOWN, steps.indexOf(current as Step) - 2));
  const shown = steps.slice(at, at + SHOWN).map((step) => {
    const text = step.done ? `~~${brief(step.text)}~~ DONE` : brief(step.text);
    return `${step === current ? '>' : ' '} ${step.number}. ${text}`;
  });
  return [...above(at), ...shown, ...below(steps.length - at - shown.length)];
}

function firstLines(lines: readonly string[]): string[] {
  const full = lines.filter((line) => line.trim() !== '');
  return [...full.slice(0, SHOWN).map((line) => `  ${brief(line)}`), ...below(full.length - SHOWN)];
}

function lastLines(lines: readonly string[]): string[] {
  const full = lines.filter((line) => line.trim() !== '');
  return [...above(full.length - SHOWN), ...full.slice(-SHOWN).map((line) => `  ${brief(line)}`)];
}

function above(count: number): string[] {
  return count > 0 ? [`  (${count} above)`] : [];
}

function below(count: number): string[] {
  return count > 0 ? [`  (${count} more)`] : [];
}
