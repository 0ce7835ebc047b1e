export class TimeLimitError extends Error {}

/** @throws TimeLimitError */
export async function within<Result>(timeMs: number, what: string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new TimeLimitError(`${what} took longer than ${timeMs} ms`));
    // What has come while this process was busy goes first: its own delay is not the work's.
    timer = setTimeout(() => setImmediate(fail), timeMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The message in one line; a name with several addresses fails once per address. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return (error.message || (typeof code === 'string' ? code : error.name))
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
