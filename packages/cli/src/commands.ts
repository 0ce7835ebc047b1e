import type { Command } from './command.ts';
import { ledgerAudit } from './ledger/audit.ts';
import { partitionsCommand } from './partitions/command.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [ledgerAudit, partitionsCommand];
