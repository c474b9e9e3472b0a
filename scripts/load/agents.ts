import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openScratchpad } from '../../src/index.ts';

/**
 * A process with many agents of one machine, each with a session of its own in addition to the shared one, until it
 * is killed. A line is recorded as acknowledged once `append` has resolved. Started by `index.ts`.
 */
interface Task {
  workspace: string;
  home: string;
  store: string;
  acknowledged: string;
  agents: string[];
  /** Distinguishes the lines of this process from those of its predecessor. */
  life: number;
  pauseMs: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as Task;
const env = {
  ...process.env,
  HOME: task.home,
  XDG_CONFIG_HOME: `${task.home}/.config`,
  SCRATCHPAD_STORE: task.store,
};
const shared = await openScratchpad({ workspace: task.workspace, env });

/** Appends a line and records its acknowledgement, unless it was refused or timed out. */
async function append(session: string, line: string): Promise<void> {
  const { workspace } = task;
  const pad = session === 'main' ? shared : await openScratchpad({ workspace, session, env });
  try {
    await pad.notes.append(line);
  } catch {
    return;
  }
  appendFileSync(task.acknowledged, `${session}\t${line}\n`);
}

// Only every tenth agent writes a line to the shared pad, so that it stays within its limit.
for (let round = 0; ; round += 1) {
  for (const agent of task.agents) {
    const line = `${agent}.${task.life}.${round}`;
    await append(agent, line);
    if (round === 0 && agent.endsWith('0')) await append('main', line);
    await sleep(task.pauseMs);
  }
}
