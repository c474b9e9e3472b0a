import { type OpenFile, openFile } from '../base/fs/index.ts';
import type { JsonObject } from '../base/text/json.ts';
import { parseIsoTime } from './content.ts';
import type { Facts, SessionEvent } from './event.ts';
import { FORMATS } from './formats/index.ts';
import {
  type ByteSource,
  createFileSource,
  detectFormat,
  parseRows,
  readLines,
  recognise,
} from './source.ts';

interface SessionEnds {
  format: string;
  session?: string | undefined;
  cwd?: string | undefined;
  isSubagent: boolean;
  isScripted: boolean;
  /** No message of a person was found: the session was opened and left, or the file is a stub. */
  isEmpty: boolean;
  /** The time of its last row, ISO 8601. */
  updated?: string | undefined;
}

/** A small first block, because the first line usually shows that a session belongs to another project. */
const BLOCK = 32 * 1024;
/** Most bytes to search for the first words, since long instructions or a screenshot may come before them. */
const MOST_HEAD = 16 * 1024 * 1024;
const TAILS = [BLOCK, 1024 * 1024, MOST_HEAD];
const TAIL_RECORDS = 8;
const TIME = /"(?:timestamp|lastUpdated|created_?[aA]t)": *"?([^",}]{1,40})/g;

/**
 * Reads the start of a session file up to the first words of a person, and its last rows.
 * @param owns whether sessions that ran in a folder are wanted
 * @returns nothing for another session, or a file that cannot be read or is no session
 */
export function readEnds(path: string, owns: (cwd: string | undefined) => boolean): SessionEnds | undefined {
  // Synchronous: a machine has thousands of sessions, and a round trip through the thread pool costs more
  // than reading a few kilobytes.
  let file: OpenFile | undefined;
  try {
    file = openFile(path, 'transcript');
    return file && readSessionEnds(createFileSource(file), path, owns);
  } catch {
    return undefined;
  } finally {
    file?.close();
  }
}

function readSessionEnds(
  source: ByteSource,
  path: string,
  owns: (cwd: string | undefined) => boolean,
): SessionEnds | undefined {
  const head: JsonObject[] = [];
  const facts: Facts[] = [];
  let cwd: string | undefined;
  let hasWords = false;
  let end = 0;

  for (const row of readHeadRows(source, path)) {
    head.push(row.value);
    for (const event of parseEvents(row.value)) {
      if (event.type === 'facts') facts.push(event);
      hasWords ||= hasPersonWords(event);
    }

    end = row.end;
    const isFirstFolder = cwd === undefined;
    cwd = facts.map((fact) => fact.cwd ?? fact.workingDirectory).find(Boolean);
    if (isFirstFolder && cwd !== undefined && !owns(cwd)) return undefined;
    if (hasWords && (cwd !== undefined || owns(undefined))) break;
  }

  const { lines, updated } = readTail(source);
  const tail = lines.flatMap((line) => parseRows(Buffer.from(line)).rows);
  const format = detectFormat([...head, ...tail])?.name;

  if (format === undefined || !owns(cwd)) return undefined;

  const all = [...facts, ...tail.flatMap(parseEvents).filter((event) => event.type === 'facts')];
  const subagent = facts.map((fact) => fact.subagent);

  return {
    format,
    cwd,
    updated,
    session: all.find((fact) => fact.session)?.session,
    isSubagent: subagent.includes(true) && !subagent.includes(false),
    isScripted: all.findLast((fact) => fact.scripted !== undefined)?.scripted === true,
    isEmpty: !hasWords && end < MOST_HEAD,
  };
}

/** The first rows, one by one; those of a single JSON value where the file is one. */
function* readHeadRows(source: ByteSource, path: string): Generator<{ value: JsonObject; end: number }> {
  let isKnown = false;
  for (const { bytes, end } of readLines({ ...source, size: Math.min(source.size, MOST_HEAD) }, 0, BLOCK)) {
    const found = bytes === undefined ? [] : parseRows(bytes).rows;
    isKnown ||= detectFormat(found) !== undefined;
    for (const value of found) yield { value, end };
  }

  if (isKnown || !/^\s*\uFEFF?\s*[[{]/.test(source.read(0, 64).toString())) return;

  for (const value of recognise(source, path).rows) yield { value, end: 0 };
}

const parseEvents = (row: JsonObject): SessionEvent[] =>
  FORMATS.find(({ recognises }) => recognises(row))?.events(row, 0) ?? [];

function hasPersonWords(event: SessionEvent): boolean {
  if (event.type === 'rewritten') return event.rows.flat().some(hasPersonWords);
  return event.type === 'person' || event.type === 'plan';
}

/** The last lines, and the newest time in them or, in a JSON value of many lines, before them. */
function readTail(source: ByteSource): { lines: string[]; updated: string | undefined } {
  let lines: string[] = [];
  for (const length of TAILS) {
    const from = Math.max(0, source.size - length);
    const text = source.read(from, source.size).toString().trimEnd();
    lines = text.split('\n').slice(-TAIL_RECORDS);
    const updated = findNewestTime(lines.join('\n')) ?? findNewestTime(text);
    if (updated !== undefined || from === 0) return { lines, updated };
  }

  return { lines, updated: undefined };
}

const findNewestTime = (text: string): string | undefined =>
  [...text.matchAll(TIME)]
    .flatMap(([, time]) => parseIsoTime(time) ?? [])
    .sort()
    .at(-1);
