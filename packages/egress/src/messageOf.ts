/** Node's message for several failed addresses is empty; the code says as much. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message !== '' ? error.message : ((error as NodeJS.ErrnoException).code ?? error.name);
}
