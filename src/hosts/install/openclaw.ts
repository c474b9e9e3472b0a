import { join } from 'node:path';
import { failed } from '../../base/errors.ts';
import { list, readText } from '../../base/fs/index.ts';
import { packageFolder } from '../../base/fs/system.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { isUnwritten, ownFile, type Target } from './change.ts';
import { openClawState } from './host-files.ts';
import type { Installation, InstallContext } from './installation.ts';
import { read, settingsTarget, setValue, valueAt, withoutEmpty } from './json-parts.ts';
import { shellLine } from './program.ts';

const pluginTemplate = (): string => join(packageFolder(), 'templates/openclaw-plugin/');

export function openClawConfig(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_CONFIG_PATH || join(openClawState(env), 'openclaw.json');
}

/** The plugin's files, and the entry in openclaw.json that lets it see the conversation. */
export function openClaw({ env }: InstallContext): Installation {
  const dir = join(openClawState(env), 'extensions', 'scratchpad');
  const config = openClawConfig(env);
  return {
    targets: [
      openClawEntry(config),
      ...list(pluginTemplate()).map((name) => ownFile(join(dir, name), () => pluginFile(name))),
    ],
    does: [
      `plugin      ${dir}: what it says before each prompt, long outputs, the tool session.scratchpad`,
      `settings    ${config}: the plugin enabled, and allowed to see the conversation`,
    ],
    notes: ['Restart the gateway so that OpenClaw loads the plugin.'],
  };
}

/** A file of the plugin as it is installed: it runs the code of this package inside OpenClaw. */
function pluginFile(name: string): string {
  const text = readText(join(pluginTemplate(), name), 'package') ?? '';
  return text.replace("const PACKAGE = '';", () => `const PACKAGE = ${JSON.stringify(packageFolder())};`);
}

const ENTRY = ['plugins', 'entries', 'scratchpad'];
const GRANTS: readonly (readonly string[])[] = [
  [...ENTRY, 'enabled'],
  [...ENTRY, 'hooks', 'allowConversationAccess'],
];
const ACCESS = JSON.stringify({ enabled: true, hooks: { allowConversationAccess: true } });

/** The settings of OpenClaw: JSON, with comments; `undefined` for JSON5, which only OpenClaw itself reads and edits. */
export function openClawSettings(text: string, path: string): JsonObject | undefined {
  try {
    return read(isUnwritten(text) ? '{}' : text, path);
  } catch {
    return undefined;
  }
}

/** The entry in openclaw.json that lets the plugin see the conversation. */
function openClawEntry(path: string): Target {
  const json = settingsTarget(path, [
    {
      add: (text) =>
        GRANTS.filter((place) => valueAt(read(text, path), place) !== true).reduce(
          (now, place) => setValue(now, place, true, path),
          text,
        ),
      remove: (text, _, before) =>
        valueAt(read(text, path), ENTRY) === undefined
          ? text
          : withoutEmpty(setValue(text, ENTRY, undefined), ENTRY.slice(0, -1), path, before),
    },
  ]);
  /** JSON5 is for OpenClaw, or the person, to edit; whether it has our entry can be told without reading it. */
  const unlessJson5 = (text: string, wanted: boolean, next: string, edit: () => string | undefined) => {
    if (openClawSettings(text, path) !== undefined) return edit();
    if (/\bscratchpad["']?\s*:/.test(text) === wanted) return text;
    throw failed('only OpenClaw can edit its JSON5: nothing was changed', {
      where: path,
      expected: 'JSON, with or without comments',
      next: `${next}; then run the command again`,
    });
  };
  const set = ['openclaw', 'config', 'set', ENTRY.join('.'), ACCESS, '--strict-json', '--merge'];
  return {
    path,
    add: (text = '') => unlessJson5(text, true, shellLine(set), () => json.add(text)) ?? text,
    remove: (text, before) =>
      unlessJson5(text, false, `remove by hand: ${ENTRY.join('.')}`, () => json.remove(text, before)),
  };
}
