const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts at the first signal that asks the process to end, and if requested when stdin ends, which means that
 * the parent has ended. A second signal ends the process as usual.
 */
export function abortOnSignals(withStdin: boolean): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => controller.abort(name);
  for (const name of SIGNALS) process.once(name, onSignal);
  const onEnd = (): void => controller.abort('stdin has ended');
  if (withStdin) {
    process.stdin.on('end', onEnd).on('error', onEnd).on('close', onEnd);
    process.stdin.resume();
  }
  return {
    signal: controller.signal,
    stop() {
      for (const name of SIGNALS) process.off(name, onSignal);
      if (withStdin) process.stdin.destroy();
    },
  };
}
