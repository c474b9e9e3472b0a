import { dirname } from 'node:path';
import { failed, misuse } from '../base/errors.ts';
import { ensureFolder, readText, withLock, writeAtomically } from '../base/fs/index.ts';
import { type CommandSpec, spellCommand } from '../config/command.ts';
import type { Config, Setting, SettingValue } from '../config/config.ts';
import { editConfig } from '../config/file.ts';
import { configFiles, liesOutside, stageNames } from '../config/load.ts';
import { SETTINGS } from '../config/settings.ts';
import { inspectTrust } from '../config/trust.ts';
import {
  findSetting,
  parseArgument,
  RETIRED,
  readValue,
  type SettingInput,
  settingFor,
} from '../config/values.ts';
import { findExecutable } from '../hosts/install/program.ts';
import { shortDuration } from '../pad/freshness.ts';
import type { Invocation, Takes } from './invocation.ts';
import { type Opened, openSession } from './open.ts';
import { approve } from './trust.ts';

/** Every setting with its value and source. */
export async function list(invocation: Invocation): Promise<void> {
  const { config, configSources } = await openSession(invocation);
  const rows = SETTINGS.flatMap((setting) =>
    keysOf(setting, configSources).map((key) => ({
      key,
      value: jsonValue(settingOf(config, setting, key)),
      source: configSources.get(key) ?? 'default',
      about: setting.about,
    })),
  );
  const width = Math.max(...rows.map((row) => row.key.length));
  const text = rows.map(({ key, value, source, about }) => {
    const set = source === 'default' ? '' : `   [${source}]`;
    const shown = spellSetting(settingFor(key), value);
    return `${key.padEnd(width)}  ${shown}${set}\n${' '.repeat(width)}  ${about}`;
  });
  invocation.result(rows, text.join('\n'));
}

/** Prints a setting as `config set` takes it. */
export async function get(invocation: Invocation, key: string): Promise<void> {
  const { config } = await openSession(invocation);
  const setting = settingFor(key);
  const value = jsonValue(settingOf(config, setting, key));
  if (value === null) invocation.note(`${key} is not set`);
  const text =
    value === null || (Array.isArray(value) && value.length === 0) ? '' : spellSetting(setting, value);
  invocation.result({ key, value, text }, text);
}

type ChangeOptions = Takes<never, 'user'>;

export async function set(
  invocation: Invocation,
  key: string,
  text: string,
  options: ChangeOptions,
): Promise<void> {
  const setting = settingFor(key);
  const value = parseArgument(setting, text, key);
  await checkNames(invocation, key, readValue(setting, value, key));
  await edit(invocation, key, value, options);
}

/** Names of sections and programs are checked when they are set: a typo would leave something out in silence. */
async function checkNames(invocation: Invocation, key: string, value: SettingValue): Promise<void> {
  const { configSources } = await openSession({ ...invocation, note: () => undefined });
  if (key === 'stages.off' && Array.isArray(value)) {
    const { strange } = stageNames(value as readonly string[], configSources.keys());
    if (strange.length === 0) return;
    throw misuse(`${key} is not valid`, {
      expected: `sections, separated by commas: ${stageNames([], configSources.keys()).all.join(', ')}`,
      found: strange.join(', '),
    });
  }
  if (typeof value !== 'object' || !('command' in value) || /[\\/]/.test(value.command)) return;
  if (findExecutable(value.command, invocation.env) !== undefined) return;
  throw misuse(`${key} is not valid`, {
    expected: 'a program on the PATH, or a path to one',
    found: value.command,
    ...(key.startsWith('stages.') && {
      next: 'to leave out a section: scratchpad config set stages.off SECTION',
    }),
  });
}

export async function unset(invocation: Invocation, key: string, options: ChangeOptions): Promise<void> {
  if (!RETIRED.has(key)) settingFor(key);
  await edit(invocation, key, undefined, options);
}

