import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { editConfig } from '../config/file.ts';
import { configFiles } from '../config/load.ts';
import type { Config, SettingValue } from '../config/settings.ts';
import { parseArgument, readValue, SETTINGS, type Setting, settingFor } from '../config/settings.ts';
import { draftFile, ensureDataDir, ioError } from '../session/files.ts';
import { checkDataDir } from '../session/workspace.ts';
import { type Invocation, jsonValue } from './invocation.ts';
import { type Opened, openSession } from './open.ts';

/** Every setting with its value and source. Shape with `--json`: `[{key, value, source, about}]`. */
export async function list(invocation: Invocation): Promise<void> {
  const { config, configSources } = await openSession(invocation);
  const rows = SETTINGS.map((setting) => ({
    key: setting.key,
    value: jsonValue(settingOf(config, setting)),
    source: configSources.get(setting.key) ?? 'default',
    about: setting.about,
  }));
  const width = Math.max(...rows.map((row) => row.key.length));
  const text = rows.map(({ key, value, source, about }) => {
    const set = source === 'default' ? '' : `   [${source}]`;
    return `${key.padEnd(width)}  ${spell(value)}${set}\n${' '.repeat(width)}  ${about}`;
  });
  invocation.result(rows, text.join('\n'));
}

export async function get(invocation: Invocation, key: string): Promise<void> {
  const { config } = await openSession(invocation);
  const value = jsonValue(settingOf(config, settingFor(key)));
  invocation.result({ key, value }, spell(value));
}

export async function set(invocation: Invocation, key: string, text: string): Promise<void> {
  const setting = settingFor(key);
  const value = parseArgument(setting, text);
  readValue(setting, value);
  await edit(invocation, key, value);
}

export async function unset(invocation: Invocation, key: string): Promise<void> {
  settingFor(key);
  await edit(invocation, key, undefined);
}

/** Exits 2 when a config file has something wrong in it. Shape with `--json`: `{problems}`. */
export async function check(invocation: Invocation): Promise<void> {
  const quiet = { ...invocation, note: () => undefined };
  const { configProblems } = await openSession(quiet);
  if (configProblems.length > 0) invocation.exitCode = 2;
  invocation.result(
    { problems: configProblems },
    configProblems.length === 0 ? 'no problems' : configProblems.join('\n'),
  );
}

async function edit(
  invocation: Invocation,
  key: string,
  value: string | number | string[] | undefined,
): Promise<void> {
  const opened: Opened = await openSession({ ...invocation, note: () => undefined });
  const file = configFiles(opened.workspace.root, invocation.env).workspace;
  checkDataDir(opened.workspace.root);
  ensureDataDir(opened.store.paths.data, dirname(file));
  let before = '';
  try {
    if (existsSync(file)) before = readFileSync(file, 'utf8');
    else mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw ioError(error, 'cannot read', file);
  }
  const after = editConfig(before, key, value);
  if (after !== before) draftFile(file, after).commit();
  invocation.result(
    { key, value: value ?? null, file },
    `${key}: ${value === undefined ? 'default' : spell(value)}   [${file}]`,
  );
}

function settingOf(config: Config, { key }: Setting): SettingValue {
  let node: unknown = config;
  for (const part of key.split('.')) node = (node as Record<string, unknown>)[part];
  return node as SettingValue;
}

function spell(value: string | number | boolean | readonly string[] | null): string {
  if (value === null) return '(none)';
  return Array.isArray(value) ? value.join(', ') || '(none)' : String(value);
}
