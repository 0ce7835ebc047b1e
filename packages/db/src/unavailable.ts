const sqlStates = /^(08...|57P0[1-4]|53300|P1001|P1002|P1008|P1017|P2024)$/;
const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN', 'ENOENT'];
const poolMessages =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection/;

/** Whether an error says that the database could not be reached, rather than that it refused something. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    sqlStates.test(code) ||
    (networkCodes.includes(code) && 'syscall' in error) ||
    poolMessages.test(error.message) ||
    isDatabaseUnavailable(error.cause)
  );
}
