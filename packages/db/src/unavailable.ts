const sqlStates = /^(08...|57P0[1-4]|53300|P1001|P1002|P1008|P1017|P2024)$/;
const networkCodes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN', 'ENOENT'];
const poolMessages =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection/;

/** PostgreSQL refuses our password, or one side the other's certificate. P1000 and P1011 are what Prisma says then. */
const notTrusted =
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

/** Also when a login or a certificate is refused, which may be over soon: the operator is just changing it, perhaps. */
export function isDatabaseOutOfReach(error: unknown): boolean {
  const code = Object(error).code;
  return isDatabaseUnavailable(error) || (typeof code === 'string' && notTrusted.test(code));
}
