import { readLastAudit } from '@holdfast/db/audit/audit';
import { readBacklog } from '@holdfast/db/backlog';
import {
  countFailingEndpoints,
  maxSeen,
  readActivity,
  readDeliveryActivity,
  readProviderActivity,
} from '@holdfast/db/overview';
import { timeFromNow } from '@holdfast/db/statement';
import { attentionOf } from '@holdfast/domain/attention';
import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { timestamp, withCommas } from '../../http/fields.ts';
import { AttentionRecord, attentionRecord } from '../attention.ts';
import { AuditRecord, auditRecord } from '../auditRecord.ts';
import { BacklogRecord, backlogRecords, maxCounted, QueueRecord, queueRecord } from '../queueRecord.ts';

const minuteMs = 60_000;
const minutesShown = 60;
const maxModels = 20;
const maxErrors = 10;

const counts = {
  created: z.int(),
  completed: z.int(),
  failed: z.int().describe('Failed or expired'),
  cancelled: z.int(),
};

const Overview = z
  .object({
    at: timestamp('When it was read'),
    attention: z.array(AttentionRecord).describe('What needs an operator, the urgent first'),
    executions: z
      .object({
        minutes: z
          .array(
            z
              .object({ at: timestamp('The minute'), ...counts })
              .meta({ id: 'OverviewMinute', description: 'Executions created in this minute' }),
          )
          .describe('The last 60 minutes, oldest first'),
        counted_since: timestamp(
          `Older executions were not counted: at most the newest ${withCommas(maxSeen)} are`,
        )
          .nullable()
          .describe('Null: all of the 60 minutes are counted'),
        errors: z
          .array(z.object({ code: z.string(), count: z.int() }).meta({ id: 'OverviewError' }))
          .describe('The most frequent errors'),
      })
      .meta({ id: 'OverviewExecutions' }),
    models: z
      .array(
        z
          .object({
            model: z.string(),
            ...counts,
            p50_ms: z.number().nullable().describe('Half complete within this time after their creation'),
            p95_ms: z.number().nullable(),
          })
          .meta({ id: 'OverviewModel' }),
      )
      .describe('The busiest models'),
    providers: z.array(
      z
        .object({
          connection: z.string(),
          circuit: z
            .enum(['closed', 'open', 'probed'])
            .nullable()
            .describe(
              '`open`: no runs go there; `probed`: one at a time; null: unknown, Redis does not respond',
            ),
          open_until: timestamp('Until when the circuit stays open').nullable(),
          attempts: z.int(),
          failed: z.int().describe('Attempts that failed, were refused or whose outcome is unknown'),
          open: z.int().describe('Attempts that have not ended'),
          p50_ms: z.number().nullable(),
        })
        .meta({ id: 'OverviewProvider' }),
    ),
    queues: z.array(QueueRecord).nullable().describe('Null: Redis does not respond'),
    backlog: z.array(BacklogRecord),
    deliveries: z
      .object({
        delivered: z.int(),
        pending: z.int(),
        failed: z.int(),
        expired: z.int(),
        endpoints_failing: z.int().describe('Active endpoints that have been failing'),
        endpoints_deactivated: z.int().describe('Endpoints that failures have deactivated'),
      })
      .meta({ id: 'OverviewDeliveries' }),
    audit: AuditRecord,
  })
  .meta({ id: 'Overview' });

export const getOverview = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/overview',
  tag: 'Overview',
  summary: 'Show the last hour, and what needs an operator',
  description:
    'Executions by minute, latency by model, providers, queues, deliveries and the audit of the ledger. It reads the newest ' +
    `${withCommas(maxSeen)} rows of a table at most. A gateway reads it once for all requests within 2 seconds.`,
  access: 'operator',
  limit: 'other',
  responses: { 200: { description: 'The overview', schema: Overview } },
  async handle({ context }) {
    return { status: 200, body: await shared(context) };
  },
});

const sharedForMs = 2000;
type Reading = { endedAtMs: number | null; overview: Promise<z.infer<typeof Overview>> };
const readings = new WeakMap<Context, Reading>();

