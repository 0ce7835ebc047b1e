import type { FileLine } from '@holdfast/db/batches/fileLines';
import type { Batch } from '@holdfast/domain/batch';
import { ApiError } from '@holdfast/domain/errors';
import type { EndedExecution } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import { z } from 'zod';
import { type LineReader, parseLine } from '../../batches/itemLine.ts';
import { toApiError } from '../../http/errors.ts';
import { validate } from '../../http/validate.ts';
import { createWithFiles } from '../requestFiles.ts';
import type { FaceCall } from '../run.ts';
import { batchEndpoints } from './batchEndpoints.ts';
import { openaiError } from './errors.ts';
import { refused } from './mapping.ts';

type Call = Pick<FaceCall, 'context' | 'caller'>;

/** Longer ones are no name of a model. */
const maxModelLength = 200;

const requestLine = z.looseObject({
  custom_id: z.string().min(1).max(limits.customIdLength),
  method: z.literal('POST').nullish(),
  url: z.string(),
  body: z.looseObject({}),
});

/** Reads the lines of a batch's file: requests of its endpoint. One with a body that the endpoint refuses fails alone, as at OpenAI. */
export function requestReader(call: Call, endpoint: string): LineReader {
  return (line) => {
    const { custom_id, url, body } = validate(requestLine, parseLine(line));
    if (url !== endpoint)
      throw refused('url', `The url must be the batch's endpoint, ${endpoint}.`, 'url_mismatch');
    return {
      customId: custom_id,
      content: { custom_id, body },
      modelIfFailed: typeof body['model'] === 'string' ? body['model'].slice(0, maxModelLength) : '',
      async item() {
        const { item } = await createWithFiles(call, async (files) => ({
          item: await batchEndpoints[endpoint]?.item(call, body, files),
          isJoined: false,
        }));
        return { custom_id, ...item };
      },
    };
  };
}

/** Why a request has no response. */
const errors = {
  expired: {
    code: 'batch_expired',
    message: 'This request could not be executed before the completion window expired.',
  },
  cancelled: {
    code: 'batch_cancelled',
    message: 'This request was not executed, as the batch was cancelled.',
  },
};

/** A line of the output or error file of a batch. */
export async function responseLine(
  call: Call,
  { id, face }: Batch,
  line: FileLine,
): Promise<string | AsyncIterable<string>> {
  const { customId, executionId, status, errorCode, errorMessage, error } = line;
  const about = {
    id: `batch_req_${(executionId ?? id).replace(/^[a-z]+_/, '')}${executionId === null ? `_${line.number}` : ''}`,
    custom_id: customId,
  };
  if (status === 'cancelled' || (status === 'expired' && errorCode === null))
    return JSON.stringify({ ...about, response: null, error: errors[status] });

  const request_id = executionId ?? about.id;
  const textWith = (status_code: number, body: object) =>
    JSON.stringify({ ...about, response: { status_code, request_id, body }, error: null });
  const failed = (error: ApiError) => textWith(error.status, openaiError(error));
  if (error !== null) return failed(new ApiError(error.code, error.message, error));
  const ended = endedOf(line);
  if (status !== 'completed' || ended === null)
    return failed(new ApiError(errorCode ?? 'GENERATION_FAILED', errorMessage ?? ''));
  try {
    const body = await batchEndpoints[face?.endpoint ?? '']?.reply(call, ended);
    if (body === undefined || !(Symbol.asyncIterator in body)) return textWith(200, body ?? {});
    return within(textWith(200, {}), body);
  } catch (error) {
    const apiError = toApiError(error);
    if (apiError.status >= 500) throw error;
    return failed(apiError);
  }
}

/** The text with the pieces in place of its empty body. */
async function* within(text: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const end = '{}},"error":null}';
  yield text.slice(0, -end.length);
  yield* pieces;
  yield end.slice('{}'.length);
}

/** Null: it was never an execution, or that is gone. */
function endedOf(line: FileLine): EndedExecution | null {
  const { executionId, createdAt } = line;
  if (executionId === null || createdAt === null) return null;
  return { ...line, id: executionId, createdAt, status: 'COMPLETED' };
}
