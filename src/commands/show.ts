import { relative } from 'node:path';
import { misuse } from '../base/errors.ts';
import { isTerminal } from '../base/fs/index.ts';
import { besideInShort } from '../core/scope.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import { contentOf } from '../pad/document.ts';
import { freshnessOf, spellAge } from '../pad/freshness.ts';
import { SPACE_NAMES, SPACE_TITLES } from '../pad/markers.ts';
import { brief } from '../pad/spaces.ts';
import { currentStep, type Step, stepsOf } from '../pad/steps.ts';
import { hostOf } from '../session/actor.ts';
import type { Spaces } from '../session/journal.ts';
import type { Snapshot } from '../session/store.ts';
import { command } from './command.ts';
import { READING, readEntry } from './entry.ts';
import { spacesOfRevision } from './history.ts';
import { type Invocation, isNumber, type Lines } from './invocation.ts';
import { entriesIn, needPad, type Opened, openKnown, openSession } from './open.ts';
import { showSpace } from './spaces.ts';
import { painter } from './terminal.ts';

export const show = command({
  takes: {
    '[what]': 'plan, notes, refs, state, an entry, or the number of a revision; the whole pad unless given',
    ...READING,
  },
  examples: ['scratchpad show', 'scratchpad show plan'],
  run: async (call, { what, ...reading }) => {
    if (what === undefined) return showPad(call);
    if (isNumber(what)) return showRevision(call, Number(what));
    if (what === 'state') return showState(call);
    const space = SPACE_NAMES.find((name) => name === what);
    if (space) return showSpace(call, space);
    const entries = await entriesIn(await openSession(call));
    if ((await entries.list()).some(({ name }) => name === what)) {
      // `cat NAME > file` keeps all of it; an agent's output would fill its context window.
      const whole = !call.options.json && !isTerminal(1) && hostOf(call.env) === undefined;
      const isPart = reading.offset ?? reading.limit ?? reading.regex;
      return readEntry(call, entries, what, { ...reading, raw: reading.raw ?? (whole && !isPart) });
    }
    throw misuse('nothing of that name to show', {
      expected: `${SPACE_NAMES.join(', ')}, state, or the number of a revision, or the name of an entry`,
      found: what,
      next: 'list the entries with: scratchpad entry list; the sessions with: scratchpad session list',
    });
  },
});

async function showRevision(call: Invocation, revision: number): Promise<void> {
  const spaces = await spacesOfRevision(call, revision);
  const text = SPACE_NAMES.map((space) => `## ${SPACE_TITLES[space]}\n${spaces[space] || '(empty)'}`);
  call.result({ revision, spaces: inJson(spaces) }, text.join('\n\n'));
}

async function showState(call: Invocation): Promise<void> {
  const opened = await openSession(call);
  const pad = await opened.pad.store.read();
  needPad(pad.exists, opened);
  call.warn(pad.notices);
  const { status, ageMs } = freshnessOf(pad.state, call.now);
  if (status === 'missing') call.note('no state block yet; run: scratchpad assemble');
  if (status === 'stale' && ageMs !== undefined)
    call.note(`the state block is stale: ${spellAge(ageMs)} old; run: scratchpad assemble`);
  call.exact(stateOf(pad, call.now), contentOf(pad.document, 'state'));
}

async function showPad(call: Invocation): Promise<void> {
  const opened = await openSession(call);
  const { store, config } = opened;
  const pad = await opened.pad.store.read();
  needPad(pad.exists, opened);
  call.warn(pad.notices);
  const value = {
    session: pad.session,
    pad: store.paths.pad,
    revision: pad.revision,
    spaces: inJson(pad.spaces),
    usage: SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits)),
    state: stateOf(pad, call.now),
  };
  call.exact(value, pad.document.text);
}

const inJson = ({ plan, notes, refs }: Spaces) => ({ plan, notes, refs: refsOf(refs) });

/** The age of the state, and its sections as far as it was assembled here. */
function stateOf({ state }: Snapshot, now: number) {
  const { status, updated = null } = freshnessOf(state, now);
  const sections = (state?.sections ?? []).map(({ title, lines }) => ({
    title,
    lines: lines.map(({ text }) => text),
  }));
  return { status, updated, sections };
}

