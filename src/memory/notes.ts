import { dirname, resolve } from 'node:path';
import SPEAKERS from '../../models/words/speakers.json' with { type: 'json' };
import { exists } from '../base/fs/index.ts';

const { person: PERSON, agent: AGENT, marks: MARKS, roles: ROLES } = SPEAKERS;
/** A turn of a conversation, as session hooks write it: after a time or marks, and before a colon or alone. */
const TURN = new RegExp(
  String.raw`^([^\p{L}]{0,24})(?:(?:(?<role>${MARKS})["'\s]*[:=]["'\s]*)?(?:(?<person>${PERSON})|${AGENT})|(?:${MARKS})["'\s]*[:=]["'\s]*(?:${ROLES}))[\s*_]*(?<end>[:：\]>"]|[(,-]|$)`.replaceAll(
    ', ',
    '|',
  ),
  'iu',
);

/** Whether a file records a conversation: both sides speak in it, at the beginning of lines. */
export function isDump(lines: readonly string[]): boolean {
  const turns = lines.flatMap((line) => {
    const turn = TURN.exec(line);
    if (turn === null) return [];
    const { 1: lead = '', groups: { role, person, end = '' } = {} } = turn;
    const isMarked = role !== undefined || /\p{Extended_Pictographic}/u.test(lead) || /[^(,-]/.test(end);
    return [{ isAgent: person === undefined, isMarked }];
  });
  const isTalk = new Set(turns.map(({ isAgent }) => isAgent)).size === 2;

  // A page on both has each once, as a heading, and asks nothing.
  const asks =
    isTalk && /[?？]\s*$|^#.*\b(?:session|chat|conversation|transcript)\b/im.test(lines.join('\n'));
  return isTalk && (asks || turns.length > 2 || turns.some(({ isMarked }) => isMarked));
}

/** The index of a folder of notes, whose lines only say what the notes say. */
const INDEX = /(?:^|\/)memory\/MEMORY\.md$/;
const INDEX_LINE = /^\s*[-*+]\s+\[[^\]]*\]\(([^)\s]+\.md)\)/;

/**
 * Whether a line of an index only points to a note beside it. One whose note is gone is all that is left of it.
 *
 * @param real the file's place, from which links lead
 */
export function isPointer(path: string, real: string, line = ''): boolean {
  const link = INDEX.test(path) ? INDEX_LINE.exec(line)?.[1] : undefined;
  return link !== undefined && exists(resolve(dirname(real), link));
}
