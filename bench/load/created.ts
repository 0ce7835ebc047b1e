export type Created = {
  id: string;
  /** When it was due, as of `nowMs`; latency counts from then. */
  sentAtMs: number;
  latencyMs: number;
  /** The index of its API key. */
  keyIndex: number;
};
