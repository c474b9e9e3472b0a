import type { StageReport } from '../assembly/assemble.ts';
import { type Assembled, type AssembleRequest, assemblePad } from '../assembly/assemble-pad.ts';
import { inShort, misuse } from '../base/errors.ts';
import { redactSecrets, safeText, withTexts } from '../base/safety/index.ts';
import { counted } from '../base/text/counts.ts';
import { startRefresh } from '../memory/background.ts';
import { freshnessOf, parseDuration, spellAge } from '../pad/freshness.ts';
import { feedbackSince } from '../sentiment/feedback/file.ts';
import { givenSource } from './host-sessions.ts';
import { type Invocation, type Takes, write } from './invocation.ts';
import { noWorkspace, type Opened, openSession } from './open.ts';
import { localTimes } from './terminal.ts';

type AssembleOptions = Takes<
  'messages' | 'transcript' | 'ttl' | 'trigger' | 'activeHours' | 'timezone',
  'dryRun' | 'explain' | 'ifStale' | 'reply'
>;

/** The answer that OpenClaw delivers to nobody. */
const NO_REPLY = 'NO_REPLY';

export async function assemble(invocation: Invocation, options: AssembleOptions): Promise<void> {
  const opened = await openSession(invocation);
  const { trigger, reply } = options;
  const noReply = (): void => write(1, `${NO_REPLY}\n`);
  const shown = reply === false ? { ...invocation, result: noReply, done: noReply } : invocation;
  if (trigger === undefined) {
    await run(shown, options, opened);
    return;
  }
  const { isTriggerName, recordTrigger } = await import('../assembly/triggers/record.ts');
  if (!isTriggerName(trigger)) {
    throw misuse('--trigger is not valid', {
      expected: 'a name of letters, digits and dashes',
      found: trigger,
    });
  }
  // A timer that outlives its workspace must not recreate it.
  if (!opened.workspace.exists) throw noWorkspace(opened.workspace);
  const note = (outcome: string, failed: boolean): void => {
    const ms = Math.round(Math.max(0, Date.now() - invocation.now));
    const at = new Date().toISOString();
    recordTrigger(opened.store.paths.dir, { trigger, at, outcome, ms }, failed);
  };
  try {
    const { outcome, problems } = await run(shown, options, opened);
    note([outcome, ...problems].join('; '), problems.length > 0);
  } catch (error) {
    note(inShort(error), true);
    throw error;
  }
}

/** @returns the outcome in a few words, and problems a person should know of */
async function run(
  invocation: Invocation,
  options: AssembleOptions,
  opened: Opened,
): Promise<{ outcome: string; problems: string[] }> {
  const { pad, config, store } = opened;
  const request = readRequest(invocation, options, opened);
  const rest = await reasonToRest(invocation, options, opened);
  if (rest !== undefined) {
    const { session, pad: path } = store.paths;
    const outcome = `${rest.reason}: left as it is`;
    invocation.done({ session, pad: path, written: false, ...rest }, `${path}: ${outcome}`);
    return { outcome, problems: [] };
  }
  const problems: string[] = [];
  const done = await assemblePad(pad, {
    ...request,
    onProblem: (problem) => problems.push(problem),
    refreshMemory: () => startRefresh(pad.root),
  });
  const { assembly, source } = done;
  const dryRun = options.dryRun ?? false;
  const notices = dryRun ? done.notices : await done.store();
  problems.push(...notices);
  for (const { id, status, reason, faulty } of assembly.stages) {
    if (faulty) problems.push(`stage ${id} ${status}: ${reason ?? ''}`);
  }
  invocation.warn(problems);
  if (!source) invocation.note('no session of this workspace was found: assembled without messages');

  const value = {
    session: store.paths.session,
    pad: store.paths.pad,
    written: !dryRun,
    updated: assembly.updated,
    expires: assembly.expires,
    tokens: assembly.tokens,
    maxTokens: config.state.maxTokens,
    source: source
      ? { name: source.name, format: source.transcript.format, messages: source.transcript.messages.length }
      : null,
    // The reason for a line quotes its source text.
    stages: withTexts(
      assembly.stages.map(({ id, title, status, reason, lines, dropped }) => ({
        ...{ id, title, status, reason },
        lines: lines.map(({ text, why }) => ({ text, why: why ?? null })),
        dropped: dropped.map(({ text }) => text),
      })),
      redactSecrets,
    ),
    skipped: source?.transcript.skipped ?? [],
    notices,
  };
  if (options.explain) invocation.result(value, safeText(explained(done)));
  else if (dryRun) invocation.result(value, assembly.block);
  else invocation.done(value, summary(done, opened));
  return { outcome: `${assembly.tokens} tokens`, problems };
}

