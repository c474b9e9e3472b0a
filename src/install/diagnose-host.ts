import { resolve } from 'node:path';
import { exists, readText } from '../fs/index.ts';
import { type JsonObject, objectAt } from '../text/json.ts';
import { enabledPlugin } from './claude-code.ts';
import { claudeFindings, pluginFindings, serversIn } from './diagnose-claude.ts';
import { codexFindings } from './diagnose-codex.ts';
import { extensionFindings, geminiFindings } from './diagnose-gemini.ts';
import { nodeOf } from './diagnose-node.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { installedExtension } from './gemini-cli.ts';
import { callsUs, isFormerServer, wordsOfHook } from './hook-command.ts';
import { hooksIn, read } from './hooks-json.ts';
import { findExecutable } from './program.ts';
import { settingsFiles } from './settings-file.ts';

/** Servers over HTTP, which earlier versions offered: nothing answers there. */
export function formerServers(root: string, env: NodeJS.ProcessEnv): Finding[] {
  const found = serversIn(root, env).filter(({ server }) => isFormerServer(server));
  return found.map(({ host, path }) =>
    warn(
      host,
      `${path} names an MCP server over HTTP, which this version does not have`,
      `scratchpad install ${host} puts the one on stdin and stdout in its place; uninstall ${host} takes it away`,
    ),
  );
}

export const HOSTS = ['claude-code', 'codex', 'gemini-cli'] as const;

/** Problems in a host's settings; none if the scratchpad is not installed in them. */
export function hostFindings(host: (typeof HOSTS)[number], root: string, env: NodeJS.ProcessEnv): Finding[] {
  const findings: Finding[] = [];
  const places: string[] = [];
  for (const path of new Set(Object.values(settingsFiles(host, root, env)))) {
    const text = readText(path, 'host');
    if (text === undefined) continue;
    try {
      const settings = read(text, path);
      const ours = hooksIn(text, path).filter(({ hook }) => callsUs(host)(hook));
      if (ours.length === 0) continue;
      places.push(path);
      const command = ours.find(({ hook }) => typeof hook.command === 'string')?.hook;
      if (command !== undefined) findings.push(...commandFindings(host, path, command, root, env));
      if (host === 'claude-code') findings.push(...claudeFindings(path, settings, ours, root, env));
      findings.push(...switchedOff(host, path, settings));
      if (host === 'gemini-cli') findings.push(...geminiFindings(root, env));
      if (host === 'codex') findings.push(...codexFindings(path, text, ours, env));
    } catch {
      findings.push(fail(host, `${path} is not valid JSON`, 'fix it: the host ignores the whole file'));
    }
  }
  const plugin = host === 'claude-code' ? enabledPlugin(root, env) : undefined;
  if (plugin !== undefined) {
    places.push(`the plugin ${plugin}`);
    findings.push(...pluginFindings(plugin, env));
  }
  const extension = host === 'gemini-cli' ? installedExtension(root, env) : undefined;
  if (extension !== undefined) {
    places.push(`the extension in ${extension}`);
    findings.push(...extensionFindings(extension));
  }
  if (places.length > 1) {
    const found = `hooks run twice: from ${places.join(' and ')}`;
    findings.push(warn(host, found, `scratchpad uninstall ${host}`));
  }
  return findings;
}

function commandFindings(
  host: string,
  path: string,
  hook: JsonObject,
  root: string,
  env: NodeJS.ProcessEnv,
): Finding[] {
  const words = wordsOfHook(hook);
  const [command = '', script = ''] = words;
  const broken = (found: string, next = `scratchpad install ${host}`): Finding[] => [
    fail(host, `${path} ${found}`, next),
  ];
  if (findExecutable(command, env) === undefined) return broken(`calls ${command}, which cannot be run`);
  if (/\.[cm]?js$/.test(script) && !exists(script)) return broken(`calls ${script}, which does not exist`);
  const named = workspaceIn(words);
  if (named !== undefined && resolve(root, named) !== root) {
    return broken(
      `sends its hooks to the workspace ${named}, and this one is ${root}`,
      'remove --workspace from the hooks, or run scratchpad there',
    );
  }
  return [ok(host, `hooks in ${path}`), ...nodeOf(command, host, env)];
}

function workspaceIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '-w' || /^--workspace(?:=|$)/.test(word));
  return at < 0 ? undefined : (/=(.*)$/s.exec(words[at] ?? '')?.[1] ?? words[at + 1]);
}

function switchedOff(host: string, path: string, settings: JsonObject): Finding[] {
  if (host === 'claude-code' && settings.disableAllHooks === true) {
    return [fail(host, `disableAllHooks is set in ${path}`, 'remove it from the settings')];
  }
  if (host === 'gemini-cli' && objectAt(settings, 'hooksConfig')?.enabled === false) {
    return [fail(host, `hooksConfig.enabled is false in ${path}`, 'set it to true')];
  }
  return [];
}
