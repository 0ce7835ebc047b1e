/** One accepted create. */
export type Created = {
  id: string;
  /** When it was to be sent, as of `nowMs`. */
  sentAtMs: number;
  /** From then until its answer was there. */
  latencyMs: number;
};
