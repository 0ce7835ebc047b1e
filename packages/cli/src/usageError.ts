/** Arguments that a command can't read: its line is shown with a hint at --help, and the exit code is 2. */
export class UsageError extends Error {}

/** Whether the arguments are to blame; `parseArgs` of Node throws errors of its own. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const code = error instanceof TypeError && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_');
}