/** Pages of several operators ask every few seconds. One reading at a time, however slow the database is. */
async function shared(context: Context): Promise<z.infer<typeof Overview>> {
  const last = readings.get(context);
  const isFresh = last && (last.endedAtMs === null || performance.now() - last.endedAtMs < sharedForMs);
  if (isFresh) return await last.overview;
  const reading: Reading = { endedAtMs: null, overview: readOverview(context) };
  readings.set(context, reading);
  try {
    const overview = await reading.overview;
    reading.endedAtMs = performance.now();
    return overview;
  } catch (error) {
    readings.delete(context);
    throw error;
  }
}

async function readOverview(context: Context): Promise<z.infer<typeof Overview>> {
  const { db, reader, queues } = context;
  const now = await timeFromNow(db, 0);
  const from = new Date((Math.floor(now.getTime() / minuteMs) - minutesShown + 1) * minuteMs);
  const [activity, providers, deliveries, endpoints, backlog, audit, depths, circuits, connections] =
    await Promise.all([
      reader.read('operators', (replica) => readActivity(replica, from)),
      reader.read('operators', (replica) => readProviderActivity(replica, from)),
      reader.read('operators', (replica) => readDeliveryActivity(replica, from)),
      countFailingEndpoints(db, maxCounted),
      readBacklog(db, { atMost: maxCounted }),
      readLastAudit(db),
      queues.depths().catch(() => null),
      queues.openCircuits().catch(() => null),
      connectionsOf(context),
    ]);
  const findings = { audit, queues: depths, circuits: circuits ?? new Map(), backlog, endpoints };
  const minuteAt = new Map(activity.minutes.map(({ at, ...counted }) => [at.getTime(), counted]));
  const none = { created: 0, completed: 0, failed: 0, cancelled: 0 };
  return {
    at: now.toISOString(),
    attention: attentionOf(findings, now.getTime()).map(attentionRecord),
    executions: {
      minutes: Array.from({ length: minutesShown }, (_, index) => {
        const at = from.getTime() + index * minuteMs;
        return { at: new Date(at).toISOString(), ...(minuteAt.get(at) ?? none) };
      }),
      counted_since: activity.since?.toISOString() ?? null,
      errors: activity.errors.slice(0, maxErrors),
    },
    models: activity.models.slice(0, maxModels).map(({ p50Ms, p95Ms, ...model }) => ({
      ...model,
      p50_ms: p50Ms,
      p95_ms: p95Ms,
    })),
    providers: providerRecords(providers, connections, circuits, now),
    queues: depths?.map(queueRecord) ?? null,
    backlog: backlogRecords(backlog),
    deliveries: {
      ...deliveries,
      endpoints_failing: endpoints.failing,
      endpoints_deactivated: endpoints.deactivated,
    },
    audit: auditRecord(audit),
  };
}

/** The connections of the active models. */
async function connectionsOf({ models }: Context): Promise<string[]> {
  const active = (await models.list()).filter(({ isActive }) => isActive);
  return active.flatMap(({ definition }) => definition.providers.map(({ connection }) => connection));
}

function providerRecords(
  activity: Awaited<ReturnType<typeof readProviderActivity>>,
  connections: string[],
  circuits: ReadonlyMap<string, Date> | null,
  now: Date,
): z.infer<typeof Overview>['providers'] {
  const seen = new Map(activity.map((one) => [one.provider, one]));
  const names = new Set([...seen.keys(), ...(circuits?.keys() ?? []), ...connections]);
  return [...names].toSorted().map((connection) => {
    const { attempts = 0, failed = 0, open = 0, p50Ms = null } = seen.get(connection) ?? {};
    const until = circuits?.get(connection);
    const isOpen = until !== undefined && until > now;
    const circuit = circuits === null ? null : until === undefined ? 'closed' : isOpen ? 'open' : 'probed';
    const open_until = isOpen ? until.toISOString() : null;
    return { connection, circuit, open_until, attempts, failed, open, p50_ms: p50Ms };
  });
}
