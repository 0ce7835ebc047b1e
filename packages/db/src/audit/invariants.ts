import { executionInvariants } from './executions.ts';
import { guardInvariants } from './guards.ts';
import { journalInvariants } from './journal.ts';

/** What must hold of the ledger at any moment: each query names the rows that break it. */
export const invariants = { ...journalInvariants, ...executionInvariants, ...guardInvariants } as const;

export type Invariant = keyof typeof invariants;
