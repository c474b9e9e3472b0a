import { readFileSync } from 'node:fs';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import { hasCode, ScratchpadError } from '../errors.ts';
import { readValue, SETTINGS, type Setting, type SettingValue, settingFor } from './settings.ts';

export interface ConfigFile {
  values: Map<string, SettingValue>;
  /** `path:line: what is wrong`, one line each. */
  problems: string[];
}

/** Reads one config file. Never throws: what cannot be used is a problem with its line. */
export function readConfigFile(path: string): ConfigFile {
  const result: ConfigFile = { values: new Map(), problems: [] };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) result.problems.push(`${path}: cannot be read: ${String(error)}`);
    return result;
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  for (const error of document.errors) {
    result.problems.push(`${path}:${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0]}`);
  }
  if (document.errors.length > 0 || document.contents === null) return result;
  if (!isMap(document.contents)) {
    result.problems.push(`${path}:1: expected \`key: value\` lines`);
    return result;
  }
  const known = new Map(SETTINGS.map((setting) => [setting.key, setting]));
  const visit = (node: unknown, prefix: string): void => {
    if (!isMap(node)) return;
    for (const pair of node.items) {
      const key = prefix + String(isScalar(pair.key) ? pair.key.value : pair.key);
      const offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
      const where = `${path}:${lines.linePos(offset).line}`;
      const setting = known.get(key);
      if (setting) readInto(result, setting, document.getIn(key.split('.')), where);
      else if (isMap(pair.value) && SETTINGS.some((other) => other.key.startsWith(`${key}.`)))
        visit(pair.value, `${key}.`);
      else result.problems.push(`${where}: no setting is called ${key}${hint(key)}`);
    }
  };
  visit(document.contents, '');
  return result;
}

/**
 * The file's text with one setting changed, comments and order kept. `undefined` removes it.
 * @throws ScratchpadError `usage` for an unknown key, an unusable value or a file that is not YAML.
 */
export function editConfig(text: string, key: string, value: string | number | string[] | undefined): string {
  const setting = settingFor(key);
  const document = parseDocument(text);
  const broken = document.errors[0];
  if (broken) {
    throw new ScratchpadError('usage', 'the config file is not valid YAML: it was not changed', {
      found: broken.message.split('\n')[0] ?? '',
      next: 'mend that line in an editor, then try again',
    });
  }
  if (value === undefined) document.deleteIn(key.split('.'));
  else {
    readValue(setting, value);
    document.setIn(key.split('.'), value);
  }
  return document.toString();
}

function readInto(result: ConfigFile, setting: Setting, node: unknown, where: string): void {
  const value =
    node !== null && typeof node === 'object' && 'toJSON' in node
      ? (node as { toJSON(): unknown }).toJSON()
      : node;
  try {
    result.values.set(setting.key, readValue(setting, value));
  } catch (error) {
    const { expected, found } = error instanceof ScratchpadError ? error.detail : {};
    result.problems.push(
      `${where}: ${setting.key}: expected ${expected ?? 'another value'}, found ${found ?? String(value)}`,
    );
  }
}

/** A setting whose last part is the same, which is the commonest slip. */
function hint(key: string): string {
  const leaf = key.split('.').at(-1)?.toLowerCase() ?? '';
  const near = SETTINGS.find((setting) => setting.key.toLowerCase().split('.').at(-1) === leaf);
  return near ? `; did you mean ${near.key}?` : '';
}
