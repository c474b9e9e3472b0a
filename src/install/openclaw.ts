import { join } from 'node:path';
import { homeOf, list, readText } from '../fs/index.ts';
import type { Target } from './change.ts';
import type { Installation, InstallContext } from './installation.ts';
import { openClawEntry } from './openclaw-settings.ts';

/** Ships with the package, two levels above this file in the source and in a build. */
const PACKAGE = join(import.meta.dirname, '../..');
const PLUGIN_TEMPLATE = join(PACKAGE, 'templates/openclaw-plugin/');

/** OpenClaw's state directory. */
export function openClawHome(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_STATE_DIR || join(homeOf(env), '.openclaw');
}

export function openClawConfig(env: NodeJS.ProcessEnv): string {
  return env.OPENCLAW_CONFIG_PATH || join(openClawHome(env), 'openclaw.json');
}

/** The plugin's files, and the entry in openclaw.json that lets it see the conversation. */
export function openClaw({ env }: InstallContext): Installation {
  const dir = join(openClawHome(env), 'extensions', 'scratchpad');
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
