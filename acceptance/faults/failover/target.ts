import type { Database } from '@holdfast/db/client';
import type { ApiClient } from '@holdfast/testkit/apiClient';
import type { Fault } from './faults.ts';
import type { Load, Work } from './load.ts';

/** Everything that may be asked when all work is done. */
export type AtRest = { db: Database; api: ApiClient; load: Load; lost: readonly string[]; logs: string[] };

/** A server that the services need, and what can happen to it. */
export type Target = {
  /** The settings of the services. */
  settings: Record<string, string>;
  faults: readonly Fault[];
  work: Work;
  /** False: what it acknowledged may be lost. */
  isSafe: boolean;
  /** Resolves when the server and its replicas are healthy. */
  prepare(): Promise<Provoke>;
  /** What only this server can break, a line each. */
  problems(atRest: AtRest): Promise<string[]>;
  notes(): string[];
  close(): Promise<unknown>;
};

/** Resolves when the server can be used again; `heal` ends the fault, and resolves when all of the server is healthy. */
export type Provoke = (fault: Fault) => Promise<{ heal(): Promise<unknown> }>;

export const texts: Work = { model: 'sandbox-text', input: {} };