/** Exits 2 if a config file has an error. */
export async function check(invocation: Invocation): Promise<void> {
  const quiet = { ...invocation, note: () => undefined };
  const { configProblems, configRetired } = await openSession(quiet);
  if (configProblems.length > 0) invocation.exitCode = 2;
  const problems = [...configProblems, ...configRetired];
  invocation.result({ problems }, problems.length === 0 ? 'no problems' : problems.join('\n'));
}

async function edit(
  invocation: Invocation,
  key: string,
  value: SettingInput | undefined,
  { user }: ChangeOptions,
): Promise<void> {
  const opened: Opened = await openSession({ ...invocation, note: () => undefined });
  const { root } = opened.workspace;
  const setting = findSetting(key);
  const file =
    user || (setting && isOwn(setting, value, root)) ? userFile(invocation) : workspaceFile(opened);
  // A change made by a person through this command needs no further approval unless it names a command.
  const trusted = setting?.kind !== 'command' && inspectTrust(root, invocation.env).state === 'approved';
  await withLock(`${file}.lock`, () => {
    const before = readText(file, 'config') ?? '';
    const after = editConfig(before, key, value);
    if (after !== before) writeAtomically(file, after, { mode: 0o600 });
  });
  if (trusted) approve(inspectTrust(root, invocation.env), invocation);
  invocation.done(
    { key, value: value ?? null, file },
    `${key}: ${value === undefined ? 'default' : spellInput(value)}   [${file}]`,
  );
}

function workspaceFile({ workspace, mayMake }: Opened): string {
  mayMake();
  const file = configFiles(workspace.root, {}).workspace;
  ensureFolder(dirname(file));
  return file;
}

function userFile({ env }: Invocation): string {
  const file = configFiles('', env).user;
  if (file === undefined) {
    throw failed('your own config has no location', {
      expected: 'HOME or XDG_CONFIG_HOME in the environment',
      found: 'neither',
    });
  }
  ensureFolder(dirname(file), 0o700);
  return file;
}

function spellInput(value: SettingInput): string {
  return Array.isArray(value)
    ? value.join(', ') || '(none)'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
}

/** The names in use under a setting that takes any name. */
function keysOf(setting: Setting, sources: ReadonlyMap<string, string>): string[] {
  if (setting.into === undefined) return [setting.key];
  return [...sources.keys()].filter((key) => findSetting(key) === setting);
}

function settingOf(config: Config, { into }: Setting, key: string): SettingValue {
  let node: unknown = config;
  for (const part of (into ?? key).split('.')) node = (node as Record<string, unknown>)[part];
  if (into === undefined) return node as SettingValue;
  return (node as readonly CommandSpec[]).find((spec) => spec.key === key);
}

type JsonValue = string | number | boolean | readonly string[] | Pick<CommandSpec, 'command' | 'args'> | null;

/** A setting as plain JSON, which has no `undefined`. */
function jsonValue(value: SettingValue): JsonValue {
  if (value === undefined) return null;
  if (typeof value !== 'object' || !('command' in value)) return value;
  const { key: _, id: __, origin: ___, ...said } = value;
  return said;
}

/** The value as written in a config file. */
function spellSetting({ kind }: Setting, value: JsonValue): string {
  if (kind === 'duration' && typeof value === 'number') return shortDuration(value);
  if (isCommand(value)) return Object.keys(value).length > 1 ? JSON.stringify(value) : value.command;
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : spell(value);
}

function isCommand(value: JsonValue): value is Pick<CommandSpec, 'command' | 'args'> {
  return typeof value === 'object' && value !== null && 'command' in value;
}

function spell(value: JsonValue): string {
  if (value === null) return '(none)';
  if (typeof value === 'object' && 'command' in value) return spellCommand(value);
  return typeof value === 'object' ? value.join(', ') || '(none)' : String(value);
}

/** Whether a workspace's file may not set this. */
function isOwn({ own }: Setting, value: SettingInput | undefined, root: string): boolean {
  if (own !== 'outside') return own === true;
  return Array.isArray(value) && value.some((path) => typeof path === 'string' && liesOutside(root, path));
}
