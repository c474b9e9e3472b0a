import { stateChange } from '../assembly/assemble.ts';
import { assemblePad } from '../assembly/assemble-pad.ts';
import { writeLastRun } from '../assembly/last-run.ts';
import type { Pad } from '../core/context.ts';
import { startRefresh } from '../memory/background.ts';
import type { Snapshot } from '../session/store.ts';
import type { Transcript } from '../transcript/read.ts';

// In the same bundle: one file less to load.
export { readTranscriptFile, readTranscriptText } from '../transcript/read.ts';

export interface HookAssembly {
  /** The pad as it was read for the answer. */
  before: Snapshot;
  transcript: Transcript | undefined;
  path: string | undefined;
  session: string | undefined;
  prompt: string | undefined;
  /** Whether the session that was active last may stand in for one that has no messages yet. */
  discover: boolean;
  /** Directory of the last assembly's report. */
  dir: string;
  withinMs: number;
}

/**
 * Composes the state block for a hook and tries to write it. A block that cannot be written -
 * a held lock, a full disk - is as good for the model as one that can.
 */
export async function assembleForHook(
  pad: Pad,
  { before, transcript, path, session, prompt, discover, dir, withinMs }: HookAssembly,
): Promise<{ block: string; fault?: unknown }> {
  const usable = transcript?.messages.some(({ role }) => role === 'user') ?? false;
  const read =
    usable || !discover ? { transcript: transcript ?? NOTHING, name: path ?? 'the prompt' } : undefined;
  const own = usable || !discover;
  const done = await assemblePad(pad, {
    before,
    dryRun: true,
    withinMs,
    refreshMemory: () => startRefresh(pad.root),
    ...(read === undefined ? {} : { read }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(own && session !== undefined ? { from: session } : {}),
  });
  // A block without this session's words must not pass for its own at the next prompt.
  const { from = NOBODY } = done.assembly;
  const assembly = { ...done.assembly, from: own || from !== session ? from : NOBODY };
  const { block } = assembly;
  try {
    await pad.store.change(() => [stateChange(assembly)]);
    writeLastRun(dir, done);
    await done.keep();
    return { block };
  } catch (fault) {
    return { block, fault };
  }
}

const NOBODY = 'none';
const NOTHING: Transcript = {
  format: 'none',
  messages: [],
  facts: { compactions: [], entries: [] },
  skipped: [],
};
