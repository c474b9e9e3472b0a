import { join } from 'node:path';
import { homeOf } from '../../base/fs/index.ts';
import { gitPlace, mainTopOf } from '../../base/git/place.ts';
import { isObject, type JsonObject, membersOf } from '../../base/text/json.ts';
import type { Target } from './change.ts';
import { isFormerServer, isServerOfOurs, SERVER } from './hook-command.ts';
import {
  addHooks,
  edit,
  type HookGroup,
  hooksIn,
  isUnwritten,
  read,
  removeHooks,
  setValue,
} from './hooks-json.ts';
import type { Scope } from './installation.ts';

/** Our part of a JSON settings file of a host. */
export interface SettingsPart {
  /** Adds it; `text` holds a JSON object. */
  add(text: string, path: string): string;
  /** Nothing but us writes such a part; the rest is ours only beside one of these, unless it is known. */
  distinct?: true;
  /** Removes it. */
  remove(text: string, path: string, before?: string): string;
}

/** A settings file with our parts; it is removed with them if nothing else is left. */
export function settingsTarget(
  path: string,
  parts: readonly SettingsPart[],
  more: Pick<Target, 'within' | 'rewritten'> = {},
): Target {
  return {
    path,
    ...more,
    add: (text) =>
      parts.reduce(
        (now, part) => part.add(now, path),
        text === undefined || isUnwritten(text) ? '{}\n' : text,
      ),
    remove(text, before) {
      if (isUnwritten(text)) return text;
      const signs = parts.filter(({ distinct }) => distinct);
      const isThere = signs.length === 0 || signs.some((part) => part.remove(text, path) !== text);
      if (before === undefined && !isThere) return text;
      const rest = parts.reduce((now, part) => part.remove(now, path, before), text);
      if (rest === text) return text;
      return Object.keys(read(rest, path)).length === 0 && !/\/[/*]/.test(rest) ? undefined : rest;
    },
  };
}

export function hooksPart(
  groups: ReadonlyMap<string, HookGroup>,
  isOurs: (hook: JsonObject) => boolean,
): SettingsPart {
  return {
    distinct: true,
    add: (text, path) => addHooks(text, groups, isOurs, path),
    remove: (text, path) =>
      hooksIn(text, path).some(({ hook }) => isOurs(hook)) ? removeHooks(text, isOurs, path) : text,
  };
}

/** Items of a list. */
export function listPart(place: readonly string[], items: readonly string[]): SettingsPart {
  const listIn = (text: string, path: string): unknown[] => {
    const value = valueAt(read(text, path), place);
    return Array.isArray(value) ? value : [];
  };
  return {
    add(text, path) {
      const missing = items.filter((item) => !listIn(text, path).includes(item));
      if (missing.length === 0) return text;
      const value = valueAt(read(text, path), place);
      if (!Array.isArray(value) || value.length === 0) return setValue(text, [...place], missing, path);
      return missing.reduce((now, item) => edit(now, [...place, -1], item, true), text);
    },
    remove(text, path, before = '{}') {
      const theirs = isUnwritten(before) ? [] : listIn(before, path);
      const isOurs = (item: unknown): boolean => items.includes(String(item)) && !theirs.includes(item);
      if (!listIn(text, path).some(isOurs)) return text;
      let now = text;
      for (let at = listIn(text, path).length - 1; at >= 0; at -= 1) {
        if (isOurs(listIn(now, path)[at])) now = edit(now, [...place, at], undefined);
      }
      return withoutEmpty(now, place, path);
    },
  };
}

/** Something that earlier versions added; installing removes it, too. */
export const formerPart = ({ remove }: SettingsPart): SettingsPart => ({ add: remove, remove });

/**
 * Our MCP server under its name; one over HTTP, of an earlier version, gives way to it.
 * @param staysEmpty whether the host itself writes an empty list of servers
 */
export const serverPart = (place: readonly string[], server: JsonObject, staysEmpty = false): SettingsPart =>
  valuePart(
    [...place, 'mcpServers', SERVER],
    server,
    (found) => isServerOfOurs(found) || isFormerServer(found),
    staysEmpty,
  );

/** One value under a name; a person's own value of that name stays. */
function valuePart(
  place: readonly string[],
  value: JsonObject,
  isOurs: (found: unknown) => boolean,
  staysEmpty: boolean,
): SettingsPart {
  return {
    distinct: true,
    add(text, path) {
      const found = valueAt(read(text, path), place);
      const stays = found !== undefined && found !== null && !isOurs(found);
      return stays || JSON.stringify(found) === JSON.stringify(value)
        ? text
        : setValue(text, [...place], value, path);
    },
    remove(text, path) {
      if (!isOurs(valueAt(read(text, path), place))) return text;
      const without = setValue(text, [...place], undefined);
      const around = valueAt(read(without, path), place.slice(0, -2));
      const isEntry = isObject(around) && Object.keys(around).length > 1;
      const list = place.slice(0, -1);
      const isBare = Object.keys(membersOf(valueAt(read(without, path), list))).length === 0;
      if (staysEmpty && isEntry) return isBare ? setValue(without, list, {}) : without;
      return withoutEmpty(without, list, path);
    },
  };
}

/** Removes objects that become empty, from the inside out. */
export function withoutEmpty(text: string, place: readonly string[], path: string): string {
  let now = text;
  for (let depth = place.length; depth > 0; depth -= 1) {
    const value = valueAt(read(now, path), place.slice(0, depth));
    const empty = Array.isArray(value)
      ? value.length === 0
      : isObject(value) && Object.keys(value).length === 0;
    if (!empty) break;
    now = edit(now, place.slice(0, depth), undefined);
  }
  return now;
}

export function valueAt(value: unknown, place: readonly string[]): unknown {
  return place.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

/** The files that may contain our hooks for a host, by scope. */
export function settingsFiles(host: string, root: string, env: NodeJS.ProcessEnv): Record<Scope, string> {
  const home = homeOf(env);
  if (host === 'claude-code') {
    const user = env.CLAUDE_CONFIG_DIR || join(home, '.claude');
    return {
      project: join(root, '.claude', 'settings.json'),
      local: join(root, '.claude', 'settings.local.json'),
      user: join(user, 'settings.json'),
    };
  }
  if (host === 'codex') {
    const project = join(root, '.codex', 'hooks.json');
    return { project, local: project, user: join(codexHome(env), 'hooks.json') };
  }
  const project = join(root, '.gemini', 'settings.json');
  return { project, local: project, user: join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json') };
}

function codexHome(env: NodeJS.ProcessEnv): string {
  return env.CODEX_HOME || join(homeOf(env), '.codex');
}

/** Where Claude Code stores what it knows about a person and their projects, including MCP servers. */
export function claudeState(env: NodeJS.ProcessEnv): string {
  return join(env.CLAUDE_CONFIG_DIR || homeOf(env), '.claude.json');
}

/** The folder by which Claude Code identifies a project: the repository's main work tree, if there is one. */
export function claudeProject(root: string): string {
  const place = gitPlace(root);
  return place === undefined ? root : ((place.linked && mainTopOf(place)) ?? place.top);
}
