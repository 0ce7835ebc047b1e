import { createHmac } from 'node:crypto';
import type { Breach } from '@holdfast/db/audit/audit';
import { type Money, MoneyDecimal } from '@holdfast/domain/money';
import type { ApiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import type { EventBody } from '../../stack/executions.ts';
import { expectNone } from './checks.ts';
import { need, type TestContext } from './context.ts';
import { type Customer, startBalance } from './customer.ts';
import type { Span } from './load.ts';
import type { Project } from './project.ts';
import { withRetries } from './retries.ts';

type LoadResult = {
  customer: Customer;
  count: number;
  accepted: ReadonlySet<string>;
  /** When the provider lost its runs. */
  losses: Span[];
  received: Received[];
};

/** An execution in the list. */
type ExecutionRecord = {
  id: string;
  status: string;
  cost: Money | null;
  error: { code: string } | null;
  created_at: string;
  completed_at: string | null;
  result?: { images?: { file_id: string }[] };
};

/** A lease expires after 20 s and a webhook request after 45 s; one may follow the other. */
const idleWithinMs = 150_000;

/** Resolves when no execution of the organization is open, and every event has been delivered. */
export async function untilIdle({ api }: Customer): Promise<void> {
  const open = ['PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'].map((status) => `executions?status=${status}`);
  const isEmpty = async (list: string) => (await pageOf(api, `${list}&limit=1`)).data.length === 0;
  const left = [...open, 'events?undelivered=true'];
  await until(
    'no work is left',
    async () => (await Promise.all(left.map(isEmpty))).every(Boolean),
    idleWithinMs,
  );
}

/** Checks what must be true at the end, whatever happened. */
export async function checkOutcome(context: TestContext, result: LoadResult): Promise<void> {
  const { project, check, say } = context;
  const { customer, count, accepted, losses, received } = result;
  const records = await need(context, 'the API lists the executions', () => listAll(customer.api));
  const completed = records.filter(({ status }) => status === 'COMPLETED');
  say(`${completed.length} of ${records.length} executions completed; ${received.length} webhooks arrived`);

  await check('each create was accepted once', () => {
    const unknown = records.filter(({ id }) => !accepted.has(id)).map(({ id }) => id);
    expectNone('were created and never accepted', unknown);
    const ids = new Set(records.map(({ id }) => id));
    if (ids.size !== count || records.length !== count)
      throw new Error(`${count} expected, ${ids.size} found`);
  });
  await check('every execution completed, but for those that the sandbox lost', () => {
    const wrong = records.filter((one) => one.status !== 'COMPLETED' && !wasLost(one, losses));
    expectNone(
      'ended otherwise',
      wrong.map(({ id, status, error }) => `${id} ${status} ${error?.code ?? ''}`),
    );
  });
  await check('the balance is what the costs leave of it, and nothing is held', async () => {
    const { available, held } = (await customer.api.get('/v1/balance')).body as Record<string, Money>;
    const spent = completed.reduce((sum, { cost }) => sum.plus(cost ?? 0), new MoneyDecimal(0));
    const left = new MoneyDecimal(startBalance).minus(spent);
    if (!left.equals(available ?? 0) || Number(held) !== 0)
      throw new Error(`${available} is left and ${held} held; ${left.toFixed()} should be left`);
  });
  await check('the audit of the ledger finds nothing', async () => {
    const breaches = await auditLedger(project);
    expectNone(
      'breaches',
      breaches.map((breach) => JSON.stringify(breach)),
    );
  });
  await check('the final event of every execution arrived, and each webhook had the right signature', () => {
    const events = received.map(({ body }) => JSON.parse(body) as EventBody);
    const ended = new Set(events.map(({ execution_id, type }) => `${execution_id} ${type}`));
    const due = records.map(({ id, status }) => `${id} execution.${status.toLowerCase()}`);
    expectNone(
      'did not arrive',
      due.filter((event) => !ended.has(event)),
    );
    const forged = received.filter((request) => !isAuthentic(request, customer.secret));
    expectNone(
      'have a wrong signature',
      forged.map(({ body }) => body.slice(0, 80)),
    );
  });
  await check('every image can be downloaded', () => expectImages(customer.api, completed));
  await check('no container exited except the killed ones', async () => {
    const containers = (await project.containers()).filter(({ restarts }) => restarts > 1);
    expectNone(
      'restarted more than once',
      containers.map(({ name, restarts }) => `${name} ${restarts} times`),
    );
  });
}

async function pageOf(api: ApiClient, path: string) {
  const { status, body } = await withRetries(() => api.get(`/v1/${path}`));
  if (status !== 200) throw new Error(`GET /v1/${path} returned ${status} ${JSON.stringify(body)}`);
  return body as { data: ExecutionRecord[]; next_cursor: string | null };
}

async function listAll(api: ApiClient): Promise<ExecutionRecord[]> {
  const all: ExecutionRecord[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await pageOf(api, `executions?limit=100${cursor && `&cursor=${cursor}`}`);
    all.push(...page.data);
    cursor = page.next_cursor;
  }
  return all;
}

/** Whether the provider was killed during the run, and lost it. */
function wasLost({ status, created_at, completed_at, error }: ExecutionRecord, losses: Span[]): boolean {
  if (status !== 'FAILED' || error?.code !== 'MODEL_UNAVAILABLE') return false;
  const [created, ended] = [Date.parse(created_at), Date.parse(completed_at ?? '')];
  return losses.some(({ from, to }) => created <= to && ended >= from);
}

// The audit runs inside the ledger's container with its rights, because the database is not reachable from outside.
const audit = `
  import { auditLedger } from '/app/packages/db/src/audit/audit.ts';
  import { openDatabase } from '/app/packages/db/src/client.ts';
  const db = openDatabase({ url: process.env.DATABASE_URL, poolSize: 1, applicationName: 'compose test' });
  process.stdout.write(JSON.stringify(await auditLedger(db)));
  await db.close();`;

/** The broken invariants of the ledger, over all organizations. */
async function auditLedger(project: Project): Promise<Breach[]> {
  const program = ['node', '--input-type=module', '--eval', audit];
  return JSON.parse(await project.compose('exec', '--no-TTY', 'ledger', ...program)) as Breach[];
}

function isAuthentic({ headers, body }: Received, secret: string): boolean {
  const signed = `${String(headers['x-signature-timestamp'])}.${body}`;
  return createHmac('sha256', secret).update(signed).digest('hex') === headers['x-signature'];
}

async function expectImages(api: ApiClient, records: ExecutionRecord[]): Promise<void> {
  const ids = records.flatMap(({ result }) => result?.images?.map(({ file_id }) => file_id) ?? []);
  if (ids.length === 0) throw new Error('no execution made an image');
  const missing: string[] = [];
  for (const id of ids) {
    const response = await api.fetch(`/v1/files/${id}/download`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200 || bytes.toString('latin1', 1, 4) !== 'PNG') missing.push(id);
  }
  expectNone('images are missing', missing);
}
