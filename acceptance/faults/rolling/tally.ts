/** Keeps the failures of clients. */
export type Tally = {
  failures: string[];
  /** Runs one request; records an error as a failure and returns null. */
  ask<Result>(what: string, send: () => Promise<Result>): Promise<Result | null>;
};

export function openTally(): Tally {
  const tally: Tally = {
    failures: [],
    async ask(what, send) {
      try {
        return await send();
      } catch (error) {
        tally.failures.push(`${what}: ${reasonOf(error as Error)}`);
        return null;
      }
    },
  };
  return tally;
}

/** The message of an error, with its cause, because fetch only says "fetch failed". */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
