import { join } from 'node:path';
import { failed, type ScratchpadError } from '../../base/errors.ts';
import { homeOf, list, readText } from '../../base/fs/index.ts';
import { packageFolder } from '../../base/package.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { fileAt, type Target } from './change.ts';
import { isUnwritten, read, setValue } from './hooks-json.ts';
import type { Installation, InstallContext } from './installation.ts';
import { findExecutable, shellLine } from './program.ts';
import { settingsTarget, valueAt, withoutEmpty } from './settings-file.ts';
import { demand, type Service } from './system.ts';

const pluginTemplate = (): string => join(packageFolder(), 'templates/openclaw-plugin/');

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
  const files: Target[] = list(pluginTemplate()).map((name) => {
    const text = pluginFile(name);
    return { path: join(dir, name), add: () => text, remove: () => undefined };
  });
  const config = openClawConfig(env);
  const entry = openClawEntry(config, env);
  const text = readText(config, 'host') ?? '';
  const itself = openClawSettings(text, config) === undefined && !isNamedIn(text);
  return {
    targets: [entry, ...files],
    ...(itself ? { service: dryRun(config) } : {}),
    does: [
      `plugin      ${dir}: what it says before each prompt, long outputs, the tool session.scratchpad`,
      `settings    ${config}: the plugin enabled, and allowed to see the conversation`,
    ],
    notes: ['Restart the gateway so that OpenClaw loads the plugin.'],
  };
}

/** A file of the plugin as it is installed: it runs the code of this package inside OpenClaw. */
export function pluginFile(name: string): string {
  const text = readText(join(pluginTemplate(), name), 'package') ?? '';
  return text.replace("const PACKAGE = '';", () => `const PACKAGE = ${JSON.stringify(packageFolder())};`);
}

const ENTRY = ['plugins', 'entries', 'scratchpad'];
const ACCESS = { enabled: true, hooks: { allowConversationAccess: true } };
const SET = [
  'openclaw',
  'config',
  'set',
  ENTRY.join('.'),
  JSON.stringify(ACCESS),
  '--strict-json',
  '--merge',
];
/** What a person adds by hand where neither we nor OpenClaw can. */
const LINES = `plugins: { entries: { scratchpad: ${JSON.stringify(ACCESS)} } }`;

/** The settings of OpenClaw: JSON, with comments; `undefined` for JSON5, which only OpenClaw itself reads and edits. */
export function openClawSettings(text: string, path: string): JsonObject | undefined {
  try {
    return read(isUnwritten(text) ? '{}' : text, path);
  } catch {
    return undefined;
  }
}

const GRANTS: readonly (readonly string[])[] = [
  [...ENTRY, 'enabled'],
  [...ENTRY, 'hooks', 'allowConversationAccess'],
];

/** The entry in openclaw.json that lets the plugin see the conversation. */
function openClawEntry(path: string, env: NodeJS.ProcessEnv): Target {
  const file = fileAt(path);
  const json = settingsTarget(path, [
    {
      add: (text) =>
        GRANTS.filter((place) => valueAt(read(text, path), place) !== true).reduce(
          (now, place) => setValue(now, [...place], true, path),
          text,
        ),
      remove: (text) =>
        valueAt(read(text, path), ENTRY) === undefined
          ? text
          : withoutEmpty(setValue(text, ENTRY, undefined), ENTRY.slice(0, -1), path),
    },
  ]);
  let shown: string | undefined;
  return {
    path,
    place: {
      ...file,
      // OpenClaw writes the file itself, as plain JSON; the original is in the record of the installation.
      write: (text) => (text === shown ? void demand(SET, env) : file.write(text)),
    },
    add(text = '') {
      if (openClawSettings(text, path)) return json.add(text);
      if (isNamedIn(text)) return text;
      if (findExecutable('openclaw', env) === undefined)
        throw byHand(path, 'add', 'no program called openclaw');
      shown = `${text}// by: ${shellLine(SET)}\n`;
      return shown;
    },
    remove(text) {
      if (openClawSettings(text, path)) return json.remove(text);
      if (!isNamedIn(text)) return text;
      throw byHand(path, 'remove', 'JSON5 written by hand');
    },
  };
}

/** Whether JSON5 has our entry, as far as that can be told without reading JSON5. */
const isNamedIn = (text: string): boolean => /\bscratchpad["']?\s*:/.test(text);

/** Before anything is written: whether OpenClaw takes the change. */
function dryRun(path: string): Service {
  return {
    check: [[...SET, '--dry-run']],
    instead: `add by hand, to ${path}: ${LINES}; then run the command again`,
  };
}

const byHand = (where: string, verb: 'add' | 'remove', found: string): ScratchpadError =>
  failed(`only OpenClaw can edit JSON5: nothing was changed`, {
    where,
    expected: 'JSON, or the program openclaw on the PATH',
    found,
    next: `${verb} by hand, then run the command again: ${LINES}`,
  });
