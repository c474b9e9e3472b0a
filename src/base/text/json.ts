import { attempt } from '../errors.ts';

/** A JSON object whose members are not checked yet. */
export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toMembers = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The value of a JSON text; `undefined` if it is invalid. */
export const parseJson = (text: string | undefined): unknown =>
  attempt((): unknown => JSON.parse(text ?? ''));

export function parseObject(text: string | undefined): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

export function getObject(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const member = value?.[key];
  return isObject(member) ? member : undefined;
}

/** The member as a string that is not empty, or undefined. */
export function getString(value: JsonObject | undefined, key: string): string | undefined {
  const member = value?.[key];
  return typeof member === 'string' && member !== '' ? member : undefined;
}

export function getNumber(value: JsonObject | undefined, key: string): number | undefined {
  const member = value?.[key];
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

export function getList(value: JsonObject | undefined, key: string): readonly unknown[] {
  const member = value?.[key];
  return Array.isArray(member) ? member : [];
}

export const getObjects = (value: JsonObject | undefined, key: string): JsonObject[] =>
  getList(value, key).filter(isObject);

/** JSON text of a foreign value; a placeholder if it is nested too deep to serialize. */
export const toJsonText = (value: unknown): string =>
  attempt(() => JSON.stringify(value) ?? '') ?? '[nested too deeply]';

/** Options that may be left out, or be undefined, as programs under `exactOptionalPropertyTypes` pass them on. */
export type Optional<Options> = { [Name in keyof Options]?: Options[Name] | undefined };
