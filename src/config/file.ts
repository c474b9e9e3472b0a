import { describeError, getMessage, ScratchpadError, usageError } from '../base/errors.ts';
import { readText } from '../base/fs/index.ts';
import {
  type Document,
  isAlias,
  isMap,
  isNestedTooDeep,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  type YAMLMap,
} from '../base/text/yaml.ts';
import { SETTINGS, type SettingValue } from './settings.ts';
import {
  findSetting,
  guessKey,
  readValue,
  requireSetting,
  type SettingInput,
  toCanonicalKey,
} from './values.ts';

export interface ConfigFile {
  values: Map<string, SettingValue>;
  /** `path:line: what is wrong (column)`, one line each. */
  problems: string[];
}

const UNUSED = 'until that is fixed, no setting of this file is used';
/** Problems to report; a hostile file may have thousands. */
const MOST_PROBLEMS = 50;
/** Aliases in a hostile file may expand beyond the available memory. */
const MAX_ALIASES = 50;

/** Reads one config file. Never throws: each unusable part becomes a problem with its line. */
export function readConfigFile(path: string): ConfigFile {
  const file: ConfigFile = { values: new Map(), problems: [] };
  try {
    const text = readText(path, 'config') ?? '';
    if (!isNestedTooDeep(text)) readSettings(text, path, file);
    else file.problems.push(`${path}: nested deeper than any setting: not read`);
  } catch (error) {
    file.problems.push(`${path}: cannot be read: ${describeError(error)}`);
  }

  return file;
}

function readSettings(text: string, path: string, { values, problems }: ConfigFile): void {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  // Problems beyond the limit are not even worded, which takes long.
  const addProblem = (offset: number, describe: () => string): void => {
    if (problems.length >= MOST_PROBLEMS) return;
    const { line, col } = lines.linePos(offset);
    problems.push(`${path}:${line}: ${describe()} (column ${col})`);
  };

  const readMap = ({ items }: YAMLMap, prefix: string): void => {
    for (const { key: keyNode, value: valueNode } of items) {
      const name = toCanonicalKey(prefix + String(isScalar(keyNode) ? keyNode.value : keyNode));
      const offset = getOffset(keyNode) ?? 0;
      const setting = findSetting(name);

      if (setting) {
        try {
          values.set(name, readValue(setting, toPlain(valueNode, document), name, path));
        } catch (error) {
          addProblem(getOffset(valueNode) ?? offset, () => `${name}: ${describeWrongValue(error)}`);
        }
      } else if (!SETTINGS.some(({ key }) => key.startsWith(`${name}.`)))
        addProblem(offset, () => `no setting is called ${name}${suggestKey(name)}`);
      else if (isMap(valueNode)) readMap(valueNode, `${name}.`);
      else if (toPlain(valueNode, document) !== null)
        addProblem(offset, () => `${name}: expected indented lines below it`);
    }
  };

  for (const error of document.errors)
    addProblem(findCause(text, error), () => `${cleanYamlError(error.message)}; ${UNUSED}`);
  if (document.errors.length > 0 || isEmpty(document)) return;
  if (isMap(document.contents)) readMap(document.contents, '');
  else addProblem(0, () => `expected \`key: value\` lines; ${UNUSED}`);
}

/**
 * The file's text with one setting changed; comments and order are kept. `undefined` removes the setting.
 * @throws ScratchpadError `usage` for an unknown key, an unusable value or a file that is not YAML
 */
export function editConfig(text: string, key: string, value: SettingInput | undefined): string {
  const document = parseDocument(isNestedTooDeep(text) ? '[]' : text);
  const broken = document.errors[0];

  if (broken || !(isEmpty(document) || isMap(document.contents))) {
    throw usageError('the config file is not a YAML map: it was not changed', {
      found: broken ? cleanYamlError(broken.message) : 'something other than `key: value` lines',
      next: { to: 'fix it in an editor; see the line', command: 'scratchpad config check' },
    });
  }

  const path = key.split('.');
  const isSet = document.hasIn(path) || document.hasIn([key]);
  // A key that is in the file can be removed, whether or not a setting has that name.
  const setting = value === undefined && isSet ? undefined : requireSetting(key);

  if (isEmpty(document)) {
    if (value === undefined) return text;
    document.contents = null;
  }

  // A dotted key at the top level is valid, too, as is one with the prefix: neither may remain beside the new one.
  if (path.length > 1) removeKey(document, [key]);
  if (toCanonicalKey(`scratchpad.${key}`) === key) removeKey(document, ['scratchpad', ...path]);

  if (value === undefined) removeKey(document, path);
  else if (setting) {
    readValue(setting, value, key);
    makeMaps(document, path);
    document.setIn(path, value);
  }

  // An empty map would need the YAML parser, at every command.
  return document.toString().replace(/^\{\}\n$/m, '');
}

/** Whether a file has nothing but comments, or `null`. */
const isEmpty = ({ contents }: Document): boolean =>
  contents === null || (isScalar(contents) && contents.value === null);

/**
 * Removes a key with the comment above it, unless that is the top of the file, which may be about all of it. A group
 * goes with its last key.
 */
function removeKey(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  const top = isMap(document.contents) ? document.contents.items[0]?.key : undefined;
  if (path.length === 1 && isScalar(top) && top.value === path[0])
    document.commentBefore ??= top.commentBefore ?? null;
  document.deleteIn(path);

  const above = path.slice(0, -1);
  const group = above.length === 0 ? undefined : document.getIn(above);
  if (isMap(group) && group.items.length === 0 && !group.commentBefore && !group.comment)
    removeKey(document, above);
}

/** Makes maps of the keys above another: `limits:` may be empty or a scalar, which cannot hold `limits.notes`. */
function makeMaps(document: Document, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth += 1) {
    const above = path.slice(0, depth);
    if (document.hasIn(above) && !isMap(document.getIn(above)))
      document.setIn(above, document.createNode({}));
  }
}

const toPlain = (node: unknown, document: Document): unknown =>
  isNode(node) ? node.toJS(document, { maxAliasCount: MAX_ALIASES }) : node;

const getOffset = (node: unknown): number | undefined =>
  isNode(node) && !isAlias(node) ? node.range?.[0] : undefined;

function describeWrongValue(error: unknown): string {
  if (!(error instanceof ScratchpadError)) return getMessage(error);
  const { expected, found } = error.detail;
  return `expected ${expected ?? 'another value'}, found ${found ?? 'nothing'}`;
}

function suggestKey(key: string): string {
  const likely = guessKey(key);
  return likely === undefined ? '' : `; did you mean ${likely}?`;
}

const OPENERS: Readonly<Record<string, string>> = { ']': '[', '}': '{', '"quote': '"', "'quote": "'" };

/** Finds the bracket or the quotation mark that is not closed: the parser tells where it stops, lines later. */
function findCause(text: string, { message, pos: [offset] }: Document['errors'][number]): number {
  const opener = OPENERS[/(?:end with a|Missing closing) (\S+)/.exec(message)?.[1] ?? ''];
  return opener === undefined ? offset : Math.max(0, text.lastIndexOf(opener, offset - 1));
}

/** The parser's message without the source lines and the position, which we report ourselves. */
const cleanYamlError = (message: string): string =>
  (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
