import { dirname } from 'node:path';
import { failure, usageError } from '../base/errors.ts';
import { ensureFolder, readText, withLock, writeAtomically } from '../base/fs/index.ts';
import { formatShortDuration } from '../base/text/durations.ts';
import { judgeProvenance, sealText } from '../base/trust/index.ts';
import type { CommandSpec } from '../config/command.ts';
import { editConfig } from '../config/file.ts';
import { filterWorkspaceSetting, listConfigFiles } from '../config/load.ts';
import { type Config, SETTINGS, type Setting, type SettingValue } from '../config/settings.ts';
import { approveCommands, inspectTrust } from '../config/trust.ts';
import {
  findSetting,
  parseArgument,
  readValue,
  requireSetting,
  type SettingInput,
  toCanonicalKey,
} from '../config/values.ts';
import { SECTIONS } from '../pad/sections.ts';
import { type CommandDefinition, defineCommand } from './command.ts';
import { type Invocation, refuseAgent } from './invocation.ts';
import { type OpenPad, openSession } from './open.ts';

const KEY = { '<key>': 'name of the setting' };

export const config: CommandDefinition = {
  examples: ['scratchpad config list', 'scratchpad config set timezone Australia/Sydney'],
  verbs: {
    list: defineCommand({
      about: 'list every setting with its value and where it comes from',
      isDefault: true,
      run: async (call) => {
        const { config: settings, configSources } = await openSession(call);
        const rows = SETTINGS.flatMap((setting) =>
          listKeys(setting, configSources).map((key) => ({
            key,
            value: toJsonValue(getSetting(settings, setting, key)),
            source: configSources.get(key) ?? 'default',
            about: setting.about,
          })),
        );

        const width = Math.max(...rows.map((row) => row.key.length));
        const lines = rows.map(({ key, value, source, about }) => [
          `${key.padEnd(width)}  ${formatValue(requireSetting(key), value)}${source === 'default' ? '' : `   [${source}]`}`,
          `${' '.repeat(width)}  ${about}`,
        ]);
        call.print(rows, lines);
      },
    }),
    get: defineCommand({
      about: 'print one setting',
      takes: KEY,
      run: async (call, { key: name }) => {
        const key = toCanonicalKey(name);
        const setting = requireSetting(key);
        const value = toJsonValue(getSetting((await openSession(call)).config, setting, key));

        if (value === null) call.note(`${key} is not set`);
        const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
        const text = isEmpty ? '' : formatValue(setting, value);
        call.print({ key, value, text }, text);
      },
    }),
    set: defineCommand({
      about: 'change one setting in .scratchpad/config.yaml; keeps the comments in it',
      takes: {
        ...KEY,
        '<value>': 'its value; separate the items of a list with commas',
        '--user': 'change it in your own config, for all workspaces',
      },
      examples: ['scratchpad config set timezone Australia/Sydney', 'scratchpad config set ttl 45m'],
      run: async (call, { key: name, value: text, user }) => {
        const key = toCanonicalKey(name);
        const setting = requireSetting(key);
        const value = parseArgument(setting, text, key);
        const valid = readValue(setting, value, key);
        if (key === 'stages.off' && Array.isArray(valid)) await checkSections(call, valid);
        await changeSetting(call, key, value, user);
      },
    }),
    unset: defineCommand({
      about: 'reset a setting to its default',
      takes: { ...KEY, '--user': 'remove it from your own config' },
      run: (call, { key, user }) => changeSetting(call, toCanonicalKey(key), undefined, user),
    }),
    check: defineCommand({
      about: 'report errors in the config files',
      run: async (call) => {
        const { configProblems: problems } = await openQuietly({ ...call, warn: () => undefined });
        if (problems.length > 0) call.exitCode = 2;
        call.print({ problems }, problems.length === 0 ? 'no problems' : problems);
      },
    }),
  },
};

const openQuietly = (call: Invocation): Promise<OpenPad> => openSession({ ...call, note: () => undefined });

