/** The part of the package that we use; it ships no types. */
declare module 'asciichart' {
  /** @returns lines of text: one column per number, and an axis with labels on the left */
  export function plot(
    series: readonly number[],
    config?: { height?: number; format?: (value: number) => string },
  ): string;
}
