/**
 * Settles as `work` does, or with the result of `late` once `ms` milliseconds have passed.
 *
 * @throws what `work` or `late` throws
 */
export async function inTime<Value>(work: Promise<Value>, ms: number, late: () => Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, deadline.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
