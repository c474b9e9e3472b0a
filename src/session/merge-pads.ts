import { parsePad } from '../pad/document.ts';
import { setRegion } from '../pad/edit.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { withoutVolatile, withSpaces } from './compose.ts';
import { NO_SPACES, type Spaces } from './journal.ts';
import { mergeText, type Unsettled } from './merge.ts';
import { spacesIn } from './reconcile.ts';

export interface MergedPads {
  text: string;
  /** Whether both sides changed the same lines, which are then between git's conflict markers. */
  conflict: boolean;
}

/** Conflict markers as git writes them, with the common ancestor. */
const marked: Unsettled = (ours, base, theirs) => [
  '<<<<<<< ours',
  ...ours,
  '||||||| base',
  ...base,
  '=======',
  ...theirs,
  '>>>>>>> theirs',
];

/**
 * Merges two versions of a tracked pad: each space separately, keeping additions of both, and the text around them.
 * They conflict only where they disagree.
 *
 * @param base the common ancestor, `''` if there is none
 */
export function mergePads(base: string, ours: string, theirs: string): MergedPads {
  const sides = [base, ours, theirs].map(apart) as [Apart, Apart, Apart];
  const [from, left, right] = sides;
  const around = mergeText(from.around, left.around, right.around, marked);
  let { content: text, conflict } = around;
  for (const space of SPACE_NAMES) {
    const merged = mergeText(from.spaces[space], left.spaces[space], right.spaces[space], marked);
    conflict ||= merged.conflict;
    if (merged.content !== '') text = setRegion(text, space, merged.content);
  }
  return { text, conflict };
}

interface Apart {
  spaces: Spaces;
  /** The file with empty spaces, and without the fields that change at every write. */
  around: string;
}

function apart(text: string): Apart {
  if (text.trim() === '') return { spaces: NO_SPACES, around: '' };
  const document = parsePad(text);
  const { plan = '', notes = '', refs = '' } = spacesIn(document);
  return {
    spaces: { plan, notes, refs },
    around: withoutVolatile(withSpaces(document, 'main', NO_SPACES), 'main'),
  };
}
