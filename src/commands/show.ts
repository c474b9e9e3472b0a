import { misuse } from '../base/errors.ts';
import { isTerminal } from '../base/fs/index.ts';
import { forTerminal } from '../base/safety/index.ts';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import { contentOf } from '../pad/document.ts';
import { type Freshness, freshnessOf, spellAge } from '../pad/freshness.ts';
import { markerOf, SPACE_NAMES, SPACE_TITLES } from '../pad/markers.ts';
import type { Snapshot } from '../session/store.ts';
import { entriesIn } from './entries-in.ts';
import { spacesOfRevision } from './history.ts';
import { type Invocation, write } from './invocation.ts';
import { isNumber } from './numbers.ts';
import { needPad, openSession } from './open.ts';
import { showSpace } from './space.ts';
import { type Paint, painter } from './terminal.ts';

/** Prints the pad, one of its spaces, the state block, an entry, or the spaces as they were at a revision. */
export async function show(invocation: Invocation, what: string | undefined): Promise<void> {
  if (what === undefined) return showPad(invocation);
  if (isNumber(what)) return showRevision(invocation, Number(what));
  if (what === 'state') return showState(invocation);
  const space = SPACE_NAMES.find((name) => name === what);
  if (space) return showSpace(invocation, space);
  const entries = await entriesIn(await openSession(invocation)).list();
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
  const pad = await opened.store.read();
  needPad(pad.exists, opened);
  const { status, updated, ageMs } = freshnessOf(pad.state, invocation.now);
  const content = contentOf(pad.document, 'state');
  if (status === 'missing') invocation.note('no state block yet; run: scratchpad assemble');
  if (status === 'stale' && ageMs !== undefined)
    invocation.note(`the state block is stale: ${spellAge(ageMs)} old; run: scratchpad assemble`);
  invocation.exact({ status, updated: updated ?? null, sections: sectionsOf(pad) }, content);
}

/** The sections of the state, as far as it was assembled here. */
function sectionsOf({ state }: Snapshot): { title: string; lines: string[] }[] {
  return (state?.sections ?? []).map(({ title, lines }) => ({ title, lines: lines.map(({ text }) => text) }));
}

/** Prints the pad: unchanged in a pipe, formatted on a terminal. */
async function showPad(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const { store, config } = opened;
  const pad = await opened.pad.store.read();
  needPad(pad.exists, opened);
  invocation.warn(pad.notices);
  const freshness = freshnessOf(pad.state, invocation.now);
  const usage = SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits));
  const dressed = isTerminal(1);
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
  // The colours are ours: its text has already been made safe.
  if (dressed && !invocation.options.json)
    write(1, `${dress(pad, freshness, usage.map(describeUsage).join('   '), painter(invocation.env))}\n`);
  else invocation.exact(value, pad.document.text);
}

/** The pad for a person: without front matter and markers, with its age and how full it is. */
function dress({ document, session }: Snapshot, freshness: Freshness, usage: string, style: Paint): string {
  const { frontMatter, text } = document;
  const body = text.slice(
    frontMatter.kind === 'fenced' ? frontMatter.range.bodyStart : frontMatter.bodyStart,
  );
  const age = freshness.ageMs === undefined ? '' : `, ${spellAge(freshness.ageMs)} old`;
  const state = {
    fresh: style('green', `state: fresh${age}`),
    stale: style('yellow', `state: stale${age}; run: scratchpad assemble`),
    missing: style('yellow', 'state: none yet; run: scratchpad assemble'),
  }[freshness.status];
  const lines = forTerminal(body)
    .split('\n')
    .filter((line) => !markerOf(line) && !/^<!-- (?:Updated|TTL): .*-->$/.test(line))
    .map((line) =>
      line.startsWith('#')
        ? style('bold', line)
        : line.replace(/\*\*([^*]+)\*\*/g, (_, word) => style('bold', word)),
    );
  const blank = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return [`${style('dim', `session ${session}`)}   ${state}`, style('dim', usage), '', blank].join('\n');
}
