/** OpenSSL's `thread:error:code:library:function:reason:file:line:`. */
const opensslError = /error:[0-9A-F]{8}:[^:]*:[^:]*:([^:]+)/;

/** Node's message for several failed addresses is empty; the code says as much. Of OpenSSL's the reason is enough. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = opensslError.exec(error.message)?.[1];
  if (reason) return reason.trim();
  return error.message !== '' ? error.message : ((error as NodeJS.ErrnoException).code ?? error.name);
}
