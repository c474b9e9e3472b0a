import { activeStage } from './active.ts';
import { alertsStage } from './alerts.ts';
import { memoryStage } from './memory.ts';
import { routingStage } from './routing.ts';
import { sentimentStage } from './sentiment.ts';
import type { Stage } from './stage.ts';
import { strategyStage } from './strategy.ts';
import { timeStage } from './time.ts';

/** The sections of the state block, in the order in which the file shows them. */
export const STAGES: readonly Stage[] = [
  sentimentStage,
  strategyStage,
  activeStage,
  memoryStage,
  timeStage,
  routingStage,
  alertsStage,
];
