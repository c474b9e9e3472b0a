import type { Extractor, Mark } from '../extractor.ts';
import { ago, markOf, placeOf, times } from '../extractor.ts';

/** A file named in calls, in order of last use, oldest first. */
export interface FileInHand extends Mark {
  path: string;
  uses: number;
  edits: number;
  /** Number of the call that used it last. */
  last: number;
  lines?: string;
}

const MOST_FILES = 200;
/** Places where nobody works. */
const NOT_WORK = /(?:^|\/)(?:node_modules|\.git|proc|dev)\//;

/** Files in use: read and edited ones, by recency and use. */
export const filesInHand: Extractor<FileInHand[]> = {
  kind: 'file',
  initial: () => [],
  observe(step, files, course) {
    if (step.type !== 'done' || step.outcome === 'rejected' || step.outcome === 'interrupted') return;
    // A missing file does not count; a failed command may still have read its files.
    if (step.outcome === 'failed' && step.call.command === undefined) return;
    for (const { path, how, lines } of step.call.files) {
      const index = files.findIndex((file) => file.path === path);
      const known = index === -1 ? undefined : files.splice(index, 1)[0];
      if (how === 'remove' || NOT_WORK.test(`${path}/`) || path.length > 300) continue;
      files.push({
        path,
        uses: (known?.uses ?? 0) + 1,
        edits: (known?.edits ?? 0) + (how === 'edit' ? 1 : 0),
        last: course.calls,
        ...placeOf(step),
        ...(lines !== undefined && { lines }),
      });
    }
    files.splice(0, Math.max(0, files.length - MOST_FILES));
  },
  facts: (files, course) =>
    files.toReversed().map((file) => ({
      key: file.path,
      text: file.lines === undefined ? file.path : `${file.path} (lines ${file.lines})`,
      why: `used ${times(file.uses)}${file.edits > 0 ? `, edited ${times(file.edits)}` : ''}, ${ago(course.calls - file.last)}`,
      ...markOf(file),
    })),
};
