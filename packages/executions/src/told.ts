import type { Ended } from '@holdfast/db/executions/endings';

/** Told of what this process has ended, once it is committed, and when it began to (milliseconds since 1970). */
export type Told = (done: Ended[], begunAtMs: number) => void;
