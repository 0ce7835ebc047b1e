import { executionErrors } from '@holdfast/domain/errors';
import { type EventType, eventTypes, statusAfter } from '@holdfast/domain/events';
import { priorities } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import { quotedList } from '../executions/read.ts';

/** SQL for what an event reports; `execution` names a row with the columns of its execution, which is not erased. */
type Reported = { id: string; createdAt: string; execution: string; hold: string };

/** The body of an event as it is delivered: the same as `deliveredEventBody` of the domain, which a test compares with it. */
export function eventBodySql(type: EventType, event: Reported): string {
  const { id, createdAt, execution } = event;
  const envelope = [
    ['id', quoted(id)],
    ['type', `'"${type}"'`],
    ['event_type', `'"${type}"'`],
    ['timestamp', timeSql(createdAt)],
    ['version', `'"1.0"'`],
    ['organization_id', quoted(`${execution}.organization_id`)],
    ['execution_id', quoted(`${execution}.id`)],
  ] as const;
  const thin = [
    ['id', quoted(`${execution}.id`)],
    ['status', `'"${statusAfter[type]}"'`],
  ] as const;
  const data = objectSql(statusRecord(type, event), [...ofStream(type, execution), ofBatch(execution)]);
  const full = objectSql([...envelope, ['data', data]]);
  const truncated = objectSql([...envelope, ['truncated', `'true'`], ['data', objectSql(thin)]]);
  return `(SELECT CASE WHEN octet_length(body) > ${limits.webhookBodyBytes} THEN ${truncated} ELSE body END
    FROM (SELECT ${full} AS body OFFSET 0) b)`;
}

/** As `eventBodySql`, for events of any type. */
export function anyEventBodySql(type: string, event: Reported): string {
  const cases = eventTypes.map((one) => `WHEN '${one}' THEN ${eventBodySql(one, event)}`);
  return `CASE ${type} ${cases.join('\n')} END`;
}

/**
 * Whether the bodies of the rows before have less than `limit` bytes together. The first row always is, and the size of a
 * stored body is known without reading it.
 */
export function isWithinSql(bytes: string, limit: string, order = ''): string {
  const before = `(${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  return `coalesce(sum(${bytes}) OVER ${before}, 0) < ${limit}::bigint`;
}

type Field = readonly [name: string, json: string];

/** As `statusRecord` of the domain; of a start, what is known then. */
function statusRecord(type: EventType, event: Reported): Field[] {
  const { execution: row, hold } = event;
  const status = statusAfter[type];
  const isStart = type === 'execution.started';
  const ended = (json: string) => (isStart ? `'null'` : json);
  return [
    ['id', quoted(`${row}.id`)],
    ['status', `'"${status}"'`],
    ['model', jsonSql(`${row}.model`)],
    ['hold_amount', moneySql(hold)],
    ['estimated_cost', moneySql(`${row}.estimated_cost`)],
    ['expires_at', timeSql(`${row}.expires_at`)],
    ['created_at', timeSql(`${row}.created_at`)],
    ['mode', `'"ASYNC"'`],
    ['priority', quoted(`('{${priorities.join(',')}}'::text[])[${row}.priority + 1]`)],
    ['progress', status === 'COMPLETED' ? `'1'` : ended(jsonSql(`${row}.progress`))],
    ['queue_position', `'null'`],
    ['metadata', jsonSql(`${row}.metadata`)],
    ['webhook_url', jsonSql(`${row}.webhook_url`)],
    ['started_at', timeSql(isStart ? event.createdAt : `${row}.started_at`)],
    ['completed_at', ended(timeSql(`${row}.completed_at`))],
    ['cost', ended(moneySql(`${row}.cost`))],
    ['error', ended(errorSql(row))],
    ['erased_at', `'null'`],
    ...(status === 'COMPLETED' ? completed(row) : []),
  ];
}

/** Members that few events have. */
function ofStream(type: EventType, row: string): Field[] {
  if (type === 'execution.completed') return [['finish_reason', `to_json(${row}.finish_reason)::text`]];
  if (type === 'execution.cancelled')
    return [['usage', `CASE WHEN ${row}.cost IS NOT NULL THEN ${usageSql(row)} END`]];
  return [];
}

const ofBatch = (row: string): Field => [
  'batch_id',
  `${quoted(`${row}.batch_id`)} || ',"custom_id":' || to_json(${row}.custom_id)::text`,
];

function completed(row: string): Field[] {
  return [
    ['result', `coalesce(${row}.output, '{}')`],
    ['usage', usageSql(row)],
    ['latency_ms', `coalesce(${row}.latency_ms, 0)`],
  ];
}

/** Quantities other than tokens are inserted as they are stored. */
function usageSql(row: string): string {
  return `'{"input_tokens":' || coalesce(${row}.input_tokens, 0) || ',"output_tokens":' ||
    coalesce(${row}.output_tokens, 0) || coalesce(',' || substr(${row}.billed::text, 2), '}')`;
}

const retryable = Object.entries(executionErrors).flatMap(([code, error]) => (error.retryable ? [code] : []));

function errorSql(row: string): string {
  const error = objectSql([
    ['code', quoted(`${row}.error_code`)],
    ['message', `to_json(coalesce(${row}.error_message, ''))`],
    ['retryable', `CASE WHEN ${row}.error_code IN (${quotedList(retryable)}) THEN 'true' ELSE 'false' END`],
  ]);
  return `CASE WHEN ${row}.error_code IS NULL THEN 'null' ELSE ${error} END`;
}

/**
 * JSON as text, without spaces. No value may be null but those of `optional`, which then are left out. Literals beside each
 * other become one: a part costs as much as a value.
 */
function objectSql(fields: readonly Field[], optional: readonly Field[] = []): string {
  const parts = fields.map(([name, json], index) => `'${index === 0 ? '{' : ','}"${name}":' || ${json}`);
  const others = optional.map(([name, json]) => `coalesce(',"${name}":' || ${json}, '')`);
  return `${[...parts, ...others].join(' || ')} || '}'`.replaceAll(`' || '`, '');
}

/** For texts that need no escapes. */
const quoted = (text: string) => `'"' || ${text} || '"'`;
const jsonSql = (value: string) => `coalesce(to_json(${value})::text, 'null')`;
const moneySql = (amount: string) =>
  `coalesce(${quoted(`round(${amount}, greatest(2, min_scale(${amount})))`)}, 'null')`;
/**
 * The time has whole milliseconds. JSON has as many digits as it needs: a microsecond more makes them six, of which three
 * go.
 */
const timeSql = (time: string) =>
  `coalesce(left(to_json(${time} AT TIME ZONE 'UTC' + interval '1 microsecond')::text, 24) || 'Z"', 'null')`;
