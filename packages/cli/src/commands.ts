import type { Command } from './command.ts';
import { ledgerAudit } from './ledger/audit.ts';
import { modelsApply, modelsValidate } from './models/apply.ts';
import { modelsList } from './models/list.ts';
import { modelsShow } from './models/show.ts';
import { modelsTest } from './models/test.ts';
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
  modelsApply,
  modelsValidate,
  modelsList,
  modelsShow,
  modelsTest,
];
