import { type Expression, type Property, parseExpressionAt } from 'acorn';
import { isObject, type JsonObject } from '../text/json.ts';

/**
 * Settings in JSON5: unquoted keys, other quotes, trailing commas. Packages that edit JSON5 lose comments or
 * line ends (tried: @croct/json5-parser); a JavaScript parser gives all positions, and only two kinds of edit
 * are needed.
 */

interface Parsed {
  node: Expression;
  value: JsonObject;
}

/** The parsed text; `undefined` if it is not an object in JSON5. */
export function readJson5(text: string): JsonObject | undefined {
  return parsed(text)?.value;
}

/** Sets a value, replacing an existing one; everything else stays byte for byte. */
export function setJson5(text: string, place: readonly string[], value: unknown): string {
  const found = parsed(text);
  if (found === undefined) return text;
  let { node } = found;
  for (const [depth, key] of place.entries()) {
    const property = propertyOf(node, key);
    const rest = place.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    if (property === undefined) return withProperty(text, node, key, rest);
    if (depth === place.length - 1 || property.value.type !== 'ObjectExpression') {
      const { start, end } = property.value;
      return text.slice(0, start) + spelled(rest, lineStart(text, property.start), text) + text.slice(end);
    }
    node = property.value;
  }
  return text;
}

/** Removes a property and the comma after it; a comma before it may then be trailing. */
export function removeJson5(text: string, place: readonly string[]): string {
  let node: Expression | undefined = parsed(text)?.node;
  let property: Property | undefined;
  for (const key of place) {
    property = node && propertyOf(node, key);
    node = property?.value;
  }
  if (property === undefined) return text;
  const from = text.slice(0, property.start).trimEnd().length;
  const comma = /^\s*,/.exec(text.slice(property.end))?.[0].length ?? 0;
  // A line comment keeps its newline.
  const gap = comma === 0 && /\/\/.*$/.test(text.slice(0, from)) ? breakOf(text) : '';
  return text.slice(0, from) + gap + text.slice(property.end + comma);
}

/** A new property comes first in its object, where no comma or comment is in the way. */
function withProperty(text: string, node: Expression, key: string, value: unknown): string {
  if (node.type !== 'ObjectExpression') return text;
  const outer = lineStart(text, node.start);
  const first = node.properties[0];
  const oneLine = first !== undefined && !text.slice(node.start, first.start).includes('\n');
  const name = first !== undefined && text[first.start]?.match(/["']/) ? JSON.stringify(key) : key;
  const after = text.slice(node.start + 1);
  if (oneLine) {
    const gap = /^\s*/.exec(after)?.[0] ?? '';
    return `${text.slice(0, node.start + 1)}${gap}${name}: ${JSON.stringify(value)},${after}`;
  }
  const indent = first === undefined ? outer + stepOf(text) : lineStart(text, first.start);
  const line = `${breakOf(text)}${indent}${name}: ${spelled(value, indent, text)}`;
  const close = after.startsWith('}') ? breakOf(text) + outer : '';
  return `${text.slice(0, node.start + 1)}${line}${first === undefined ? '' : ','}${close}${after}`;
}

function parsed(text: string): Parsed | undefined {
  // In parentheses an object is not parsed as a block; positions shift by one.
  const source = `(${text.replace(/^\uFEFF/, ' ')}\n)`;
  try {
    const whole = parseExpressionAt(source, 0, { ecmaVersion: 2019, preserveParens: true });
    if (whole.type !== 'ParenthesizedExpression' || source.slice(whole.end).trim() !== '') return undefined;
    const value = literal(whole.expression);
    return isObject(value) ? { node: shifted(whole.expression), value } : undefined;
  } catch {
    return undefined;
  }
}

/** Converts positions back to those in the text. */
function shifted(node: Expression): Expression {
  node.start -= 1;
  node.end -= 1;
  if (node.type !== 'ObjectExpression') return node;
  for (const property of node.properties) {
    property.start -= 1;
    property.end -= 1;
    if (property.type === 'Property') shifted(property.value);
  }
  return node;
}

/** @throws Error for what JSON5 does not allow */
function literal(node: Expression): unknown {
  if (node.type === 'Literal' && !('regex' in node && node.regex) && !('bigint' in node && node.bigint))
    return node.value;
  if (node.type === 'UnaryExpression' && /^[+-]$/.test(node.operator)) {
    const value = literal(node.argument);
    if (typeof value === 'number') return node.operator === '-' ? -value : value;
  }
  if (node.type === 'Identifier' && /^(?:Infinity|NaN)$/.test(node.name)) return Number(node.name);
  if (node.type === 'ArrayExpression') {
    return node.elements.map((element) => {
      if (element === null || element.type === 'SpreadElement') throw new Error('no value');
      return literal(element);
    });
  }
  if (node.type !== 'ObjectExpression') throw new Error('no value');
  return Object.fromEntries(
    node.properties.map((property) => {
      if (property.type !== 'Property' || property.computed || property.shorthand || property.method)
        throw new Error('no value');
      return [keyOf(property), literal(property.value)];
    }),
  );
}

/** The last property of a name counts. */
function propertyOf(node: Expression, name: string): Property | undefined {
  if (node.type !== 'ObjectExpression') return undefined;
  return node.properties.findLast((one): one is Property => one.type === 'Property' && keyOf(one) === name);
}

function keyOf({ key }: Property): string {
  return key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
}

/** A value on lines of its own, indented like the file's. */
function spelled(value: unknown, indent: string, text: string): string {
  if (!isObject(value)) return JSON.stringify(value);
  const inner = indent + stepOf(text);
  const quoted = /^\s*["']/m.test(text);
  const lines = Object.entries(value).map(
    ([key, member]) => `${inner}${quoted ? JSON.stringify(key) : key}: ${spelled(member, inner, text)}`,
  );
  return ['{', lines.join(`,${breakOf(text)}`), `${indent}}`].join(breakOf(text));
}

const lineStart = (text: string, at: number): string =>
  /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, at))?.[1] ?? '';
const stepOf = (text: string): string => /^[ \t]+/m.exec(text)?.[0] ?? '  ';
const breakOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
