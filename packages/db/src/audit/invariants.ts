import { executionInvariants } from './executions.ts';
import { journalInvariants } from './journal.ts';

/** What must hold of the ledger at any moment: each query names the rows that break it. */
export const invariants = { ...journalInvariants, ...executionInvariants } as const;

export type Invariant = keyof typeof invariants;
