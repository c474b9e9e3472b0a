/**
 * Size of a model's context in tokens, by its name, as Claude Code 2.1.330 states it (November 2026). Unknown
 * models are left out: a wrong warning is worse than none.
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
