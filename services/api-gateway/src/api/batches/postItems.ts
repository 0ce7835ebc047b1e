import { Readable } from 'node:stream';
import { limits } from '@holdfast/domain/limits';
import { inputFileBody, inputFileOf, openInputFile } from '../../batches/inputFile.ts';
import { type OnRejected, takeItems } from '../../batches/intake.ts';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import { endpoint } from '../../context/endpoint.ts';
import { errorBody, toApiError } from '../../http/errors.ts';
import { idParams, withCommas } from '../../http/fields.ts';
import { openLines } from '../../http/ndjson.ts';
import { stateOf } from '../../http/requestState.ts';

const exampleItems = [
  { custom_id: 'line-1', input: { prompt: 'a lighthouse' } },
  { custom_id: 'line-2', model: 'sandbox-text', input: { prompt: 'Hello' }, metadata: { order: 'A-17' } },
];

const exampleResponse = [
  {
    line: 3,
    custom_id: 'line-3',
    error: { code: 'INPUT_VALIDATION_ERROR', message: 'input.prompt is required.' },
  },
  { accepted: 2, duplicates: 0, rejected: 1, unnamed: 0 },
];

/** Proxies close connections that are silent for a minute. */
const keepOpenMs = 15_000;

const ndjson = (lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export const postItems = endpoint({
  method: 'POST',
  path: '/v1/batches/{id}/items',
  operationId: 'addBatchItems',
  tag: 'Batches',
  summary: 'Add items to an open batch',
  description:
    'One JSON object per line (NDJSON), with `custom_id`, and `model`, `input`, `metadata` and `timeout_seconds` as in a create; ' +
    'the `defaults` of the batch fill what is missing. The body may be compressed (`Content-Encoding: gzip`). ' +
    'JSON with `input_file_id` in place of lines takes them from an uploaded NDJSON file; empty lines keep its response open. ' +
    'The response is NDJSON too: a line for each rejected line as it comes, with its number, `custom_id` and error, then one with the counts. ' +
    `A batch has each \`custom_id\` once: after a lost connection send everything again, and what it has counts as \`duplicates\`. ` +
    'A client that reads the response only at the end may find the last rejected lines counted as `unnamed`. ' +
    `A line has at most ${withCommas(limits.jsonBodyBytes)} bytes, a batch ${withCommas(limits.batchItems)} items.`,
  scope: 'executions:write',
  limit: 'create',
  rawBody: {
    bufferedBytes: 16_384,
    maxBytes: limits.batchIntakeBytes,
    decompresses: true,
    ndjson: ndjson(exampleItems),
  },
  documentedBody: inputFileBody,
  params: idParams('bat', 'id'),
  responses: {
    200: {
      description: 'The rejected lines, then the counts',
      schema: null,
      ndjson: ndjson(exampleResponse),
    },
  },
  errors: [
    'INPUT_VALIDATION_ERROR',
    'REQUEST_TIMEOUT',
    'BATCH_STATUS_CONFLICT',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'FILE_NOT_FOUND',
    'FILE_FORMAT_UNSUPPORTED',
  ],
  async handle({ context, caller, params, body, headers, raw: { response } }) {
    const batch = await findBatch(context, caller, params.id);
    if (batch.status !== 'open') throw statusConflict(batch, 'only an open batch takes items');
    const fileId = inputFileOf(headers, body);
    const source = fileId === null ? linesOf(body) : await openInputFile(context, caller, fileId);
    const lines = openLines(response, 200);
    // A body that is sent keeps its connection open, a file does not.
    const keepingOpen = fileId === null ? undefined : setInterval(lines.keepOpen, keepOpenMs);
    response.once('close', () => source.destroy());
    let unnamed = 0;
    const onRejected: OnRejected = (line, customId, error) => {
      const { code, message, details } = error;
      const isNamed = lines.offer({ line, custom_id: customId, error: { code, message, details } });
      if (!isNamed) unnamed += 1;
    };
    try {
      const counts = await takeItems(context, caller, batch, source, onRejected);
      await lines.write(ndjson([{ ...counts, unnamed }]));
    } catch (error) {
      if (!response.headersSent || response.destroyed) throw error;
      // The head is sent: the error takes the place of the counts.
      context.log.warn({ err: error, batchId: batch.id }, 'intake of items ended early');
      await lines.write(ndjson([errorBody(toApiError(error), stateOf(response))]));
    } finally {
      clearInterval(keepingOpen);
    }
    lines.end();
    return null;
  },
});

const linesOf = (body: Buffer | Readable) => (body instanceof Readable ? body : Readable.from([body]));
