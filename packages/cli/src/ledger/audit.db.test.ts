import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { invariants } from '@holdfast/db/audit/audit';
import type { Database } from '@holdfast/db/client';
import { cancelExecution } from '@holdfast/db/executions/endings';
import { newId } from '@holdfast/domain/ids';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { asRole, createBareDatabase, openTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast, holdfastHere, holdfastInShell, npmRunHoldfast } from '../testing/holdfast.ts';

let url: string;
let db: Database;
let close: () => Promise<void>;
let organizationId: string;

beforeEach(async () => {
  ({ db, url, close } = await openTestDatabase(10));
  organizationId = await createTestOrganization(db, '10');
});
afterEach(() => close());

const lines = (text: string) => text.trimEnd().split('\n');
const names = Object.keys(invariants);
const allHold = `The ledger is consistent: ${names.length} invariants hold.\n`;

async function create(): Promise<string> {
  const id = newId('exec');
  const money = { holdAmount: '0.01', estimatedCost: '0.01' };
  return await insertTestExecution(db, {
    id,
    organizationId,
    ...money,
    idempotencyKey: id,
    requestHash: 'h',
    timeoutS: 60,
  });
}

describe('holdfast ledger audit', () => {
  it('reports that the ledger is correct, and the duration of each invariant', async () => {
    const { code, stdout, stderr } = await holdfast(['ledger', 'audit', '--database-url', url]);
    expect([code, stdout]).toEqual([0, allHold]);
    const printed = lines(stderr).map((line) => /^ +\d+\.\d s {2}(.+): holds$/.exec(line)?.[1]);
    expect(printed).toEqual(names);
  });

  it('prints a line for each row that breaks an invariant, and fails', async () => {
    await db.pool.query('UPDATE balances SET held = held + 1');
    const { code, stdout, stderr } = await holdfastHere(['ledger', 'audit'], { DATABASE_URL: url });
    expect(code).toBe(1);
    const said = lines(stdout);
    expect(said).toContain(`held is the sum of open holds: ${organizationId}: held 1.00000000, open holds 0`);
    expect(said.at(-1)).toBe(`The ledger is not consistent: 4 rows break 4 of ${names.length} invariants.`);
    expect(said).toHaveLength(5);
    expect(stderr).toContain('held is the sum of open holds: BROKEN: 1');
  });

  it.each(['|', '2>&1 |'])(
    'fails with a broken invariant even if its output is not read: %s',
    async (pipe) => {
      await db.pool.query('UPDATE balances SET held = held + 1');
      const { code } = await holdfastInShell(`ledger audit ${pipe} :`, { DATABASE_URL: url });
      expect(code).toBe(1);
    },
  );

  it.each(['|', '2>&1 |'])('succeeds although its output is not read: %s', async (pipe) => {
    const { code } = await holdfastInShell(`ledger audit ${pipe} :`, { DATABASE_URL: url });
    expect(code).toBe(0);
  });

  it('lists a hundred rows of an invariant, and says that there are more', async () => {
    await db.pool.query(
      `INSERT INTO balances (organization_id) SELECT 'org_' || n FROM generate_series(1, 150) n`,
    );
    const { code, stdout } = await holdfastHere(['ledger', 'audit'], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(lines(stdout)).toHaveLength(102);
    expect(stdout).toContain('every organization has its balance: more than the 100 named here\n');
    expect(stdout).toContain('100 or more rows break 1 of');
  });

  it('prints the result as JSON with --json', async () => {
    await db.pool.query('UPDATE balances SET sequence = 7');
    const { code, stdout } = await holdfastHere(['ledger', 'audit', '--json', '--database-url', url]);
    expect(code).toBe(1);
    const { ok, invariants: checked } = JSON.parse(stdout);
    expect(ok).toBe(false);
    expect(checked.map(({ invariant }: { invariant: string }) => invariant)).toEqual(names);
    expect(checked).toContainEqual({
      invariant: 'the journal is numbered without gaps',
      broken_by: [{ id: organizationId, found: 'sequence 7 of 1 transfers from 1 to 1' }],
      are_more: false,
      took_ms: expect.any(Number),
    });
  });

  it('writes nothing, and needs only the rights of the ledger', async () => {
    const asLedger = await holdfastHere(['ledger', 'audit'], {
      DATABASE_URL: asRole(url, 'holdfast_ledger'),
    });
    expect([asLedger.code, asLedger.stdout]).toEqual([0, allHold]);
    const { rows } = await db.pool.query('SELECT FROM ledger_audits');
    expect(rows).toEqual([]);
  });

  it('reports nothing during load, and blocks no other session', async () => {
    const over = new AbortController();
    let ended = 0;
    const work = async () => {
      while (!over.signal.aborted) {
        await cancelExecution(db, organizationId, await create());
        ended += 1;
      }
    };
    const load = Promise.all(Array.from({ length: 4 }, work));
    const perAudit: number[] = [];
    try {
      for (let audits = 0; audits < 3; audits++) {
        const before = ended;
        const { code, stdout } = await holdfast(['ledger', 'audit'], { DATABASE_URL: url });
        expect([code, stdout]).toEqual([0, allHold]);
        perAudit.push(ended - before);
      }
    } finally {
      over.abort();
      await load;
    }
    // Sessions that an audit blocked would end nothing before it ends.
    expect(Math.min(...perAudit)).toBeGreaterThan(0);
  });
});

/** A login that may read every table, of whom the journal's row level security knows nothing: it sees no transfer. */
async function readerWithoutPolicy(): Promise<string> {
  await db.pool.query('GRANT SELECT ON ALL TABLES IN SCHEMA public TO holdfast_webhook_sender');
  return asRole(url, 'holdfast_webhook_sender');
}

describe('the database of a command', () => {
  it('is that of npm start by default', async () => {
    const home = testFolder('cli');
    writeFileSync(join(home, 'local.json'), JSON.stringify({ database_url: url, other: 1 }));
    const { code, stdout } = await npmRunHoldfast(['ledger', 'audit'], { HOLDFAST_HOME: home });
    expect([code, stdout]).toEqual([0, allHold]);
  });

  it('is requested when there is no default', async () => {
    const { code, stdout, stderr } = await npmRunHoldfast(['ledger', 'audit'], {});
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^holdfast: [^\n]*--database-url[^\n]*DATABASE_URL[^\n]*npm start[^\n]*\n$/);
  });

  it('is reported in one line, without its password, when it is unreachable', async () => {
    const unavailable = 'postgresql://user:opensesame@127.0.0.1:1/holdfast';
    const { code, stdout, stderr } = await holdfast(['ledger', 'audit', '--database-url', unavailable]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^holdfast: [^\n]*ECONNREFUSED[^\n]*127\.0\.0\.1:1[^\n]*\n$/);
    expect(stderr).not.toContain('opensesame');
  });

  it('is named in its own errors, and not in those of a file', async () => {
    const errorOf = async (...args: string[]) => (await holdfast(args, { DATABASE_URL: url })).stderr;
    const { host, pathname } = new URL(url);
    const place = `(the database ${pathname.slice(1)} at ${host})\n`;
    const wrong = Object.assign(new URL(url), { username: 'holdfast_ledger', password: 'opensesame' }).href;
    expect(await errorOf('ledger', 'audit', '--database-url', wrong)).toContain(place);
    for (const command of ['ledger audit --after-failover', 'models apply', 'backup --without-files'])
      expect(await errorOf(...command.split(' '), '/dev/null/none')).toMatch(/ENOTDIR(\)|[^\n]*')\n$/);
  });

  it('is reported in one line when it refuses the command: a wrong password, no tables, too few rights', async () => {
    const wrong = Object.assign(new URL(url), { username: 'holdfast_ledger', password: 'opensesame' }).href;
    const bare = await createBareDatabase();
    const refusals = [
      [wrong, 'password authentication failed'],
      [bare.url, 'does not exist'],
      [asRole(url, 'holdfast_gateway'), 'permission denied'],
      [await readerWithoutPolicy(), 'does not see the journal'],
    ] as const;
    for (const [DATABASE_URL, reason] of refusals) {
      const { code, stdout, stderr } = await holdfast(['ledger', 'audit'], { DATABASE_URL });
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(/(^|\n)holdfast: [^\n]*\n$/);
      expect(stderr).toContain(reason);
      expect(stderr).not.toContain('    at ');
    }
    await bare.drop();
  });
});

describe('holdfast ledger audit --after-failover', () => {
  const line = (fields: object) => JSON.stringify({ level: 30, time: 1, service: 'dispatcher', ...fields });

  it('lists the executions of the logs that the database does not have, and what happened to them', async () => {
    const [kept, lost, ran, asked] = [await create(), newId('exec'), newId('exec'), newId('exec')];
    const log = join(testFolder('logs'), 'services.log');
    const run = { executionId: ran, organizationId, model: 'writer', connection: 'sandbox' };
    writeFileSync(
      log,
      [
        line({ msg: 'run started', executionId: kept, connection: 'sandbox' }),
        `api-gateway-1  | ${line({ msg: 'request', method: 'POST', status: 202, executionId: lost })}`,
        `dispatcher-1  | ${line({ msg: 'run started', ...run })}`,
        line({ msg: 'run ended', ...run, state: 'succeeded' }),
        line({ msg: 'webhook attempt', executionId: ran, outcome: 'delivered' }),
        // A client may ask for what never existed.
        line({ msg: 'request', method: 'GET', status: 404, executionId: asked }),
        '{"broken": ',
      ].join('\n'),
    );
    const { code, stdout } = await holdfastHere(['ledger', 'audit', '--after-failover', log], {
      DATABASE_URL: url,
    });
    expect(code).toBe(1);
    const [first = '', ...rest] = lines(stdout);
    expect(`${first}\n`).toBe(allHold);
    const listed = [
      `lost: ${lost}`,
      `lost: ${ran}, model writer, ${organizationId}, ran at sandbox and succeeded, 1 webhooks delivered`,
    ];
    expect(rest).toEqual([
      ...listed.toSorted(),
      'The database does not have 2 of the executions that the logs name; providers ran 1 of these.',
    ]);
  });

  it('reads other texts that name executions, and succeeds if none is lost', async () => {
    const id = await create();
    const { code, stdout } = await holdfastInShell(
      `ledger audit --after-failover - <<< "my orders: ${id}, ${id}"`,
      {
        DATABASE_URL: url,
      },
    );
    expect([code, stdout]).toEqual([0, `${allHold}The database has every execution that the logs name.\n`]);
  });

  it('needs logs', async () => {
    const { code, stderr } = await holdfastHere(['ledger', 'audit', '--after-failover'], {
      DATABASE_URL: url,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('needs the logs of the services')]);
  });
});
