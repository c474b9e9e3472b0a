import { resolve } from 'node:path';
import { type AssemblyResult, assemblePad } from '../assembly/assemble-pad.ts';
import { isTriggerName, recordRun, type WorkReport } from '../assembly/triggers/record.ts';
import { listFaults } from '../assembly/triggers/run.ts';
import { usageError } from '../base/errors.ts';
import { tryStat } from '../base/fs/index.ts';
import { redactSecrets, sanitizeText, withTexts } from '../base/safety/index.ts';
import { formatAge, parseDuration } from '../base/text/durations.ts';
import { formatCount } from '../base/text/strings.ts';
import { startRefresh } from '../memory/background.ts';
import { judgeFreshness } from '../pad/freshness.ts';
import { getStateFile } from '../session/state-file.ts';
import { describeSkipped } from '../transcript/record.ts';
import { type Arguments, defineCommand } from './command.ts';
import { type Invocation, type Lines, write } from './invocation.ts';
import { type OpenPad, openSession, workspaceNotFound } from './open.ts';
import { makeTimeFormatter } from './print.ts';
import { readSourceOptions, SOURCE } from './transcript.ts';

const TAKES = {
  ...SOURCE,
  '--ttl <duration>': 'how long the block counts as fresh, such as 90s, 30m, 2h',
  '--dry-run': 'print the block and write nothing',
  '--explain': 'say why each line is there',
  '--if-stale': 'do nothing while the block is fresh and no file that it was made from is newer',
  '--no-reply': 'print only NO_REPLY, which keeps an OpenClaw automation silent',
  '--trigger <name>': 'name of the calling timer, for status',
};

export const assemble = defineCommand({
  takes: TAKES,
  examples: ['scratchpad assemble', 'scratchpad assemble --if-stale --quiet'],
  run: async (invocation, options) => {
    const opened = await openSession(invocation);
    const printNoReply = (): void => write(1, 'NO_REPLY\n');
    const call =
      options.reply === false ? { ...invocation, print: printNoReply, report: printNoReply } : invocation;
    const { trigger } = options;

    if (trigger === undefined) {
      await run(call, options, opened);
      return;
    }

    if (!isTriggerName(trigger))
      throw usageError('--trigger is not valid', {
        expected: 'a name of letters, digits and dashes',
        found: trigger,
      });

    // A timer that outlives its workspace must not recreate it.
    if (!opened.workspace.exists) throw workspaceNotFound(opened.workspace);
    await recordRun(opened.store.paths.dir, trigger, () => run(call, options, opened));
  },
});

async function run(call: Invocation, options: Arguments<typeof TAKES>, opened: OpenPad): Promise<WorkReport> {
  const { pad, config, store } = opened;
  const { session, pad: path } = store.paths;
  const source = readSourceOptions(call, options);

  if (source === undefined) opened.assertCanCreate();
  const ttlMs = options.ttl === undefined ? undefined : parseDuration(options.ttl, '--ttl');
  const fresh = options.ifStale ? await findFreshBlock(call.now, opened) : undefined;
  if (fresh !== undefined) {
    const outcome = `${fresh.reason}: left as it is`;
    call.report({ session, pad: path, written: false, ...fresh }, `${path}: ${outcome}`);
    return { outcome, problems: [] };
  }

  const problems: string[] = [];
  const result = await assemblePad(pad, {
    ...source,
    ttlMs,
    onProblem: (problem) => problems.push(problem),
    refreshMemory: () => startRefresh(pad.root),
  });

  opened.noteNewSession();
  const { assembly } = result;
  const { dryRun = false } = options;
  const notices = dryRun ? result.notices : await result.store();

  problems.push(...notices, ...listFaults(assembly.stages));
  call.warn(problems);
  if (!result.source) call.note('no agent session found for this folder; used files only');

  const { name, transcript } = result.source ?? {};
  const { updated, expires, tokens, stages } = assembly;
  const value = {
    session,
    pad: path,
    written: !dryRun,
    ...{ updated, expires, tokens, maxTokens: config.state.maxTokens },
    source: transcript ? { name, format: transcript.format, messages: transcript.messages.length } : null,
    // The reason for a line quotes its source text.
    stages: withTexts(
      stages.map(({ id, title, status, reason, lines, dropped }) => ({
        ...{ id, title, status, reason },
        lines: lines.map(({ text, why }) => ({ text, why: why ?? null })),
        dropped: dropped.map(({ text }) => text),
      })),
      redactSecrets,
    ),
    skipped: transcript?.skipped ?? [],
    notices,
  };

  if (options.explain) call.print(value, sanitizeText(explainLines(result).join('\n')));
  else if (dryRun) call.print(value, assembly.block);
  else call.report(value, summarizeAssembly(result, opened));

  return { outcome: `${assembly.tokens} tokens`, problems };
}

