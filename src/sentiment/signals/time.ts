import { silent } from '../cues.ts';
import type { SignalExtractor } from '../types.ts';
import { ownTurns } from './style.ts';

/** The hour of the person's day: between 23 and 5 most people are tired, and some are not. */
export const timing: SignalExtractor = {
  name: 'timing',
  moves: { fatigue: 0.55, playfulness: -0.1 },
  extract(messages) {
    const hour = messages.at(-1)?.localHour;
    if (hour === undefined || (hour >= 5 && hour < 23)) return silent('timing');
    const depth = hour >= 23 ? 0.45 : hour < 1 ? 0.6 : hour < 4 ? 0.8 : 0.65;
    const clock = `${String(Math.floor(hour)).padStart(2, '0')}:${String(Math.floor((hour % 1) * 60)).padStart(2, '0')}`;
    return { name: 'timing', score: depth, confidence: 0.55, evidence: [`${clock} local time`] };
  },
};

const QUICK_MS = 40_000;

/** Several messages in a row without waiting for an answer, or answers at once. */
export const cadence: SignalExtractor = {
  name: 'cadence',
  moves: { urgency: 0.35, arousal: 0.35, frustration: 0.12, engagement: 0.2 },
  extract(messages) {
    const own = ownTurns(messages);
    let quick = 0;
    for (let i = own.length - 1; i > 0; i--) {
      const now = own[i]?.time;
      const before = own[i - 1]?.time;
      if (now === undefined || before === undefined || now - before > QUICK_MS || now < before) break;
      quick++;
    }
    if (quick < 2) return silent('cadence');
    const score = Math.min(1, quick / 5);
    return { name: 'cadence', score, confidence: 0.5, evidence: [`${quick + 1} messages within seconds`] };
  },
};
