import { getMessage } from '../base/errors.ts';
import { judgeProvenance, type Provenance } from '../base/trust/index.ts';
import type { Pad } from '../core/context.ts';
import { type CurrentWork, openHandover } from '../handover/index.ts';
import { collectFeedback, keepFeedback } from '../sentiment/feedback/remarks.ts';
import { NO_SPACES } from '../session/journal.ts';
import type { StateRun } from '../session/state-file.ts';
import type { Snapshot } from '../session/store.ts';
import { chooseZone, openClock, PROMPT_IN_HAND } from '../stages/clock.ts';
import { describeSkipped } from '../transcript/record.ts';
import type { Message } from '../transcript/types.ts';
import { type AssembleInput, type Assembly, assemble, startAssembly, toKeptState } from './assemble.ts';
import { readSource, type Source, type SourceRequest } from './source.ts';

export interface AssembleRequest
  extends SourceRequest,
    Pick<AssembleInput, 'ttlMs' | 'from' | 'host' | 'withinMs' | 'refreshMemory'> {
  /** The pad, if the caller has just read it. */
  before?: Snapshot;
  /** The prompt that the person has just typed: the transcript may not contain it yet. */
  prompt?: string | undefined;
  provenance?: Provenance;
  onProblem?: ((message: string) => void) | undefined;
  /** Opens the hand-over; default: that of the session that is read. */
  handover?: () => Promise<CurrentWork | undefined>;
}

export interface AssemblyResult {
  assembly: Assembly;
  source: Source | undefined;
  /** Notices from reading the pad: damage, merged edits. */
  notices: readonly string[];
  /**
   * Writes the block into the pad, and stores the remarks on the answers that were noticed. With `turn` the block is kept
   * beside the pad until the end of the turn, if the config and the place allow.
   * @returns notices of the store
   * @throws what the store throws; other errors go to `onProblem`
   */
  store(when?: 'now' | 'turn'): Promise<readonly string[]>;
}

/** The lines for a model; `store` assembles the rest of the block before it writes it. */
export type ModelAssembly = Pick<AssemblyResult, 'store'> & { assembly: Pick<Assembly, 'stages'> };

/** Reads a session and runs the stages: the only way from a request to a state block. Writes nothing yet. */
export async function assemblePad(pad: Pad, request: AssembleRequest = {}): Promise<AssemblyResult> {
  const { input, source, notices, store } = await prepareAssembly(pad, request);
  const assembly = await assemble(input);
  return { assembly, source, notices, store: (when) => store(assembly, when) };
}

/** Runs only the stages whose lines a model is told, since it waits for them. */
export async function assembleForModel(pad: Pad, request: AssembleRequest): Promise<ModelAssembly> {
  const { input, store } = await prepareAssembly(pad, request);
  const { stages, complete } = await startAssembly(input);
  return { assembly: { stages }, store: async (when) => store(await complete(), when) };
}

async function prepareAssembly(pad: Pad, request: AssembleRequest) {
  const { root, config, env } = pad;
  const { onProblem = () => undefined } = request;
  const source = await readSource(request, root, config, env, onProblem);
  for (const each of source?.transcript.skipped ?? [])
    if (/^invalid |^broken |^line |cannot be read|of a role/.test(each.reason))
      onProblem(`${source?.name}: ${describeSkipped(each)}, ignored`);

  const before = request.before ?? (await pad.store.read());
  const now = pad.now();
  const from = request.from ?? source?.transcript.facts.id;
  const messages = withPrompt(source?.transcript.messages ?? [], request.prompt, now);
  const feedback = collectFeedback(root, config, messages);
  const provenance = request.provenance ?? judgeProvenance(root, env);
  const isOwn = provenance.spaces === 'own';
  const input: AssembleInput = {
    workspace: root,
    cwd: pad.cwd,
    now,
    clock: openClock(chooseZone(config, source?.transcript.facts)),
    messages,
    signs: source?.transcript.signs,
    facts: source?.transcript.facts,
    // A stranger's text must not be repeated in our own words.
    spaces: isOwn ? before.spaces : NO_SPACES,
    isForeign: provenance.withheld !== undefined,
    config,
    env,
    feedback: isOwn ? feedback.events : feedback.noticed,
    openHandover: request.handover ?? (() => readHandover(pad, source, from)),
    openHistory: async () => (await pad.store.history()).revisions,
    previous: before.state,
    ttlMs: request.ttlMs,
    withinMs: request.withinMs,
    from,
    host: request.host,
    refreshMemory: request.refreshMemory,
  };

  const storeState = async (assembly: Assembly, when: 'now' | 'turn' = 'now'): Promise<readonly string[]> => {
    const stored = await storeAssembly(pad, assembly, source, when);

    try {
      await keepFeedback(root, feedback);
    } catch (error) {
      // The next assembly notices the same remarks again.
      onProblem(`feedback not kept: ${getMessage(error)}`);
    }

    return stored;
  };

  return { input, source, notices: before.notices, store: storeState };
}

/** @returns notices of the store */
async function storeAssembly(
  { store, config }: Pad,
  assembly: Assembly,
  source: Source | undefined,
  when: 'now' | 'turn',
): Promise<readonly string[]> {
  const state = { ...toKeptState(assembly), run: describeRun(assembly, source) };
  const isKept = when === 'turn' && config.state.write === 'turn' && store.keepState(state);
  return isKept ? [] : store.writeState(state);
}

const describeRun = ({ stages }: Assembly, source: Source | undefined): StateRun => ({
  source: source?.name ?? null,
  messages: source?.transcript.messages.length ?? 0,
  skipped: source?.transcript.skipped ?? [],
  stages: stages.map(({ id, status, reason, dropped }) => ({ id, status, reason, dropped: dropped.length })),
});

/** Assembles and writes the block. @throws what reading the source or writing the pad throws */
export async function assembleAndStore(
  pad: Pad,
  request: AssembleRequest = {},
): Promise<Omit<AssemblyResult, 'store'>> {
  const { assembly, source, store } = await assemblePad(pad, request);
  return { assembly, source, notices: await store() };
}

async function readHandover(
  { root, config, env, now }: Pad,
  source: Source | undefined,
  session: string | undefined,
): Promise<CurrentWork | undefined> {
  const transcript = source?.path;
  if (transcript === undefined && session === undefined) return undefined;

  const cwd = source?.transcript.facts.cwd;
  const onProblem = (): void => undefined;
  return openHandover({ root, config, env, cwd, session, transcript, now: now(), onProblem });
}

/** Hosts write their transcripts late: the current prompt may or may not be there already. */
function withPrompt(messages: readonly Message[], prompt: string | undefined, now: number): Message[] {
  const content = prompt?.trim() ?? '';
  const last = messages.findLast((message) => message.role === 'user');
  if (content === '') return [...messages];
  if (last?.content.trim() === content)
    return messages.map((message) => (message === last ? { ...message, id: PROMPT_IN_HAND } : message));

  const timestamp = new Date(now).toISOString();
  const session = messages.at(-1)?.session ?? 'unknown';
  return [...messages, { id: PROMPT_IN_HAND, role: 'user', content, timestamp, session }];
}
