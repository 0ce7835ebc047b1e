import type { Command } from './command.ts';
import { ledgerAudit } from './ledger/audit.ts';
import { partitions, partitionsUsage } from './partitions/partitions.ts';
import { secretsReencrypt } from './secrets/reencrypt.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ledgerAudit,
  {
    name: 'partitions',
    about: 'list, make and drop the months of the large tables',
    usage: partitionsUsage,
    run: (args, { openDatabase, say }) => partitions(args, openDatabase, say),
  },
  secretsReencrypt,
];
