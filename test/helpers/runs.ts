/** How many cases a property tries: few in the suite; `RUNS=20000 npx vitest run FILE` goes on looking. */
export const runs = (usual: number): number => Number(process.env.RUNS ?? usual);
