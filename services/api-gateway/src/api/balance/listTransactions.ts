import { listTransfers } from '@holdfast/db/transfers';
import { invalidField } from '@holdfast/domain/errors';
import { clientTransferKinds, type TransferKind, transferKinds } from '@holdfast/domain/ledger';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { toCsv } from '../../http/csv.ts';
import { idFilter, timeFilter, toDate } from '../../http/fields.ts';
import { pageBy, pageFields, pageQuery } from '../../http/paging.ts';
import {
  exampleTransaction,
  Transaction,
  transactionColumns,
  transactionRecord,
} from './transactionRecord.ts';

const listing = (kinds: readonly TransferKind[]) =>
  endpoint({
    method: 'GET',
    path: '/v1/balance/transactions',
    operationId: 'listTransactions',
    tag: 'Balance',
    summary: 'List transactions',
    description:
      'Every change of the balance, newest first, with the balance after it. With `Accept: text/csv` the page is ' +
      'returned as CSV and the `Link` header has the next page.',
    scope: 'balance',
    limit: 'other',
    query: pageQuery({ limit: 20, maxLimit: 100 }).extend({
      kind: z.enum(kinds).optional().describe('Only transactions of this kind'),
      execution_id: idFilter('exec', 'Only transactions of this execution').optional(),
      created_after: timeFilter('Only transactions after this time'),
      created_before: timeFilter('Only transactions before this time'),
    }),
    responses: {
      200: {
        description: 'A page of transactions',
        schema: z.object({ data: z.array(Transaction), ...pageFields }).meta({ id: 'TransactionPage' }),
        csv: toCsv(transactionColumns, [exampleTransaction]),
      },
    },
    async handle({ context, caller, query }) {
      const filter = {
        kind: query.kind,
        withWriteOffs: kinds.includes('write_off'),
        executionId: query.execution_id,
        createdAfter: toDate(query.created_after),
        createdBefore: toDate(query.created_before),
        cursor: checkedSequence(query.cursor),
      };
      const rows = await context.reader.read(caller.organizationId, (db) =>
        listTransfers(db, caller.organizationId, filter, query.limit + 1),
      );
      const { items, page } = pageBy(rows, query.limit, ({ sequence }) => sequence);
      const data = items.map(transactionRecord);
      const table = { filename: 'transactions.csv', columns: transactionColumns, rows: data };
      return { status: 200, body: { data, ...page }, table: { ...table, nextCursor: page.next_cursor } };
    },
  });

export const listTransactions = listing(clientTransferKinds);
export const listEveryTransaction = listing(transferKinds);

/** @throws INPUT_VALIDATION_ERROR for a cursor that is not a sequence number */
function checkedSequence(cursor: string | undefined): string | undefined {
  if (cursor === undefined || /^[1-9]\d{0,17}$/.test(cursor)) return cursor;
  throw invalidField('cursor', 'INVALID_CURSOR', 'cursor must be the next_cursor of a previous page.');
}
