import { SECTIONS, type SectionId } from '../pad/sections.ts';
import { activeStage } from './active.ts';
import { alertsStage } from './alerts.ts';
import { handoverStage } from './handover.ts';
import { memoryStage } from './memory.ts';
import { routingStage } from './routing.ts';
import { sentimentStage } from './sentiment.ts';
import type { BuiltInStage, Stage } from './stage.ts';
import { strategyStage } from './strategy.ts';
import { timeStage } from './time.ts';

/** The implementation of each section in the table. */
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

/** The sections of the state block, in the order in which the file shows them. */
export const STAGES: readonly Stage[] = SECTIONS.map((row) => ({ ...row, ...BODIES[row.id] }));
