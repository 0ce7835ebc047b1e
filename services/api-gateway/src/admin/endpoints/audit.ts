import { readLastAudit, requestAudit } from '@holdfast/db/audit/audit';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { AuditRecord, auditRecord } from '../auditRecord.ts';

const path = '/admin/v1/ledger/audit';

export const getAudit = keylessEndpoint({
  method: 'GET',
  path,
  tag: 'Ledger',
  summary: 'Show the last audit of the ledger',
  description: 'The log of the ledger service names the rows that break an invariant.',
  access: 'operator',
  limit: 'other',
  responses: { 200: { description: 'The last audit', schema: AuditRecord } },
  async handle({ context }) {
    return { status: 200, body: auditRecord(await readLastAudit(context.db)) };
  },
});

export const postAudit = keylessEndpoint({
  method: 'POST',
  path,
  tag: 'Ledger',
  summary: 'Audit the ledger now',
  description:
    'A ledger service starts the audit within 10 seconds; it is safe under load, and takes minutes for many executions. ' +
    'It has ended when `requested_at` is null. Further requests before it starts are one.',
  access: 'operator',
  limit: 'other',
  responses: { 202: { description: 'The audit is requested', schema: AuditRecord } },
  async handle({ context }) {
    await requestAudit(context.db);
    return { status: 202, body: auditRecord(await readLastAudit(context.db)) };
  },
});
