import { listEventsOfExecution } from '@holdfast/db/events';
import { getExecutionWithAttempts, listReruns } from '@holdfast/db/executions/read';
import { getReview } from '@holdfast/db/executions/reviews';
import { listFilesOfExecution } from '@holdfast/db/files';
import { refundableOf } from '@holdfast/db/refunds';
import { listTransfers } from '@holdfast/db/transfers';
import { listDeliveries } from '@holdfast/db/webhooks/deliveries';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import { Transaction, transactionRecord } from '../../api/balance/transactionRecord.ts';
import { FileRecord, fileRecord } from '../../api/files/fileRecord.ts';
import { Delivery, deliveryRecord } from '../../api/webhooks/deliveryRecord.ts';
import type { Context } from '../../context/context.ts';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { ExecutionStatus, ExecutionWithLogs, executionRecord } from '../../executions/records.ts';
import { amount, idField, idParams, jsonObject, notFound, requireId, timestamp } from '../../http/fields.ts';
import { AttemptRecord, attemptRecord } from '../attemptRecord.ts';
import { ReviewRecord, reviewRecord } from '../reviewRecord.ts';

const ExecutionEvent = z
  .object({
    id: idField('evt'),
    type: z.string(),
    created_at: timestamp('When it happened'),
    body: z.string().nullable().describe('The bytes that every attempt sends; null: it has no receiver yet'),
  })
  .meta({ id: 'ExecutionEvent' });

const Rerun = z
  .object({ id: idField('exec'), status: ExecutionStatus, created_at: timestamp('When it was accepted') })
  .meta({ id: 'Rerun' });

/** More than one for each endpoint and event exist only of hand-made data. */
const maxDeliveries = 100;
const maxTransfers = 20;
const maxReruns = 20;

export const getAnyExecution = keylessEndpoint({
  method: 'GET',
  path: '/admin/v1/executions/{id}',
  tag: 'Executions',
  summary: "Read any organization's execution: attempts, transactions, events, deliveries and files",
  access: 'operator',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: {
    200: {
      description: 'The execution',
      schema: ExecutionWithLogs.extend({
        logs: z
          .string()
          .nullable()
          .describe("The provider's log, including logs that are not shown to clients"),
        organization_id: idField('org'),
        input: jsonObject('As submitted; empty once erased', { prompt: 'Hello' }),
        api_key_id: z.string().nullable().describe('The key that created it, or `operator`'),
        rerun_of: idField('exec', 'The execution that this one repeats').nullable(),
        reruns: z.array(Rerun).describe('The last 20 executions that repeat this one, newest first'),
        written_off: amount('The part of the cost above `cost` that was not charged').nullable(),
        refundable: amount('What a refund may still return: what was charged, minus earlier refunds'),
        review: ReviewRecord.nullable().describe('Null: its cost was not held back'),
        attempts: z.array(AttemptRecord),
        transactions: z.array(Transaction).describe('In the order in which they were written'),
        events: z.array(ExecutionEvent).describe('First to last'),
        deliveries: z.array(Delivery).describe('At most the last 100, newest first'),
        files: z.array(FileRecord).describe('The files of its output'),
      }).meta({ id: 'ExecutionWithAttempts' }),
    },
  },
  async handle({ context, params, publicUrl }) {
    const found = await getExecutionWithAttempts(context.db, requireId('exec', params.id, 'execution'));
    if (!found) throw notFound('execution');
    const { execution, attempts } = found;
    const body = {
      ...executionRecord(execution, publicUrl),
      logs: [...attempts.map(({ rawLogs }) => rawLogs), execution.logs].filter(Boolean).join('') || null,
      organization_id: execution.organizationId,
      input: execution.input,
      api_key_id: execution.apiKeyId,
      rerun_of: execution.rerunOf,
      written_off: execution.writtenOff === null ? null : formatMoney(execution.writtenOff),
      attempts: attempts.map(attemptRecord),
      ...(await tracesOf(context, execution)),
    };
    return { status: 200, body };
  },
});

/** What the execution left in other tables. */
async function tracesOf({ db }: Context, { id, organizationId }: { id: string; organizationId: string }) {
  const [transfers, events, deliveries, files, reruns, review, refundable] = await Promise.all([
    listTransfers(db, organizationId, { executionId: id, withWriteOffs: true }, maxTransfers),
    listEventsOfExecution(db, id),
    listDeliveries(db, organizationId, { executionId: id }, maxDeliveries),
    listFilesOfExecution(db, id),
    listReruns(db, id, maxReruns),
    getReview(db, id),
    refundableOf(db, id),
  ]);
  return {
    refundable: formatMoney(refundable),
    review: review && reviewRecord(review),
    transactions: transfers.map(transactionRecord).toReversed(),
    events: events.map((event) => ({
      id: event.id,
      type: event.type,
      created_at: event.createdAt.toISOString(),
      body: event.body,
    })),
    deliveries: deliveries.rows.map(deliveryRecord),
    files: files.map(fileRecord),
    reruns: reruns.map((one) => ({
      id: one.id,
      status: one.status,
      created_at: one.createdAt.toISOString(),
    })),
  };
}
