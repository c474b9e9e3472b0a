/**
 * Fits probability = logistic(slope x output + shift) to texts the network was
 * not fitted on (J. Platt, 1999), by Newton's method with a little damping.
 */
export function calibrate(
  outputs: readonly number[],
  truth: readonly number[],
): [slope: number, shift: number] {
  let slope = 1;
  let shift = 0;
  for (let round = 0; round < 50; round++) {
    let gradientA = 0;
    let gradientB = 0;
    let aa = 1e-3;
    let ab = 0;
    let bb = 1e-3;
    for (let i = 0; i < outputs.length; i++) {
      const x = outputs[i] ?? 0;
      const p = 1 / (1 + Math.exp(-(slope * x + shift)));
      const error = p - (truth[i] ?? 0);
      const weight = p * (1 - p);
      gradientA += error * x;
      gradientB += error;
      aa += weight * x * x;
      ab += weight * x;
      bb += weight;
    }
    const determinant = aa * bb - ab * ab;
    const stepA = (bb * gradientA - ab * gradientB) / determinant;
    const stepB = (aa * gradientB - ab * gradientA) / determinant;
    slope -= stepA;
    shift -= stepB;
    if (Math.abs(stepA) + Math.abs(stepB) < 1e-7) break;
  }
  return [round(slope), round(shift)];
}

/** Mean distance between probability and frequency over ten equal bins, weighted by their size. */
export function calibrationError(probabilities: readonly number[], truth: readonly number[]): number {
  const sums = Array.from({ length: 10 }, () => ({ n: 0, p: 0, y: 0 }));
  probabilities.forEach((p, i) => {
    const bin = sums[Math.min(9, Math.floor(p * 10))];
    if (bin === undefined) return;
    bin.n++;
    bin.p += p;
    bin.y += truth[i] ?? 0;
  });
  return sums.reduce((total, bin) => total + Math.abs(bin.p - bin.y), 0) / Math.max(1, probabilities.length);
}

function round(x: number): number {
  return Math.round(x * 1e4) / 1e4;
}
