/** What clients saw: every request counted, those that failed with what was wrong. */
export type Tally = {
  requests: number;
  failures: string[];
  /** Streams that ended early and were taken up again where they were. */
  resumed: number;
  /** Runs one request. What it throws is written down; null then. */
  ask<Answer>(what: string, send: () => Promise<Answer>): Promise<Answer | null>;
};

export function openTally(): Tally {
  const tally: Tally = {
    requests: 0,
    failures: [],
    resumed: 0,
    async ask(what, send) {
      tally.requests += 1;
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

/** With what is behind a bare "fetch failed". */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
