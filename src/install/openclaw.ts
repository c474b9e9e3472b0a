import { join } from 'node:path';
import { homeOf, list, readText } from '../fs/index.ts';
import { isObject, type JsonObject, objectAt } from '../text/json.ts';
import type { Target } from './change.ts';
import { isUnwritten, read, setValue } from './hooks-json.ts';
import type { Installation, InstallContext } from './installation.ts';
import { readJson5, removeJson5, setJson5 } from './json5.ts';

/** Ships with the package, two levels above this file in the source and in a build. */
const PACKAGE = join(import.meta.dirname, '../..');
const PLUGIN_TEMPLATE = join(PACKAGE, 'templates/openclaw-plugin/');

/** OpenClaw's state directory. */
export function openClawState(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_STATE_DIR || join(homeOf(env), '.openclaw');
}

export function openClawConfig(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_CONFIG_PATH || join(openClawState(env), 'openclaw.json');
}

/** The plugin's files, and the entry in openclaw.json that lets it see the conversation. */
export function openClaw({ env }: InstallContext): Installation {
  const dir = join(openClawState(env), 'extensions', 'scratchpad');
  const files: Target[] = list(PLUGIN_TEMPLATE).map((name) => {
    const text = pluginFile(name);
    return { path: join(dir, name), add: () => text, remove: () => undefined };
  });
  const config = openClawConfig(env);
  return {
    targets: [openClawEntry(config), ...files],
    does: [
      `plugin      ${dir}: what it says before each prompt, long outputs, the tool session.scratchpad`,
      `settings    ${config}: the plugin enabled, and allowed to see the conversation`,
    ],
    notes: ['Restart the gateway so that OpenClaw loads the plugin.'],
  };
}

/** A file of the plugin as it is installed: it runs the code of this package inside OpenClaw. */
export function pluginFile(name: string): string {
  const text = readText(join(PLUGIN_TEMPLATE, name), 'package') ?? '';
  return text.replace("const PACKAGE = '';", () => `const PACKAGE = ${JSON.stringify(PACKAGE)};`);
}

const ENTRY = ['plugins', 'entries', 'scratchpad'];

/**
 * The settings of OpenClaw, which are JSON5.
 * @throws ScratchpadError `refused` for a file that is neither JSON5 nor JSON
 */
export function openClawSettings(text: string, path: string): JsonObject {
  return readJson5(text) ?? read(text, path);
}

/** The entry in openclaw.json that lets the plugin see the conversation. */
function openClawEntry(path: string): Target {
  return {
    path,
    add(text) {
      const now = text === undefined || isUnwritten(text) ? '{}\n' : text;
      const found = entryIn(openClawSettings(now, path));
      let next = now;
      if (found?.enabled !== true) next = set(next, [...ENTRY, 'enabled'], true, path);
      if (objectAt(found, 'hooks')?.allowConversationAccess !== true) {
        next = set(next, [...ENTRY, 'hooks', 'allowConversationAccess'], true, path);
      }
      return next;
    },
    remove(text) {
      if (isUnwritten(text)) return text;
      if (!entryIn(openClawSettings(text, path))) return text;
      let next = set(text, ENTRY, undefined, path);
      for (const place of [['plugins', 'entries'], ['plugins']]) {
        const at = place.reduce<unknown>(
          (value, key) => (isObject(value) ? value[key] : undefined),
          openClawSettings(next, path),
        );
        if (isObject(at) && Object.keys(at).length === 0) next = set(next, place, undefined, path);
      }
      return Object.keys(openClawSettings(next, path)).length === 0 ? undefined : next;
    },
  };
}

const entryIn = (settings: JsonObject): JsonObject | undefined =>
  objectAt(objectAt(objectAt(settings, 'plugins'), 'entries'), 'scratchpad');

/** Plain JSON stays plain JSON; `undefined` removes a value. */
function set(text: string, place: string[], value: unknown, path: string): string {
  if (isJson(text, path)) return setValue(text, place, value, path);
  return value === undefined ? removeJson5(text, place) : setJson5(text, place, value);
}

function isJson(text: string, path: string): boolean {
  try {
    read(text, path);
    return true;
  } catch {
    return false;
  }
}
