/**
 * What a line is worth to whoever reads the block, 0 to 100. When the block is over its budget whole lines go, the
 * least worth first (`docs/state.md` has the same order). Lines of the user's own stages are at 50 unless their
 * config says otherwise.
 */
export const PRIORITY = {
  localTime: 95,
  style: 92,
  alertWithinHours: 91,
  mood: 90,
  tone: 88,
  verbosity: 86,
  workingOn: 85,
  preamble: 84,
  alertToday: 82,
  lastTopic: 79,
  longGap: 78,
  trail: 77,
  firstMemory: 76,
  newDay: 74,
  nextEvent: 73,
  secondMemory: 68,
  alertLater: 67,
  quietHours: 65,
  files: 64,
  noteInQuestion: 62,
  secondMood: 60,
  trajectory: 58,
  thirdMemory: 57,
  speaker: 56,
  date: 55,
  valence: 48,
  confidence: 46,
  suggestion: 45,
  lastNote: 40,
  routing: 38,
  branch: 35,
  shortGap: 33,
} as const;
