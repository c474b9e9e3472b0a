/**
 * What `work` gives, or what `late` does when it takes longer. A timer can fire only when the event loop turns: for
 * work that ends before, as all does that finds what it needs at hand, none is made. Node's timers take a fresh process
 * .4 ms.
 *
 * @param ms longest that anybody waits
 * @throws what `work` or `late` throws
 */
export function inTime<Value>(work: Promise<Value>, ms: number, late: () => Value): Promise<Value> {
  const since = Date.now();
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let done = false;
    const settle = (end: () => void): void => {
      done = true;
      if (timer !== undefined) clearTimeout(timer);
      end();
    };
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    afterMicrotasks(() => {
      if (done) return;
      timer = setTimeout(
        () => {
          try {
            resolve(late());
          } catch (error) {
            reject(error);
          }
        },
        Math.max(0, since + ms - Date.now()),
      );
    });
  });
}

/** A tick that is asked for by a microtask comes when no microtask is left. */
function afterMicrotasks(then: () => void): void {
  void Promise.resolve().then(() => process.nextTick(then));
}
