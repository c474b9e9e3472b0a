import { attempt } from '../base/errors.ts';
import { readText } from '../base/fs/index.ts';
import type { ConfigFile } from './file.ts';
import type { SettingValue } from './settings.ts';
import { findSetting, readValue, toCanonicalKey } from './values.ts';

const LINE = /^( {2})?([A-Za-z][\w.]{0,80}):(?: (\S.*))?$/;
/** A text that is the same in every version of YAML, where `on`, `1e3` and `1:30` are not. */
const WORD = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z][\w/-]*$|^\d+[smhd]$/i;
const WHOLE_NUMBER = /^[1-9]\d{0,8}$/;

/**
 * Reads a config file of plain lines: `key: value`, where a value is a word, a whole number or `[a, b]`, perhaps
 * indented below a group. Loading the YAML parser takes a tenth of a command.
 * @returns `undefined` for anything else, also for what is wrong: the parser reads it, and tells the line
 */
export function readPlainConfig(path: string): ConfigFile | undefined {
  const text = attempt(() => readText(path, 'config'));
  if (text === undefined) return undefined;

  const values = new Map<string, SettingValue>();
  const groups = new Set<string>();
  let group: string | undefined;

  for (const line of text.split('\n').filter((each) => !/^ *(?:#[\t -~]*)?$/.test(each))) {
    const [, indent, key = '', written] = LINE.exec(line) ?? [];
    if (key === '' || (indent !== undefined && group === undefined)) return undefined;
    if (indent === undefined) group = written === undefined ? key : undefined;

    const name = toCanonicalKey(indent === undefined ? key : `${group}.${key}`);
    const setting = findSetting(name);

    if (indent === undefined && written === undefined) {
      if (setting !== undefined || groups.has(key)) return undefined;
      groups.add(key);
      continue;
    }

    const plain = written === undefined ? undefined : parsePlain(written);
    const value = setting && plain && attempt(() => readValue(setting, plain, name, path));
    if (value === undefined || values.has(name)) return undefined;
    values.set(name, value);
  }

  // A group without lines has no value, which the parser judges.
  const isEmpty = (each: string): boolean => ![...values.keys()].some((name) => name.startsWith(`${each}.`));
  return [...groups].some(isEmpty) ? undefined : { values, problems: [] };
}

function parsePlain(written: string): string | number | string[] | undefined {
  if (WHOLE_NUMBER.test(written)) return Number(written);
  if (WORD.test(written)) return written;

  const items = /^\[(.+)\]$/.exec(written)?.[1]?.split(', ');
  return items?.every((item) => WORD.test(item)) ? items : undefined;
}