/** The reason not to assemble; `undefined` to assemble. */
async function reasonToRest(
  { now }: Invocation,
  { activeHours, timezone, ifStale }: AssembleOptions,
  { pad: { config }, store }: Opened,
): Promise<{ reason: string; updated?: string; ageMs?: number } | undefined> {
  if (activeHours !== undefined) {
    const { isWithin } = await import('../assembly/triggers/active-hours.ts');
    if (!isWithin({ activeHours, timezone }, config, now)) return { reason: `outside of ${activeHours}` };
  }
  if (!ifStale) return undefined;
  const { status, updated, ageMs = 0 } = freshnessOf((await store.read()).state, now);
  if (status !== 'fresh' || feedbackSince(store.paths.data, updated)) return undefined;
  const reason = `fresh, ${spellAge(ageMs)} old`;
  return { reason, ageMs, updated };
}

function readRequest(invocation: Invocation, options: AssembleOptions, opened: Opened): AssembleRequest {
  const { ttl } = options;
  const given = givenSource(invocation, options);
  const request: AssembleRequest = ttl === undefined ? {} : { ttlMs: parseDuration(ttl, '--ttl') };
  if (given !== undefined) return { ...request, ...given };
  opened.mayMake();
  return request;
}

function summary(
  { assembly, source }: Pick<Assembled, 'assembly' | 'source'>,
  { config, store }: Opened,
): string {
  const named = (of: (stage: StageReport) => boolean): string =>
    assembly.stages
      .filter(of)
      .map(({ id, status, faulty }) => (faulty ? `${id} (${status})` : id))
      .join(', ');
  const [told, silent] = [named(({ status }) => status === 'ok'), named(({ status }) => status !== 'ok')];
  return [
    `${store.paths.pad}: ${assembly.tokens} tokens, fresh until ${localTimes(config)(assembly.expires)}`,
    ...(source ? [`from ${counted(source.transcript.messages.length, 'message')} of ${source.name}`] : []),
    `sections: ${told || 'none'}${silent === '' ? '' : `; nothing to say: ${silent}`}`,
  ].join('\n');
}

function explained({ assembly, source }: Pick<Assembled, 'assembly' | 'source'>): string {
  const out = [
    `From: ${source?.name ?? 'no session'}`,
    `Tokens: ${assembly.tokens}, fresh until ${assembly.expires}`,
  ];
  for (const skipped of source?.transcript.skipped ?? [])
    out.push(`Skipped: ${skipped.count} ${skipped.reason}`);
  for (const stage of assembly.stages) out.push('', ...explainStage(stage));
  return out.join('\n');
}

function explainStage({ id, title, status, reason, lines, dropped }: StageReport): string[] {
  return [
    `${title} (${id}): ${status}${reason === undefined ? '' : `, ${reason}`}`,
    ...lines.flatMap(({ text, why }) => [
      `  ${text}`,
      ...(why === undefined ? [] : [`      because: ${why}`]),
    ]),
    ...dropped.map(
      ({ text, priority = 0 }) => `  left out to fit the budget (worth ${priority} of 100): ${text}`,
    ),
  ];
}
