import { counted } from '../../text/counts.ts';
import { clears } from '../coverage.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';
import type { Failing } from '../failures.ts';
import type { TrailStep } from '../steps.ts';

export interface LastCheck extends Mark {
  command: string;
  outcome?: 'passed' | 'failed';
  /** Successful edits since. */
  edits: number;
}

/** The last check and its result. */
export const lastCheck: Extractor<{ last?: LastCheck }> = {
  kind: 'check',
  initial: () => ({}),
  observe(step, state) {
    if (step.type !== 'done') return;
    if (step.check !== undefined)
      state.last = {
        command: keep(step.check.command, 140),
        ...(step.check.outcome !== undefined && { outcome: step.check.outcome }),
        edits: 0,
        ...placeOf(step),
      };
    else if (state.last !== undefined && step.outcome !== 'failed' && step.outcome !== 'rejected')
      state.last.edits += step.call.files.filter(({ how }) => how !== 'read').length;
  },
  facts({ last }) {
    // A run with an unknown result is ignored.
    if (last?.outcome === undefined) return [];
    const since = last.edits === 0 ? '' : `, ${counted(last.edits, 'edit')} since`;
    return [
      {
        key: last.command,
        text: `\`${last.command}\` ${last.outcome}${since}`,
        why: 'its exit status, or its output if the status is hidden',
        ...markOf(last),
      },
    ];
  },
};

export interface Failure extends Mark, Failing {
  command: string;
  parts: string[];
}

const MOST_FAILURES = 20;

/** Named failures that have not passed since. */
export const failingNames: Extractor<Failure[]> = {
  kind: 'failing',
  initial: () => [],
  observe(step, failures) {
    if (step.type !== 'done' || step.outcome === 'rejected') return;
    const left = failures.filter((failure) => !isOver(failure, step));
    // A repeated failure counts from its first time.
    const since = (name: string): Mark => markOf(failures.find((one) => one.name === name) ?? placeOf(step));
    const fresh = (step.check?.failing ?? []).map((failing) => ({
      ...failing,
      name: keep(failing.name, 160),
      command: keep(step.check?.command ?? '', 140),
      parts: (step.check?.parts ?? []).map((part) => part.slice(0, 200)),
      ...since(keep(failing.name, 160)),
    }));
    const known = new Set(fresh.map(({ name }) => name));
    failures.splice(0, failures.length, ...left.filter(({ name }) => !known.has(name)), ...fresh);
    failures.splice(0, Math.max(0, failures.length - MOST_FAILURES));
  },
  facts: (failures) =>
    failures.toReversed().map((failure) => ({
      key: failure.name,
      text: failure.name,
      why: `\`${failure.command}\` failed and has not passed since`,
      ...markOf(failure),
    })),
};

/** A place becomes invalid when its file changes; any failure does when a new run reports its state. */
function isOver(failure: Failure, step: TrailStep & { type: 'done' }): boolean {
  const file = failure.file?.replace(/^(?:\.\.\/)+/, '');
  const changed = step.outcome !== 'failed' ? step.call.files.filter(({ how }) => how !== 'read') : [];
  if (file !== undefined && changed.some(({ path }) => path.endsWith(file) || file.endsWith(path)))
    return true;
  const { check } = step;
  if (check?.outcome === undefined) return false;
  return clears(check, failure, failure.parts) || failure.parts.every((part) => check.parts.includes(part));
}
