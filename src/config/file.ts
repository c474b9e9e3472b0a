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
} from '../base/text/yaml.ts';
import type { SettingValue } from './settings.ts';
import { SETTINGS } from './settings.ts';
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
  const values = new Map<string, SettingValue>();
  const problems: string[] = [];
  let text: string | undefined;

  try {
    text = readText(path, 'config');
  } catch (error) {
    problems.push(`${path}: cannot be read: ${describeError(error)}`);
  }

  if (text === undefined) return { values, problems };
  if (isNestedTooDeep(text))
    return { values, problems: [`${path}: nested deeper than any setting: not read`] };

  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const tell = (offset: number, what: () => string): void => {
    if (problems.length >= MOST_PROBLEMS) return;
    const { line, col } = lines.linePos(offset);
    problems.push(`${path}:${line}: ${what()} (column ${col})`);
  };

  for (const error of document.errors)
    tell(findCause(text, error), () => `${cleanYamlError(error.message)}; ${UNUSED}`);
  if (document.errors.length > 0 || isEmpty(document)) return { values, problems };

  if (!isMap(document.contents)) {
    tell(0, () => `expected \`key: value\` lines; ${UNUSED}`);
    return { values, problems };
  }

  const visit = (node: unknown, prefix: string): void => {
    if (!isMap(node)) return;
    for (const { key: keyNode, value: valueNode } of node.items) {
      const name = toCanonicalKey(prefix + String(isScalar(keyNode) ? keyNode.value : keyNode));
      const at = getOffset(keyNode) ?? 0;
      const setting = findSetting(name);

      if (setting) {
        try {
          values.set(name, readValue(setting, toPlain(valueNode, document), name, path));
        } catch (error) {
          tell(getOffset(valueNode) ?? at, () => `${name}: ${describeWrongValue(error)}`);
        }
      } else if (!SETTINGS.some(({ key }) => key.startsWith(`${name}.`)))
        tell(at, () => `no setting is called ${name}${hint(name)}`);
      else if (isMap(valueNode)) visit(valueNode, `${name}.`);
      else if (toPlain(valueNode, document) !== null)
        tell(at, () => `${name}: expected indented lines below it`);
    }
  };

  visit(document.contents, '');

  return { values, problems };
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
  // What no setting is called any more can be taken out.
  const isThere = document.hasIn(path) || document.hasIn([key]);
  const setting = value === undefined && isThere ? undefined : requireSetting(key);

  if (isEmpty(document)) {
    if (value === undefined) return text;
    document.contents = null;
  }

  // A dotted key at the top level is valid too, and must not remain beside the new one.
  if (path.length > 1) remove(document, [key]);
  // So is the name with its prefix.
  if (toCanonicalKey(`scratchpad.${key}`) === key) remove(document, ['scratchpad', ...path]);

  if (value === undefined) remove(document, path);
  else if (setting) {
    readValue(setting, value, key);
    clearTheWay(document, path);
    document.setIn(path, value);
  }

  return document.toString();
}

/** Nothing but comments, or the `null` that earlier versions wrote when they removed the only setting. */
function isEmpty({ contents }: Document): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** Removes a key with the comment above it, unless that is the top of the file, which may be about all of it. */
function remove(document: Document, path: readonly string[]): void {
  if (!document.hasIn(path)) return;
  const top = isMap(document.contents) ? document.contents.items[0]?.key : undefined;
  if (path.length === 1 && isScalar(top) && top.value === path[0])
    document.commentBefore ??= top.commentBefore ?? null;
  document.deleteIn(path);
}

/** `limits:` with an empty or scalar value cannot hold `limits.notes`, so it is removed. */
function clearTheWay(document: Document, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth += 1) {
    const above = path.slice(0, depth);
    if (document.hasIn(above) && !isMap(document.getIn(above)))
      document.setIn(above, document.createNode({}));
  }
}

function toPlain(node: unknown, document: Document): unknown {
  return isNode(node) ? node.toJS(document, { maxAliasCount: MAX_ALIASES }) : node;
}

function getOffset(node: unknown): number | undefined {
  return isNode(node) && !isAlias(node) ? node.range?.[0] : undefined;
}

function describeWrongValue(error: unknown): string {
  if (!(error instanceof ScratchpadError)) return getMessage(error);
  const { expected, found } = error.detail;
  return `expected ${expected ?? 'another value'}, found ${found ?? 'nothing'}`;
}

function hint(key: string): string {
  const likely = guessKey(key);
  return likely === undefined ? '' : `; did you mean ${likely}?`;
}

const OPENERS: Readonly<Record<string, string>> = { ']': '[', '}': '{', '"quote': '"', "'quote": "'" };

/** Where a bracket or a quotation is opened that is not closed: the parser tells where it stops, lines later. */
function findCause(text: string, { message, pos: [at] }: Document['errors'][number]): number {
  const opener = OPENERS[/(?:end with a|Missing closing) (\S+)/.exec(message)?.[1] ?? ''];
  return opener === undefined ? at : Math.max(0, text.lastIndexOf(opener, at - 1));
}

/** The parser's message without the source lines and the position, which we report ourselves. */
function cleanYamlError(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}
