import { redactSecrets, stripInvisible } from '../base/safety/index.ts';
import { formatAge } from '../base/text/durations.ts';
import { collapseLines, formatCount, shorten } from '../base/text/strings.ts';
import { measureUsage } from '../pad/budget.ts';
import { judgeFreshness } from '../pad/freshness.ts';
import { SPACE_NAMES } from '../pad/markers.ts';
import { countDone, findCurrentStep, parseSteps } from '../pad/steps.ts';
import { defineCommand } from './command.ts';
import { paint } from './invocation.ts';
import { openSession } from './open.ts';

const STEP_CHARACTERS = 48;
const NEARLY_FULL_PERCENT = 90;

/** Prints nothing where there is no pad: an error must not break a shell prompt. */
export const line = defineCommand({
  examples: [
    "PS1='$(scratchpad line 2>/dev/null) \\$ '",
    '/statusline run scratchpad line   # in Claude Code',
  ],
  run: async (call) => {
    const { pad, config } = await openSession({ ...call, warn: () => undefined });
    const { exists, spaces, state, seen } = await pad.store.read();
    if (!exists) return;

    const steps = parseSteps(spaces.plan);
    const done = countDone(steps);
    const current = findCurrentStep(steps);
    const { status, ageMs } = judgeFreshness(state, call.now);
    const others = seen?.others.length ?? 0;
    const parts = [
      steps.length > 0 && paint('bold', `${done}/${steps.length}`),
      current && shorten(redactSecrets(collapseLines(stripInvisible(current.text))), STEP_CHARACTERS),
      others > 0 &&
        paint('dim', `${steps.length > 0 ? '' : 'no plan here, '}${formatCount(others, 'other plan')}`),
      ...SPACE_NAMES.map((space) => {
        const { used, limit } = measureUsage(space, spaces[space], config.limits);
        const percent = Math.round((used * 100) / limit);
        return percent >= NEARLY_FULL_PERCENT && paint('yellow', `${space} ${percent} %`);
      }),
      status === 'stale' &&
        paint('dim', `state ${ageMs === undefined ? 'stale' : `${formatAge(ageMs)} old`}`),
    ];

    const text = parts.filter((part) => part).join(paint('dim', ' · '));
    const plan = { done, steps: steps.length, current: current?.text ?? null };
    call.printExact({ line: text, plan }, text === '' ? '' : `${text}\n`);
  },
});
