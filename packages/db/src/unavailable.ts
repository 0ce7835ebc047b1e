const sqlStates = /^(08...|57P0[1-4]|53300|P1001|P1002|P1008|P1017|P2024)$/;
const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN', 'ENOENT'];
const poolMessages =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection/;

/** Whether an error says that the database could not be reached, rather than that it refused something. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error === null || typeof error !== 'object') return false;
  const { code, syscall, message, cause, errors } = error as Partial<Record<string, unknown>>;
  return (
    (typeof code === 'string' && sqlStates.test(code)) ||
    (typeof code === 'string' && networkCodes.includes(code) && syscall !== undefined) ||
    (typeof message === 'string' && poolMessages.test(message)) ||
    (Array.isArray(errors) && errors.some(isDatabaseUnavailable)) ||
    isDatabaseUnavailable(cause)
  );
}
