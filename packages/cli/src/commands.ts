import { actions } from './actions/actions.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { correct, topup } from './balance/adjust.ts';
import type { Command } from './command.ts';
import { completion } from './completion/completion.ts';
import { doctor } from './doctor/doctor.ts';
import { executionsCancel } from './executions/cancel.ts';
import { executionsList } from './executions/list.ts';
import { executionsShow } from './executions/show.ts';
import { executionsTail } from './executions/tail.ts';
import { keyRevoke, keyRotate } from './key/change.ts';
import { keyCreate } from './key/create.ts';
import { keyList } from './key/list.ts';
import { ledgerAudit } from './ledger/audit.ts';
import { modelsApply, modelsValidate } from './models/apply.ts';
import { modelsList } from './models/list.ts';
import { modelsShow } from './models/show.ts';
import { modelsTest } from './models/test.ts';
import { orgCreate } from './org/create.ts';
import { orgLimit } from './org/limit.ts';
import { orgList } from './org/list.ts';
import { orgShow } from './org/show.ts';
import { partitions, partitionsUsage } from './partitions/partitions.ts';
import { queuesFailed, queuesResume, queuesRetry } from './queues/failed.ts';
import { queuesShow } from './queues/queues.ts';
import { secretsReencrypt } from './secrets/reencrypt.ts';
import { webhooksRecover, webhooksRedeliver } from './webhooks/again.ts';
import { webhooksList } from './webhooks/list.ts';
import { webhooksShow } from './webhooks/show.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  doctor,
  orgCreate,
  orgList,
  orgShow,
  orgLimit,
  topup,
  correct,
  keyCreate,
  keyList,
  keyRotate,
  keyRevoke,
  executionsList,
  executionsShow,
  executionsTail,
  executionsCancel,
  webhooksList,
  webhooksShow,
  webhooksRedeliver,
  webhooksRecover,
  queuesShow,
  queuesFailed,
  queuesRetry,
  queuesResume,
  ledgerAudit,
  actions,
  backup,
  restore,
  {
    name: 'partitions',
    about: 'list, make and drop the months of the large tables',
    usage: partitionsUsage,
    changes: ([action]) => action !== undefined && action !== 'list',
    run: (args, { openDatabase, say }) => partitions(args, openDatabase, say),
  },
  secretsReencrypt,
  modelsApply,
  modelsValidate,
  modelsList,
  modelsShow,
  modelsTest,
  completion(() => commands),
];
