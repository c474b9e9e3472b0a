import { counted } from '../../text/counts.ts';
import { type Extractor, keep, type Mark, markOf, placeOf } from '../extractor.ts';
import { gitCall } from '../shell.ts';

export interface Approved extends Mark {
  title: string;
  file?: string;
  /** Commits that Git reported since. */
  commits: number;
}

/** The plan that the person approved, by its heading. */
export const approvedPlan: Extractor<{ plan?: Approved }> = {
  kind: 'plan',
  initial: () => ({}),
  observe(step, state) {
    if (step.type === 'plan') {
      const title = titleOf(step.text);
      if (title !== undefined) state.plan = { title, commits: 0, ...placeOf(step) };
      return;
    }
    if (step.type !== 'done') return;
    if (step.call.plan !== undefined && (step.outcome === 'ok' || step.outcome === 'unknown')) {
      const file = /^Your plan has been saved to: (.{1,300})$/m.exec(step.output)?.[1];
      const title =
        titleOf(step.call.plan) ?? titleOf(/^## Approved Plan:\s*\n([\s\S]*)/m.exec(step.output)?.[1] ?? '');
      if (title !== undefined)
        state.plan = { title, commits: 0, ...placeOf(step), ...(file !== undefined && { file: keep(file) }) };
    } else if (
      state.plan !== undefined &&
      /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\] /m.test(step.output) &&
      step.segments.some((segment) => gitCall(segment)?.verb === 'commit')
    )
      state.plan.commits += 1;
  },
  facts({ plan }, _, { task }) {
    if (plan === undefined) return [];
    const left = task.list.some(({ status }) => status === 'open' || status === 'active');
    const since = plan.commits === 0 ? '' : `, ${counted(plan.commits, 'commit')} since`;
    return [
      {
        key: plan.title,
        text: `“${plan.title}”${since}`,
        why:
          plan.file === undefined
            ? 'approved by the person'
            : `approved by the person; saved to ${plan.file}`,
        // Committed and no task left: the plan is done.
        open: plan.commits === 0 || left,
        ...markOf(plan),
      },
    ];
  },
};

/** The first heading of a plan, without words such as "plan". */
function titleOf(plan: string): string | undefined {
  const heading =
    /^#{1,3} +(.+)$/m.exec(plan.slice(0, 4000))?.[1] ?? plan.split('\n').find((line) => line.trim() !== '');
  const title = keep((heading ?? '').replace(/^(?:implementation )?plan\s*[:–—-]\s*/i, ''), 140);
  return title === '' ? undefined : title;
}
