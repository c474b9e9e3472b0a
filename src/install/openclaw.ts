import { join } from 'node:path';
import { homeOf, list, readText } from '../fs/index.ts';
import { isObject, objectAt } from '../transcript/json.ts';
import type { Target } from './change.ts';
import { isBlank, read, setValue } from './hooks-json.ts';
import type { Installation, InstallContext } from './installation.ts';

/** Ships with the package, two levels above this file in the source and in a build. */
export const PLUGIN_TEMPLATE = join(import.meta.dirname, '../../templates/openclaw-plugin/');
const ENTRY = ['plugins', 'entries', 'scratchpad'];

/** OpenClaw's state directory. */
export function openClawHome(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_STATE_DIR || join(homeOf(env), '.openclaw');
}

export function openClawConfig(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_CONFIG_PATH || join(openClawHome(env), 'openclaw.json');
}

/** The plugin's files, and the entry in openclaw.json that lets it see the conversation. */
export function openClaw({ env, program }: InstallContext): Installation {
  const dir = join(openClawHome(env), 'extensions', 'scratchpad');
  const words = JSON.stringify([program.command, ...program.args]);
  const files: Target[] = list(PLUGIN_TEMPLATE).map((name) => {
    const text = (readText(join(PLUGIN_TEMPLATE, name), 'package') ?? '').replace(
      "['scratchpad']",
      () => words,
    );
    return { path: join(dir, name), add: () => text, remove: () => undefined };
  });
  const config = openClawConfig(env);
  const entry: Target = {
    path: config,
    add(text) {
      const now = text === undefined || isBlank(text) ? '{}\n' : text;
      const found = objectAt(objectAt(objectAt(read(now, config), 'plugins'), 'entries'), 'scratchpad');
      const hooks = objectAt(found, 'hooks');
      let next = now;
      if (found?.enabled !== true) next = setValue(next, [...ENTRY, 'enabled'], true, config);
      if (hooks?.allowConversationAccess !== true) {
        next = setValue(next, [...ENTRY, 'hooks', 'allowConversationAccess'], true, config);
      }
      return next;
    },
    remove(text) {
      if (isBlank(text)) return text;
      if (!objectAt(objectAt(objectAt(read(text, config), 'plugins'), 'entries'), 'scratchpad')) return text;
      let next = setValue(text, ENTRY, undefined);
      for (const path of [['plugins', 'entries'], ['plugins']]) {
        const at = path.reduce<unknown>(
          (value, key) => (isObject(value) ? value[key] : undefined),
          read(next, config),
        );
        if (isObject(at) && Object.keys(at).length === 0) next = setValue(next, path, undefined);
      }
      return Object.keys(read(next, config)).length === 0 ? undefined : next;
    },
  };
  return {
    targets: [entry, ...files],
    does: [
      `plugin      ${dir}: what it says before each prompt, long outputs, the tool session.scratchpad`,
      `settings    ${config}: the plugin enabled, and allowed to see the conversation`,
    ],
    notes: ['Restart the gateway so that OpenClaw loads the plugin.'],
  };
}