/** The summary that `scratchpad` alone shows. */
export async function overview(call: Invocation): Promise<void> {
  const opened = await openKnown(call);
  const { store, config, workspace } = opened;
  const pad = await opened.pad.store.read();
  const { exists, spaces, state, notices } = pad;
  call.warn(notices);
  const { status, ageMs } = freshnessOf(state, call.now);
  const paint = painter(call.env);
  const steps = stepsOf(spaces.plan);
  const now = currentStep(steps);
  call.result(
    {
      workspace: workspace.root,
      session: store.paths.session,
      exists,
      pad: store.paths.pad,
      plan: steps.map((step) => {
        const { number, text, done } = step;
        return { number, text, done, current: step === now };
      }),
      notes: spaces.notes,
      refs: refsOf(spaces.refs),
      usage: SPACE_NAMES.map((space) => usageOf(space, spaces[space], config.limits)),
      state: status,
      ageMs: ageMs ?? null,
    },
    exists ? overviewLines(call, opened, pad) : FIRST_STEPS,
    // Highlights titles and the current step.
    (line) => {
      const title = /^(Plan|Notes|Refs|State):/.exec(line)?.[0];
      if (title !== undefined) return paint('bold', title) + paint('dim', line.slice(title.length));
      return line.startsWith('> ') ? paint('green', line) : line;
    },
  );
}

const FIRST_STEPS = `There is no scratchpad here yet. Create one:

  scratchpad init                       creates SCRATCHPAD.md in this directory
  scratchpad install claude-code        shows it to your agent at every prompt

All commands: scratchpad --help`;

function overviewLines(
  { cwd }: Invocation,
  { store, config, pad: { now } }: Opened,
  { spaces, state, seen }: Snapshot,
): Lines {
  const { status, ageMs } = freshnessOf(state, now());
  const beside = seen && besideInShort(seen);
  const steps = stepsOf(spaces.plan);
  const done = steps.filter((step) => step.done).length;
  const [plan, notes, refs] = SPACE_NAMES.map((space) =>
    describeUsage(usageOf(space, spaces[space], config.limits)).replace(/^\w+: /, ''),
  );
  return [
    `${relative(cwd, store.paths.pad) || store.paths.pad}   session ${store.paths.session}`,
    '',
    `Plan: ${steps.length === 0 ? plan : `${done} of ${steps.length} done`}`,
    steps.length === 0 ? someOf(spaces.plan.split('\n'), 0) : aroundCurrent(steps),
    beside !== undefined && `  beside it: ${beside}; scratchpad plan take N makes one the plan here`,
    '',
    `Notes: ${notes}`,
    someOf(spaces.notes.split('\n'), -SHOWN),
    '',
    `Refs: ${refs}`,
    someOf(refsOf(spaces.refs), -SHOWN),
    '',
    status === 'missing'
      ? 'State: none yet; run: scratchpad assemble'
      : `State: ${status}${ageMs === undefined ? '' : `, ${spellAge(ageMs)} old`}`,
  ];
}

/** How many lines of each part are shown. */
const SHOWN = 8;

/** The steps around the current one, which is marked. */
function aroundCurrent(steps: readonly Step[]): Lines {
  const current = currentStep(steps);
  const at = Math.max(0, Math.min(steps.length - SHOWN, steps.indexOf(current as Step) - 2));
  const lines = steps.map((step) => {
    const text = step.done ? `~~${brief(step.text)}~~ DONE` : brief(step.text);
    return `${step === current ? '>' : ' '} ${step.number}. ${text}`;
  });
  return within(lines, at);
}

/** The first or the last lines that are not empty. */
function someOf(lines: readonly string[], from: number): Lines {
  const full = lines.filter((line) => line.trim() !== '').map((line) => `  ${brief(line)}`);
  return within(full, from < 0 ? Math.max(0, full.length + from) : from);
}

/** As many lines as are shown from there on, and how many are not. */
function within(lines: readonly string[], from: number): Lines {
  const below = lines.length - from - SHOWN;
  return [from > 0 && `  (${from} above)`, lines.slice(from, from + SHOWN), below > 0 && `  (${below} more)`];
}