/** Refuses names of no section: a typo would silently leave nothing out. */
async function checkSections(call: Invocation, names: readonly string[]): Promise<void> {
  const { configSources } = await openQuietly(call);
  const own = [...configSources.keys()].flatMap((name) => /^stages\.(?!off$)(.+)/.exec(name)?.[1] ?? []);
  const all = [...new Set([...SECTIONS.map(({ id }): string => id), ...own])];
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length === 0) return;

  throw usageError('stages.off is not valid', {
    expected: `sections, separated by commas: ${all.join(', ')}`,
    found: unknown.join(', '),
  });
}

async function changeSetting(
  call: Invocation,
  key: string,
  value: SettingInput | undefined,
  user = false,
): Promise<void> {
  const opened = await openQuietly(call);
  const { env, now } = call;
  const { root } = opened.workspace;
  const setting = findSetting(key);
  const valid = setting && value !== undefined ? readValue(setting, value, key) : undefined;
  const isForUser = user || filterWorkspaceSetting(key, valid, root).refused !== undefined;
  const files = listConfigFiles(root, env);
  const file = isForUser ? files.user : files.workspace;
  // The primary pad is everybody's: an agent would make another session's pad its own.
  if (isForUser || key === 'primarySession')
    refuseAgent(
      call,
      `${key}${user ? ' of all workspaces' : ''} is for a person to set: nothing was changed`,
    );
  if (file === undefined)
    throw failure('your own config has no location', {
      expected: 'HOME or XDG_CONFIG_HOME in the environment',
    });

  if (!isForUser) opened.assertCanCreate();
  ensureFolder(dirname(file), 0o700);
  // A change made by a person through this command needs no further approval unless it names a command.
  const isTrusted = setting?.kind !== 'command' && inspectTrust(root, env).state === 'approved';
  await withLock(`${file}.lock`, () => {
    const before = readText(file, 'config') ?? '';
    const after = editConfig(before, key, value);
    if (after === before) return;
    const isSealed = !isForUser && judgeProvenance(root, env).settings === 'own';
    writeAtomically(file, after, { mode: 0o600 });
    if (isSealed) sealText(root, after, env);
  });
  if (isTrusted) approveCommands(inspectTrust(root, env), now, env);
  const text =
    typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : formatPlain(value);
  call.report({ key, value: value ?? null, file }, `${key}: ${text}   [${file}]`);
}

/** The keys of a setting: of one that takes any name those in use, else its pattern. */
function listKeys(setting: Setting, sources: ReadonlyMap<string, string>): string[] {
  if (setting.into === undefined) return [setting.key];
  const used = [...sources.keys()].filter((key) => findSetting(key) === setting);
  return used.length > 0 ? used : [setting.key];
}

function getSetting(settings: Config, { into }: Setting, key: string): SettingValue {
  let node: unknown = settings;
  for (const part of (into ?? key).split('.')) node = (node as Record<string, unknown>)[part];
  if (into === undefined) return node as SettingValue;
  return (node as readonly CommandSpec[]).find((spec) => spec.key === key);
}

type Program = Pick<CommandSpec, 'command' | 'args'>;
type JsonValue = string | number | boolean | readonly string[] | Program | null;

const isProgram = (value: SettingValue | JsonValue): value is Extract<typeof value, Program> =>
  typeof value === 'object' && value !== null && 'command' in value;

function toJsonValue(value: SettingValue): JsonValue {
  if (!isProgram(value)) return value ?? null;
  const { key: _, id: __, origin: ___, ...program } = value;
  return program;
}

function formatValue({ kind }: Setting, value: JsonValue): string {
  if (kind === 'duration' && typeof value === 'number') return formatShortDuration(value);
  if (isProgram(value)) return Object.keys(value).length > 1 ? JSON.stringify(value) : value.command;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return formatPlain(value ?? '(none)');
}

const formatPlain = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') || '(none)' : String(value ?? 'default');
