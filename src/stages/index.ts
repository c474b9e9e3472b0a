import { SECTIONS, type SectionId } from '../pad/sections.ts';
import { activeStage, findLastTopic } from './active.ts';
import { alertsStage } from './alerts.ts';
import { memoryStage } from './memory.ts';
import { shortenForeignText } from './quote.ts';
import { routingStage } from './routing.ts';
import { sentimentStage, strategyStage } from './sentiment.ts';
import { type BuiltInStage, PRIORITY, type Stage } from './stage.ts';
import { timeStage } from './time.ts';

/** For a folder that never answers. A busy machine may need seconds; a hook's own limit is shorter (`withinMs`). */
const TIMEOUT_MS = 10_000;
const LINE_CHARACTERS = 200;
const QUOTED_TOPIC = /: the person wrote “([^”…]*)[^”]*”(?:, [\w ]+ ago)?(?:;| \((answered)\))/;

/** Hand-over: where the session's work stands, in a line. What a model is told of it, and when, `hosts/` decides. */
const handoverStage: BuiltInStage = {
  priority: PRIORITY.handover,
  async run(context) {
    const view = await context.handover();
    if (view === undefined || view.line === '') return null;

    // The last topic stands in the block, too.
    const topic = findLastTopic(context.messages)?.text ?? '\0';
    const line = view.line.replace(QUOTED_TOPIC, (whole, quoted: string, end?: string) =>
      quoted.startsWith(topic) || topic.startsWith(quoted) ? `:${end ? ` ${end}` : ''}` : whole,
    );
    const why = view.state.open.length === 0 ? 'nothing is open' : `open: ${view.state.open.join(', ')}`;

    return {
      lines: [{ text: `- ${shortenForeignText(line, LINE_CHARACTERS)}`, why, priority: PRIORITY.handover }],
    };
  },
};

const BODIES: Readonly<Record<SectionId, BuiltInStage>> = {
  sentiment: sentimentStage,
  strategy: strategyStage,
  context: activeStage,
  handover: handoverStage,
  memory: memoryStage,
  time: timeStage,
  routing: routingStage,
  alerts: alertsStage,
};

export const STAGES: readonly Stage[] = SECTIONS.map((row) => ({
  ...row,
  ...BODIES[row.id],
  timeoutMs: TIMEOUT_MS,
}));
