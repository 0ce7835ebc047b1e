const signals = ['SIGINT', 'SIGTERM'] as const;

/** Does work that Ctrl-C does not end at once, but by the signal that it is given. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(interrupt.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
