/** Of every command; 0 is done, 1 that what was looked at is wrong, or what was asked for refused. */
export const exitCodes = { wrong: 1, wrongArguments: 2, notRun: 3 } as const;
