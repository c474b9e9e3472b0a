/** Never -0, which JSON does not keep. Three decimals are more than a reading is worth, and keep the output the same on every machine. */
export function round(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 1000) / 1000 + 0 : 0;
}
