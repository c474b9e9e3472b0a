import { compiled } from '../../text/compile-patterns.ts';
import { silent } from '../cues.ts';
import { personOf } from '../read.ts';
import type { ReadMessage, SignalExtractor } from '../types.ts';

const ROWS = ['!!', '??', '!?', '?!'];
const CAPITALS = /\b[A-Z][A-Z']{2,}\b/g;
const ASKED = /\?+/g;
const ENDS = /[.!?]+(?:\s|$)/g;

/** Capitals, and marks in a row. */
export const punctuation: SignalExtractor = {
  name: 'punctuation',
  moves: { arousal: 0.6, frustration: 0.4, urgency: 0.15 },
  extract(messages) {
    const prose = messages.at(-1)?.prose ?? '';
    const evidence: string[] = [];
    let score = 0;
    const marks = ROWS.some((row) => prose.includes(row)) ? /[!?]{2,}/.exec(prose) : null;
    if (marks !== null) {
      const mixed = /\?!|!\?|\?{2,}/.test(marks[0]);
      score += mixed ? 0.5 : Math.min(0.45, marks[0].length * 0.12);
      evidence.push(marks[0].slice(0, 8));
    }
    const shouted = shouting(messages.at(-1)?.words ?? [], prose);
    if (shouted > 0) {
      score += 0.6 * shouted;
      evidence.push('capitals');
    }
    return score === 0
      ? silent('punctuation')
      : { name: 'punctuation', score: Math.min(1, score), confidence: 0.6, evidence };
  },
};

/** Share of words in capitals, 0 unless it is more than an acronym or two. */
function shouting(words: readonly string[], prose: string): number {
  if (words.length < 2) return 0;
  const capitals = prose.match(compiled(CAPITALS));
  const count = capitals?.length ?? 0;
  if (count < 2) return 0;
  const share = count / words.length;
  return share > 0.5 ? 1 : share > 0.25 && count >= 3 ? 0.5 : 0;
}

/** Fewer words than the person's own earlier messages. Alone it means little. */
export const terseness: SignalExtractor = {
  name: 'terseness',
  moves: { frustration: 0.12, engagement: -0.35, curiosity: -0.2, fatigue: 0.12 },
  extract(messages) {
    const own = ownTurns(messages);
    const last = own.at(-1);
    if (last === undefined || own.length < 4 || last.words.length === 0) return silent('terseness');
    const before = own.slice(0, -1);
    const usual = before.reduce((sum, m) => sum + Math.min(60, m.words.length), 0) / before.length;
    if (usual < 6) return silent('terseness');
    const drop = 1 - last.words.length / usual;
    if (drop < 0.5) return silent('terseness');
    const evidence = [`${last.words.length} words, usually ${Math.round(usual)}`];
    return { name: 'terseness', score: drop, confidence: 0.5, evidence };
  },
};

/** Questions among sentences. */
export const questions: SignalExtractor = {
  name: 'questions',
  moves: { curiosity: 0.55, engagement: 0.15 },
  extract(messages) {
    const last = messages.at(-1);
    if (last === undefined || last.words.length < 2) return silent('questions');
    const asked = last.prose.includes('?') ? (last.prose.match(compiled(ASKED))?.length ?? 0) : 0;
    if (asked === 0) return silent('questions');
    const sentences = Math.max(1, last.prose.match(compiled(ENDS))?.length ?? 1);
    const score = Math.min(1, 0.35 + 0.35 * Math.min(1, asked / sentences) + 0.1 * Math.min(3, asked - 1));
    return {
      name: 'questions',
      score,
      confidence: 0.6,
      evidence: [`${asked} of ${sentences} sentences ask`],
    };
  },
};

/** The messages of the person who speaks last, in order. */
export function ownTurns(messages: readonly ReadMessage[]): ReadMessage[] {
  const last = messages.at(-1);
  if (last === undefined) return [];
  const person = personOf(last);
  return messages.filter((m) => m.role === 'user' && personOf(m) === person);
}
