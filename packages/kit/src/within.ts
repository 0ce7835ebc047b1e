/** What `work` gives, unless it takes longer than `timeMs`. @throws an Error that says what took too long */
export async function within<Result>(timeMs: number, what: string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${timeMs} ms`)), timeMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What an error says, in one line. Of an address with several numbers each failure is an error of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return (error.message || (typeof code === 'string' ? code : error.name))
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
