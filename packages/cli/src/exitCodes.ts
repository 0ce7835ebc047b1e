/** What a command that answers a question ends with; see --help. */
export const exitCodes = {
  fine: 0,
  /** It was done, and something is wrong. */
  broken: 1,
  usage: 2,
  /** It could not be done: no database, or one that refuses. */
  failed: 3,
} as const;
