import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { StageReport } from '../assemble.ts';
import { type Assembled, type AssembleRequest, assemblePad } from '../assemble-pad.ts';
import { ScratchpadError } from '../errors.ts';
import { writeLastRun } from '../last-run.ts';
import { startRefresh } from '../memory/background.ts';
import { parseDuration } from '../pad/freshness.ts';
import { compilePatternsOnce } from '../short-lived.ts';
import { type Invocation, readInputFile, readStdin } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

export interface AssembleOptions {
  messages?: string;
  transcript?: string;
  ttl?: string;
  dryRun?: boolean;
  explain?: boolean;
}

/** What makes a directory look like an agent's workspace before it has a pad. */
const SIGNS = ['MEMORY.md', 'memory', 'AGENTS.md', 'CLAUDE.md', 'SOUL.md'];

/**
 * Shape with `--json`: `{session, pad, written, updated, expires, tokens, maxTokens, source,
 * stages: [{id, title, status, reason?, lines, dropped}], skipped, notices}`.
 */
export async function assemble(invocation: Invocation, options: AssembleOptions): Promise<void> {
  compilePatternsOnce();
  const opened = await openSession(invocation);
  const { pad, config, store } = opened;
  const request = readRequest(invocation, options, opened);
  const problems: string[] = [];
  const done = await assemblePad(pad, {
    ...request,
    onProblem: (problem) => problems.push(problem),
    refreshMemory: () => startRefresh(pad.root),
  });
  const { assembly, source, notices } = done;
  for (const problem of [...problems, ...notices]) invocation.note(`warning: ${problem}`);
  for (const { id, status, reason } of assembly.stages) {
    if (status === 'failed' || status === 'stale')
      invocation.note(`warning: stage ${id} ${status}: ${reason ?? ''}`);
  }
  if (!source) invocation.note('no session of this workspace was found: assembled without messages');
  if (!request.dryRun) writeLastRun(store.paths.dir, done);

  const value = {
    session: store.paths.session,
    pad: store.paths.pad,
    written: !request.dryRun,
    updated: assembly.updated,
    expires: assembly.expires,
    tokens: assembly.tokens,
    maxTokens: config.state.maxTokens,
    source: source
      ? { name: source.name, format: source.transcript.format, messages: source.transcript.messages.length }
      : null,
    stages: assembly.stages.map(({ lines, dropped, ...stage }) => ({
      ...stage,
      lines: lines.map(({ text, why }) => ({ text, why: why ?? null })),
      dropped: dropped.map(({ text }) => text),
    })),
    skipped: source?.transcript.skipped ?? [],
    notices,
  };
  if (options.explain) invocation.result(value, explained(done));
  else invocation.result(value, request.dryRun ? assembly.block : summary(done, store.paths.pad));
}

function readRequest(
  invocation: Invocation,
  options: AssembleOptions,
  { workspace, store }: Opened,
): AssembleRequest {
  const { messages, transcript, ttl } = options;
  if (messages !== undefined && transcript !== undefined) {
    throw new ScratchpadError('usage', 'the session is given twice', {
      expected: '--messages or --transcript, not both',
    });
  }
  const request: AssembleRequest = {
    ...(ttl === undefined ? {} : { ttlMs: parseDuration(ttl) }),
    dryRun: options.dryRun ?? false,
  };
  if (messages !== undefined) {
    const text = messages === '-' ? readStdin() : readInputFile(messages, invocation.cwd);
    return { ...request, messages: { text, name: messages === '-' ? 'standard input' : messages } };
  }
  if (transcript !== undefined) return { ...request, transcript: resolve(invocation.cwd, transcript) };
  const named = invocation.options.workspace !== undefined;
  if (!named && !workspace.exists && !SIGNS.some((sign) => existsSync(join(workspace.root, sign)))) {
    throw new ScratchpadError('refused', 'this directory is not a workspace: nothing was written', {
      where: workspace.root,
      expected: `SCRATCHPAD.md, .scratchpad/, or one of ${SIGNS.join(', ')}`,
      found: 'none of them here or in a directory above',
      next: 'run scratchpad init here, or name the workspace with --workspace',
    });
  }
  const asked = invocation.options.session;
  return asked === undefined || asked === store.paths.session ? request : { ...request, session: asked };
}

function summary({ assembly, source }: Assembled, pad: string): string {
  const counts = assembly.stages.map(({ id, status }) => `${id} ${status}`).join(', ');
  const from = source
    ? `${source.transcript.messages.length} messages from ${source.name}`
    : 'no session found';
  return `${pad}: ${assembly.tokens} tokens, fresh until ${assembly.expires}\n${from}\n${counts}`;
}

function explained({ assembly, source }: Assembled): string {
  const out = [
    `From: ${source?.name ?? 'no session'}`,
    `Tokens: ${assembly.tokens}, fresh until ${assembly.expires}`,
  ];
  for (const skipped of source?.transcript.skipped ?? [])
    out.push(`Passed over: ${skipped.count} ${skipped.reason}`);
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
    ...dropped.map(({ text }) => `  left out for the budget: ${text}`),
  ];
}
