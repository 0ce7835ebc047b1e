import { endpointDialects, isNamedIn } from '@holdfast/domain/endpointDialects';
import { subscribableTypes } from '@holdfast/domain/events';
import { sameIdSql } from '../statement.ts';

const unnamed = endpointDialects.flatMap((dialect) =>
  subscribableTypes.filter((type) => !isNamedIn(dialect, type)).map((type) => `('${dialect}', '${type}')`),
);

/** As `isNamedIn` of the domain. */
export function isNamedInSql(dialect: string, type: string): string {
  return `(${dialect}, ${type}) NOT IN (${unnamed.join(', ')})`;
}

/** What the execution keeps for webhooks, which an endpoint in Holdfast's own words does not need. */
export function dialectOfExecutionSql(endpointDialect: string, executionId: string): string {
  const kept = `SELECT webhook_dialect FROM executions WHERE ${sameIdSql(executionId)}`;
  return `CASE WHEN ${endpointDialect} <> 'holdfast' THEN (${kept}) END`;
}
