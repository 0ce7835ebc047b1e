/** Of every command; 0 is done, 1 that what was looked at is wrong. */
export const exitCodes = { wrongArguments: 2, notRun: 3 } as const;
