/** What an error says, in one line. Of an address with several numbers each failure is an error of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return (error.message || (typeof code === 'string' ? code : error.name))
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
