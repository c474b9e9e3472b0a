/**
 * Tokens that a model's context holds, by its name: what Claude Code 2.1.330 says of each (November 2026). A name that
 * is not known here has none: a warning that is wrong is worse than no warning.
 */
const WINDOWS: readonly [name: RegExp, tokens: number][] = [
  [/\[1m\]/i, 1_000_000],
  [/^claude-(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-\d{8})?$/, 200_000],
  [/^claude-opus-4-[78](?:-\d{8})?$/, 1_000_000],
  [/^claude-[a-z]+-5(?:-\d)?(?:-\d{8})?$/, 1_000_000],
];

/** @returns `undefined` for a model that is not in the table */
export function windowOf(model: string | undefined): number | undefined {
  return WINDOWS.find(([name]) => name.test(model ?? ''))?.[1];
}
