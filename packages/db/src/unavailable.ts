const sqlStates = /^(08...|57P0[1-4]|53300|P1001|P1002|P1008|P1017|P2024)$/;
const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN', 'ENOENT'];
const poolMessages =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection/;

/** A password that is another now, a certificate that is no longer good: P1000 and P1011 are Prisma's words for it. */
const strangers =
  /^(28000|28P01|P1000|P1011|CERT_.*|ERR_TLS_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/;

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

/** Also when database and service do not believe each other: that is for the operator to mend, and may soon be over. */
export function isDatabaseOutOfReach(error: unknown): boolean {
  const code = Object(error).code;
  return isDatabaseUnavailable(error) || (typeof code === 'string' && strangers.test(code));
}
