import { terminalStatuses } from '@holdfast/domain/statuses';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { bulkBody, bulkPages, matchedField, nextMatching } from '../../executions/bulk.ts';
import { rerunAll } from '../../executions/reruns.ts';
import { idField } from '../../http/fields.ts';
import { pageFields } from '../../http/paging.ts';
import { idempotencyKeyHeader, readIdempotencyKey } from '../../http/requestHeaders.ts';

const perRequest = 100;

const count = (description: string) => z.int().meta({ description, example: 3 });

export const postBulkRerun = endpoint({
  method: 'POST',
  path: '/v1/executions/bulk-rerun',
  operationId: 'bulkRerunExecutions',
  tag: 'Executions',
  summary: 'Run many executions again',
  description: `Creates an execution with the same model, input, metadata, \`webhook_url\`, priority and timeout for each ended one that matches. It is validated and holds balance like any other, and refers to the original with \`rerun_of\`. ${bulkPages} An original is run again once by one \`Idempotency-Key\`, which is required: use one for all parts, and a request may be repeated. When the balance covers no more, 402: those before are created, and the same request continues after a top-up.`,
  scope: 'executions:write',
  limit: 'create',
  headers: z.object({ 'Idempotency-Key': idempotencyKeyHeader }),
  body: bulkBody('BulkRerun', terminalStatuses),
  responses: {
    200: {
      description: 'What was created, and whether there is more',
      schema: z
        .object({
          matched: matchedField,
          created: count('Executions created now'),
          replayed: count('Those that an earlier request with this key had created'),
          executions: z.array(
            z
              .object({ id: idField('exec', 'The new execution'), rerun_of: idField('exec', 'The original') })
              .meta({ id: 'BulkRerunExecution' }),
          ),
          skipped: z
            .array(
              z
                .object({
                  rerun_of: idField('exec', 'The original'),
                  code: z.string().meta({ example: 'EXECUTION_ERASED' }),
                  message: z.string().meta({ example: 'The execution was erased, and its input with it.' }),
                })
                .meta({ id: 'BulkRerunSkipped' }),
            )
            .describe('Originals that cannot run again, and why'),
          ...pageFields,
        })
        .meta({ id: 'BulkRerunResult' }),
    },
  },
  errors: ['INSUFFICIENT_BALANCE', 'SPEND_LIMIT_REACHED', 'INSUFFICIENT_STORAGE'],
  async handle({ context, caller, body, headers, traceparent }) {
    const key = readIdempotencyKey(headers['idempotency-key'], !body.dry_run);
    const asked = { statuses: terminalStatuses, limit: perRequest };
    const { ids, page } = await nextMatching(context, caller, body, asked);
    const isCreating = !body.dry_run && key !== null;
    const reruns = isCreating ? await rerunAll(context, caller, ids, { key, traceparent }) : [];
    const of = (kind: string) => reruns.filter((one) => one.kind === kind).length;
    return {
      status: 200,
      body: {
        matched: ids.length - of('own'),
        created: of('created'),
        replayed: of('replayed'),
        executions: reruns.flatMap((one) =>
          one.kind === 'created' || one.kind === 'replayed' ? { id: one.id, rerun_of: one.rerunOf } : [],
        ),
        skipped: reruns.flatMap((one) =>
          one.kind === 'skipped'
            ? { rerun_of: one.rerunOf, code: one.error.code, message: one.error.message }
            : [],
        ),
        ...page,
      },
    };
  },
});
