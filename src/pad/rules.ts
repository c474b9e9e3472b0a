import { shorten } from '../base/text/strings.ts';

/** A note that lasts: told first, cut last, and kept by `notes clear`. */
const RULE = /^\s*(?:[-*+]\s+)?[*_]{0,3}Rule[*_]{0,3}:/i;
const LIST_ITEM = /^\s*(?:[-*+•]|\d+[.)])\s/;
const INTRODUCES_LIST = /[:：][*_\s]*$/;

export const isLasting = (note: string): boolean => RULE.test(note);

/** The notes of a text: a rule with the list or the indented lines below it, any other line by itself. */
function splitNotes(text: string): string[] {
  const notes: string[][] = [];
  let last = -1;

  for (const line of text.split('\n')) {
    const rule = notes[last];
    if (rule !== undefined && continuesRule(rule, line, last === notes.length - 1)) {
      for (const blank of notes.splice(last + 1)) rule.push(...blank);
      rule.push(line);
      continue;
    }

    notes.push([line]);
    if (line.trim() !== '') last = notes.length - 1;
  }

  return notes.map((lines) => lines.join('\n'));
}

function continuesRule([first = '', second]: readonly string[], line: string, isNear: boolean): boolean {
  if (!isLasting(first) || line.trim() === '') return false;
  if (measureIndent(line) > measureIndent(first)) return true;
  if (!LIST_ITEM.test(line) || isLasting(line)) return false;

  return INTRODUCES_LIST.test(first) ? isNear || second === undefined : isNear && !LIST_ITEM.test(first);
}

const measureIndent = (line: string): number => line.length - line.trimStart().length;

export const extractRules = (text: string): string => splitNotes(text).filter(isLasting).join('\n');

/** The notes of a text, those that last first. */
export function sortNotes(text: string): string[] {
  const notes = splitNotes(text);
  const rules = notes.filter(isLasting);
  const others = notes.filter((note) => !isLasting(note));
  const [rule, other] = [rules.at(-1), others[0]];
  // Directly below a rule another list would become part of it.
  const isAmbiguous = rule && other && splitNotes(`${rule}\n${other}`).length === 1;

  return [...rules, ...(isAmbiguous ? [''] : []), ...others];
}

/**
 * Cuts a text that is too long, its rules first. A rule that would be cut in two is left out.
 * @param cut returns the start of a text that fits
 */
export function cutAfterRules(text: string, cut: (text: string) => string): string {
  const notes = sortNotes(text);
  const fitting = cut(notes.join('\n'));
  let start = 0;

  for (const note of notes.filter(isLasting)) {
    const isCut = start + note.length > fitting.length;
    if (isCut) return start > 0 ? fitting.slice(0, start - 1) : fitting;
    start += note.length + 1;
  }

  return fitting;
}

const MOST_NAMED = 3;
const RULE_CHARACTERS = 72;

export function warnOfLostRules(before: string, after: string): string[] {
  const present = new Set(after.split('\n'));
  const lost = [...new Set(extractRules(before).split('\n'))].filter(
    (line) => !present.has(line) && line.trim() !== '',
  );
  if (lost.length === 0) return [];

  const rules = lost.slice(0, MOST_NAMED).map((line) => shorten(line.trim(), RULE_CHARACTERS));
  if (lost.length > MOST_NAMED) rules.push(`and ${lost.length - MOST_NAMED} more`);

  return [`no longer in the notes: ${rules.join('; ')}`];
}
