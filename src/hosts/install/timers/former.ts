import { join } from 'node:path';
import { homeOf } from '../../../base/fs/index.ts';
import { isObject, type JsonObject, parsedObject, textAt } from '../../../base/text/json.ts';
import type { Installation } from '../installation.ts';
import { ownFile } from '../marked-block.ts';
import { demand } from '../system.ts';
import type { Timer } from './timer.ts';

/** What takes a timer of an earlier version away. */
export function formerInstallation(timer: Timer, env: NodeJS.ProcessEnv): Installation {
  return timer.kind === 'launchd' ? launchAgent(timer, env) : automation(timer, env);
}

function launchAgent({ name }: Timer, env: NodeJS.ProcessEnv): Installation {
  const path = join(homeOf(env), 'Library', 'LaunchAgents', `${name}.plist`);
  const stop = [['launchctl', 'bootout', `gui/${process.getuid?.() ?? 0}/${name}`]];
  return {
    targets: [ownFile(path, () => '')],
    notes: [],
    service: { stop },
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
