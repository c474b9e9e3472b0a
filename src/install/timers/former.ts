import { join } from 'node:path';
import { ScratchpadError } from '../../errors.ts';
import { homeOf } from '../../fs/index.ts';
import { isObject, type JsonObject, parsedObject, textAt } from '../../text/json.ts';
import type { Installation } from '../installation.ts';
import { ownFile } from '../marked-block.ts';
import { demand } from '../system.ts';
import { isFormer, type Timer } from './timer.ts';

/** @throws ScratchpadError `usage` */
export function refuseFormer(name: string): void {
  if (!isFormer(name)) return;
  throw new ScratchpadError('usage', `install ${name} is gone: nothing was changed`, {
    expected: 'scratchpad install cron or systemd, or lines of your own',
    next: `docs/triggers.md has the lines to copy; one that is installed goes with: scratchpad uninstall ${name}`,
  });
}

/** What takes one away. */
export function formerInstallation(timer: Timer, env: NodeJS.ProcessEnv): Installation {
  return timer.kind === 'launchd' ? launchAgent(timer, env) : automation(timer, env);
}

function launchAgent({ name }: Timer, env: NodeJS.ProcessEnv): Installation {
  const path = join(homeOf(env), 'Library', 'LaunchAgents', `${name}.plist`);
  const stop = [['launchctl', 'bootout', `gui/${process.getuid?.() ?? 0}/${name}`]];
  return {
    targets: [ownFile(path, () => '')],
    notes: [],
    service: { check: [], instead: '', start: [], stop, gone: [], notes: [] },
  };
}

/** An automation of OpenClaw's gateway, found by its declaration key (2026.9). */
function automation({ name }: Timer, env: NodeJS.ProcessEnv): Installation {
  const jobs = (): JsonObject[] => {
    const text = demand(['openclaw', 'automations', 'list', '--all', '--json'], env).toString('utf8');
    const list = parsedObject(text)?.jobs;
    return Array.isArray(list) ? list.filter((job) => isObject(job) && job.declarationKey === name) : [];
  };
  const place = {
    read: () => (jobs().length === 0 ? undefined : `${JSON.stringify(jobs(), null, 2)}\n`),
    write: () => undefined,
    remove() {
      for (const job of jobs()) demand(['openclaw', 'automations', 'rm', textAt(job, 'id') ?? ''], env);
    },
  };
  return {
    targets: [{ path: 'openclaw automations', place, add: (text = '') => text, remove: () => undefined }],
    notes: [],
  };
}
