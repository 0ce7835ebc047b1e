/** The admin API refused a request: the current state does not allow it. */
export class RefusedError extends Error {}

/** 0 is success, 1 that a check failed or a request was refused. With 4 the command may have done its work. */
export const exitCodes = { wrong: 1, wrongArguments: 2, notRun: 3, notWritten: 4 } as const;
