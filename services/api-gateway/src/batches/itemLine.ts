import type { NewItem } from '@holdfast/db/batches/items';
import type { Batch } from '@holdfast/domain/batch';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { parseJson } from '@holdfast/domain/json';
import { limits } from '@holdfast/domain/limits';
import { holdFor } from '@holdfast/domain/money';
import type { Caller } from '../access/identity.ts';
import { requireModel } from '../access/models.ts';
import type { Context } from '../context/context.ts';
import { createBody, prepareCreate } from '../executions/createRequest.ts';
import { findJsonProblem } from '../http/json.ts';
import { requestHash } from '../http/requestHeaders.ts';
import { validate } from '../http/validate.ts';
import { digestUuid, type ItemLine, itemBody, itemLine } from './batchRequest.ts';
import type { Line } from './lines.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const byteOrderMark = '\uFEFF';

/** An item that is not checked against its model yet. */
export type ReadLine = {
  customId: string;
  /** A line with other content is not a duplicate. */
  content: object;
  /** If it asks for no execution that could be created, it is an item that failed, of this model; absent: it is rejected. */
  modelIfFailed?: string;
  item(): ItemLine | Promise<ItemLine>;
};

/** @throws ApiError INPUT_VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
export type LineReader = (line: Line) => ReadLine;

export const readItemLine: LineReader = (line) => {
  const item = validate(itemLine, parseLine(line));
  return { customId: item.custom_id, content: item, item: () => item };
};

/** The object on a line. @throws ApiError INPUT_VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
export function parseLine({ number, bytes }: Line): object {
  if (bytes === null)
    throw new ApiError('PAYLOAD_TOO_LARGE', `A line must not exceed ${limits.jsonBodyBytes} bytes.`);
  const value = parsed(textOf(bytes, number));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidField('line', 'INVALID_TYPE', 'The line must be a JSON object.');
  }
  const problem = findJsonProblem(value, '', 1);
  if (problem) throw invalidField(problem.field, problem.code, problem.message);
  return value;
}

function textOf(bytes: Buffer, number: number): string {
  try {
    const text = utf8.decode(bytes);
    return number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text;
  } catch {
    throw invalidField('line', 'INVALID_FORMAT', 'The line is not valid UTF-8.');
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw invalidField('line', 'INVALID_FORMAT', 'The line is not valid JSON.');
  }
}

/** The item of a line. @throws ApiError as a create of an execution does */
export async function prepareItem(
  context: Context,
  caller: Caller,
  batch: Batch,
  read: ReadLine,
  position: bigint,
): Promise<NewItem> {
  const line = await read.item();
  const body = validate(createBody, itemBody(line, batch));
  await requireModel(context, caller, body.model);
  const { definition, version, input, estimatedCost } = await prepareCreate(context, caller, body, {
    isBatch: true,
  });
  return {
    customId: read.customId,
    position,
    hash: hashOf(read.content),
    model: body.model,
    inputJson: JSON.stringify(input),
    metadataJson: body.metadata ? JSON.stringify(body.metadata) : null,
    timeoutS: body.timeout_seconds ?? definition.timeout_s,
    estimatedCost,
    hold: holdFor(estimatedCost),
    modelVersion: version,
    error: null,
  };
}

/** The item of a line that is not rejected, but has failed. */
export function failedItem(
  { customId, content }: ReadLine,
  model: string,
  position: bigint,
  { code, message, details }: ApiError,
): NewItem {
  return {
    customId,
    position,
    hash: hashOf(content),
    model,
    inputJson: null,
    metadataJson: null,
    timeoutS: 0,
    estimatedCost: '0',
    hold: '0',
    modelVersion: null,
    error: { code, message, details },
  };
}

const hashOf = (content: object) => digestUuid(requestHash(content));
