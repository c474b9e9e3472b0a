import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';
import { gitCall, isElsewhere } from '../shell.ts';

export interface Commit extends Mark {
  sha: string;
  subject: string;
  branch: string;
  pushed?: true;
}

const MOST = 12;
const COMMITTED = /^\[([^\]\n]{1,200}?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,300})$/gm;
/** Git's output for a successful push. */
const PUSHED = /(?:\.\.\.?[0-9a-f]{7,40}\s|\[new branch\])/;

/** Commits that the agent made, newest first, and whether they were pushed. */
export const commitsMade: Extractor<Commit[]> = {
  kind: 'commit',
  initial: () => [],
  observe(step, commits, course) {
    if (step.type !== 'done' || step.outcome === 'rejected') return;
    for (const segment of step.segments) {
      const verb = gitCall(segment)?.verb;
      const { text } = segment;
      if (verb === undefined || isElsewhere(segment, course.root)) continue;
      if (verb === 'commit') {
        // An amended commit replaces the last one.
        if (text.includes('--amend') && [...step.output.matchAll(COMMITTED)].length > 0) commits.pop();
        for (const [, branch = '', sha = '', subject = ''] of step.output.matchAll(COMMITTED)) {
          if (!commits.some((commit) => commit.sha === sha))
            commits.push({ sha, subject: keep(subject, 120), branch: keep(branch, 80), ...placeOf(step) });
        }
      } else if (
        verb === 'push' &&
        step.outcome !== 'failed' &&
        (step.outcome === 'ok' || PUSHED.test(step.output))
      ) {
        for (const commit of commits) commit.pushed = true;
      } else if (verb === 'reset' && /\bHEAD[~^]/.test(text) && step.outcome === 'ok') commits.pop();
    }
    commits.splice(0, Math.max(0, commits.length - MOST));
  },
  facts: (commits, course) =>
    commits.toReversed().map((commit) => ({
      key: commit.sha,
      text: `${commit.sha.slice(0, 8)} ${commit.subject}${commit.pushed === true ? ' (pushed)' : ''}`,
      why: `Git said so when the agent committed on ${commit.branch}`,
      open:
        course.branch === undefined || course.branch === commit.branch || commit.branch === 'detached HEAD',
      ...markOf(commit),
    })),
};