/** @returns nothing if the block is stale, or the plan or a file that it was made from is newer */
async function findFreshBlock(
  now: number,
  { pad, store }: OpenPad,
): Promise<{ reason: string; updated?: string; ageMs?: number } | undefined> {
  const { state, changed } = await store.read();
  const { status, updated, ageMs = 0 } = judgeFreshness(state, now, changed?.plan?.at);
  const texts = state?.sections.flatMap(({ lines }) => lines.map(({ text }) => text)) ?? [];
  const cited = texts.flatMap((text) => /\(([^()]+\.md):\d+[^()]*\)$/.exec(text)?.[1] ?? []);
  const isGone = cited.some((path) => !path.includes('…') && tryStat(resolve(pad.root, path)) === undefined);
  if (status !== 'fresh' || isGone) return undefined;

  // Only this option and watchers need the library that this module loads.
  const { hasNewerFile, listWatchedPlaces } = await import('../assembly/triggers/watcher.ts');
  const sources = listWatchedPlaces(pad).filter(({ kind }) => kind !== 'transcript');
  if (hasNewerFile(sources, tryStat(getStateFile(store.paths))?.mtimeMs ?? 0)) return undefined;

  return { reason: `fresh, ${formatAge(ageMs)} old`, ageMs, updated };
}

function summarizeAssembly(
  { assembly, source }: Pick<AssemblyResult, 'assembly' | 'source'>,
  opened: OpenPad,
): Lines {
  const listSections = (isWritten: boolean): string =>
    assembly.stages
      .filter(({ status }) => (status === 'ok') === isWritten)
      .map(({ id, status, faulty }) => (faulty ? `${id} (${status})` : id))
      .join(', ');

  const empty = listSections(false);
  return [
    `${opened.store.paths.pad}: ${assembly.tokens} tokens, fresh until ${makeTimeFormatter(opened.config)(assembly.expires)}`,
    source && `from ${formatCount(source.transcript.messages.length, 'message')} of ${source.name}`,
    `written: ${listSections(true) || 'none'}${empty === '' ? '' : `; empty: ${empty}`}`,
  ];
}

const explainLines = ({ assembly, source }: Pick<AssemblyResult, 'assembly' | 'source'>): string[] => [
  `From: ${source?.name ?? 'no session'}`,
  `Tokens: ${assembly.tokens}, fresh until ${assembly.expires}`,
  ...(source?.transcript.skipped ?? []).map((each) => `Skipped: ${describeSkipped(each)}`),
  ...assembly.stages.flatMap(({ id, title, status, reason, lines, dropped }) => [
    '',
    `${title} (${id}): ${status}${reason === undefined ? '' : `, ${reason}`}`,
    ...lines.map(({ text, why }) => `  ${text}${why === undefined ? '' : `\n      because: ${why}`}`),
    ...dropped.map(
      ({ text, priority = 0 }) => `  left out to fit the budget (worth ${priority} of 100): ${text}`,
    ),
  ]),
];
