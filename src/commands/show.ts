import { isatty } from 'node:tty';
import { describeUsage, refsOf, usageOf } from '../pad/budget.ts';
import { contentOf } from '../pad/document.ts';
import { type Freshness, freshnessOf, spellAge } from '../pad/freshness.ts';
import { markerOf, SPACE_NAMES } from '../pad/markers.ts';
import { readState } from '../pad/state.ts';
import { forTerminal } from '../safety/terminal.ts';
import type { Snapshot } from '../session/store.ts';
import type { Invocation } from './invocation.ts';
import { needPad, openSession } from './open.ts';

/**
 * Prints the pad: as it is in a pipe, dressed on a terminal. Shape with `--json`:
 * `{session, pad, revision, spaces: {plan, notes, refs}, usage, state: {status, updated, sections}}`.
 */
export async function show(invocation: Invocation): Promise<void> {
  const opened = await openSession(invocation);
  const { store, config } = opened;
  const pad = await store.read();
  needPad(pad.exists, opened);
  for (const notice of pad.notices) invocation.note(`warning: ${notice}`);
  const freshness = freshnessOf(pad.document, invocation.now);
  const usage = SPACE_NAMES.map((space) => usageOf(space, pad.spaces[space], config.limits));
  const dressed = isatty(1);
  const colour = dressed && !invocation.env.NO_COLOR && invocation.env.TERM !== 'dumb';
  invocation.result(
    {
      session: pad.session,
      pad: store.paths.pad,
      revision: pad.revision,
      spaces: { plan: pad.spaces.plan, notes: pad.spaces.notes, refs: refsOf(pad.spaces.refs) },
      usage,
      state: {
        status: freshness.status,
        updated: freshness.updated ?? null,
        sections: readState(contentOf(pad.document, 'state')),
      },
    },
    dressed ? dress(pad, freshness, usage.map(describeUsage).join('   '), colour) : pad.document.text,
  );
}

/** The pad for a person's eyes: without front matter and markers, with its age and how full it is. */
function dress(
  { document, session }: Snapshot,
  freshness: Freshness,
  usage: string,
  colour: boolean,
): string {
  const style = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { frontMatter, text } = document;
  const body = text.slice(
    frontMatter.kind === 'fenced' ? frontMatter.range.bodyStart : frontMatter.bodyStart,
  );
  const age = freshness.ageMs === undefined ? '' : `, ${spellAge(freshness.ageMs)} old`;
  const state = {
    fresh: style(32, `state: fresh${age}`),
    stale: style(33, `state: stale${age}; run: scratchpad assemble`),
    missing: style(33, 'state: none yet; run: scratchpad assemble'),
  }[freshness.status];
  const lines = forTerminal(body)
    .split('\n')
    .filter((line) => !markerOf(line) && !/^<!-- (?:Updated|TTL): .*-->$/.test(line))
    .map((line) =>
      line.startsWith('#') ? style(1, line) : line.replace(/\*\*([^*]+)\*\*/g, (_, word) => style(1, word)),
    );
  const blank = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return [`${style(2, `session ${session}`)}   ${state}`, style(2, usage), '', blank].join('\n');
}
