/** A logistic regression with a ridge penalty on standardised inputs; its weights are for unstandardised ones. */
export interface Fitted {
  start: number;
  weights: number[];
}

/**
 * Fits by Newton's method (iteratively reweighted least squares).
 *
 * @param inputs one row per text
 * @param truth 0 or 1 per row
 * @param counts the weight of each row
 * @param penalties ridge penalty of each standardised input; the intercept has none
 */
export function fitLogistic(
  inputs: readonly (readonly number[])[],
  truth: readonly number[],
  counts: readonly number[],
  penalties: readonly number[],
): Fitted {
  const width = inputs[0]?.length ?? 0;
  const { means, spreads } = computeScale(inputs, width);
  const rows = inputs.map((row) => [...row.map((x, j) => (x - (means[j] ?? 0)) / (spreads[j] ?? 1)), 1]);
  const solution = new Float64Array(width + 1);
  for (let round = 0; round < 30; round++) {
    const gradient = new Float64Array(width + 1);
    const matrix = Array.from({ length: width + 1 }, () => new Float64Array(width + 1));
    rows.forEach((row, i) => {
      let sum = 0;
      for (let j = 0; j <= width; j++) sum += (row[j] ?? 0) * (solution[j] ?? 0);
      const p = 1 / (1 + Math.exp(-sum));
      const count = counts[i] ?? 1;
      const error = count * (p - (truth[i] ?? 0));
      const weight = count * p * (1 - p);
      for (let j = 0; j <= width; j++) {
        const x = row[j] ?? 0;
        gradient[j] = (gradient[j] ?? 0) + error * x;
        if (x === 0) continue;
        const line = matrix[j] as Float64Array;
        for (let k = j; k <= width; k++) line[k] = (line[k] ?? 0) + weight * x * (row[k] ?? 0);
      }
    });
    for (let j = 0; j <= width; j++) {
      const ridge = penalties[j] ?? 1e-6;
      gradient[j] = (gradient[j] ?? 0) + ridge * (solution[j] ?? 0);
      const line = matrix[j] as Float64Array;
      line[j] = (line[j] ?? 0) + ridge;
      for (let k = 0; k < j; k++) line[k] = matrix[k]?.[j] ?? 0;
    }
    const step = solveSystem(matrix, gradient);
    let largest = 0;
    for (let j = 0; j <= width; j++) {
      solution[j] = (solution[j] ?? 0) - (step[j] ?? 0);
      largest = Math.max(largest, Math.abs(step[j] ?? 0));
    }
    if (largest < 1e-6) break;
  }
  const weights = means.map((_, j) => (solution[j] ?? 0) / (spreads[j] ?? 1));
  const start = means.reduce((sum, mean, j) => sum - mean * (weights[j] ?? 0), solution[width] ?? 0);
  return { start, weights };
}

function computeScale(
  inputs: readonly (readonly number[])[],
  width: number,
): { means: number[]; spreads: number[] } {
  const computeMean = (value: (row: readonly number[]) => number): number =>
    inputs.reduce((sum, row) => sum + value(row), 0) / inputs.length;
  const means = Array.from({ length: width }, (_, j) => computeMean((row) => row[j] ?? 0));
  const squares = means.map((middle, j) => computeMean((row) => ((row[j] ?? 0) - middle) ** 2));
  // An input that hardly varies is not standardised; the penalty then keeps its weight small.
  return { means, spreads: squares.map((square) => Math.max(Math.sqrt(square), 0.03)) };
}

/** Gaussian elimination with pivoting; the matrix is overwritten. */
function solveSystem(matrix: Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  for (let column = 0; column < n; column++) {
    let best = column;
    for (let row = column + 1; row < n; row++)
      if (Math.abs(matrix[row]?.[column] ?? 0) > Math.abs(matrix[best]?.[column] ?? 0)) best = row;
    [matrix[column], matrix[best]] = [matrix[best] as Float64Array, matrix[column] as Float64Array];
    [right[column], right[best]] = [right[best] ?? 0, right[column] ?? 0];
    const pivot = matrix[column] as Float64Array;
    for (let row = column + 1; row < n; row++) {
      const line = matrix[row] as Float64Array;
      const factor = (line[column] ?? 0) / (pivot[column] || 1e-12);
      if (factor === 0) continue;
      for (let k = column; k < n; k++) line[k] = (line[k] ?? 0) - factor * (pivot[k] ?? 0);
      right[row] = (right[row] ?? 0) - factor * (right[column] ?? 0);
    }
  }
  const solution = new Float64Array(n);
  for (let row = n - 1; row >= 0; row--) {
    let sum = right[row] ?? 0;
    for (let k = row + 1; k < n; k++) sum -= (matrix[row]?.[k] ?? 0) * (solution[k] ?? 0);
    solution[row] = sum / (matrix[row]?.[row] || 1e-12);
  }
  return solution;
}
