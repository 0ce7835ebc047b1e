import { type Database, openDatabase } from '@holdfast/db/client';
import type { EndedExecution } from '@holdfast/db/executions/endings';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import { createLogger, type Logger } from '@holdfast/kit/logger';
import { asRole, createTestDatabase } from '@holdfast/testkit/testDatabase';
import { type AttemptRecorder, openAttemptRecorder } from '../../attemptRecorder.ts';
import { type Creator, openCreator } from '../../creator.ts';
import type { EndingHints, OnEnded } from '../../hints.ts';
import { openStarter, type Starter } from '../../lifecycle.ts';
import { openSettler, type Settler } from '../../settler.ts';
import { nowhere, publishChanges } from '../../testing/nowhere.ts';

export type Gateway = { db: Database; creator: Creator; hints: EndingHints; log: Logger };
export type Dispatcher = { db: Database; starter: Starter; recorder: AttemptRecorder };
export type Ledger = {
  db: Database;
  settler: Settler;
  hints: EndingHints;
  onExpired: OnEnded;
};

/** Two processes of each service over one database, each with its own connections and role. */
export type Processes = {
  /** With the rights of the owner, to read everything and to change times. */
  owner: Database;
  gateways: [Gateway, Gateway];
  dispatchers: [Dispatcher, Dispatcher];
  ledgers: [Ledger, Ledger];
  /** The endings that processes have reported since it was emptied. */
  endings: Ending[];
  close(): Promise<void>;
};

export type Ending = { executionId: string; status: ExecutionStatus; by: object };

const log = createLogger('test', 'silent');
const leaseS = 30;

export async function openProcesses(): Promise<Processes> {
  const { url, drop } = await createTestDatabase();
  const opened: Database[] = [];
  const open = (at: string) => {
    const db = openDatabase({ url: at, poolSize: 8, applicationName: 'test' });
    opened.push(db);
    return db;
  };
  const endings: Ending[] = [];
  const gateway = () => openGateway(open(asRole(url, 'holdfast_gateway')), endings);
  const dispatcher = () => openDispatcher(open(asRole(url, 'holdfast_dispatcher')));
  const ledger = () => openLedger(open(asRole(url, 'holdfast_ledger')), endings);
  return {
    owner: open(url),
    gateways: [gateway(), gateway()],
    dispatchers: [dispatcher(), dispatcher()],
    ledgers: [ledger(), ledger()],
    endings,
    async close() {
      await Promise.all(opened.map((db) => db.close()));
      await drop();
    },
  };
}

function openGateway(db: Database, endings: Ending[]): Gateway {
  // A cancellation adds an abort job.
  const abort: EndingHints['abort'] = {
    ...nowhere,
    async addAll(jobs) {
      for (const { executionId } of jobs) endings.push({ executionId, status: 'CANCELLED', by: db });
      return true;
    },
  };
  return {
    db,
    creator: openCreator({ db, dispatch: nowhere }),
    hints: { fanout: nowhere, abort, publishChanges },
    log,
  };
}

/** The provider of all runs; nothing is sent to it. */
export const testRoute = { connection: 'sandbox', target: 'a-model' };

function openDispatcher(db: Database): Dispatcher {
  return {
    db,
    starter: openStarter({ db, hints: { fanout: nowhere, publishChanges }, leaseS }),
    recorder: openAttemptRecorder({ db, settle: nowhere, publishChanges, log }),
  };
}

function openLedger(db: Database, endings: Ending[]): Ledger {
  const collect = (status: ExecutionStatus) => (ended: EndedExecution[]) => {
    endings.push(...ended.map(({ executionId }) => ({ executionId, status, by: db })));
  };
  return {
    db,
    settler: openSettler({
      db,
      hints: { fanout: nowhere, publishChanges },
      onEnded: { completed: collect('COMPLETED'), failed: collect('FAILED') },
    }),
    hints: { fanout: nowhere, abort: nowhere, publishChanges },
    onExpired: collect('EXPIRED'),
  };
}
