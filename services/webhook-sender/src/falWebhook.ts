import type { Database } from '@holdfast/db/client';
import { readReported } from '@holdfast/db/executions/read';
import { getFiles } from '@holdfast/db/files';
import type { Execution } from '@holdfast/domain/execution';
import { falDetail, falFailure } from '@holdfast/domain/falErrors';
import { falOutput } from '@holdfast/domain/falOutput';
import { falSignedText } from '@holdfast/domain/falSignature';
import { limits } from '@holdfast/domain/limits';
import { fileIdsIn } from '@holdfast/domain/outputFiles';
import type { FalDialect } from '@holdfast/domain/webhookDialect';
import type { KeyPairs } from '@holdfast/kit/keyPairs';
import { fileLink, type Signer } from '@holdfast/kit/signer';
import type { InDialect } from './dialects.ts';

const tooLarge = 'The output is too large for a webhook: read it from the queue.';

/** The end of a request as fal reports it, signed with a key of the installation that anyone can read. */
export function createFalWebhook(db: Database, links: Signer, pairs: KeyPairs): InDialect<FalDialect> {
  return async ({ dialect, executionId }) => {
    const execution = await readReported(db, executionId);
    if (execution === null) throw new Error('there is no execution to report');
    const { organizationId } = execution;
    const body = bodyOf(executionId, await ending(execution, dialect));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'X-Fal-Webhook-Request-Id': executionId,
      'X-Fal-Webhook-User-Id': organizationId,
      'X-Fal-Webhook-Timestamp': timestamp,
      'X-Fal-Webhook-Signature': pairs
        .sign(falSignedText(executionId, organizationId, timestamp, body))
        .toString('hex'),
    };
    return { body, headers };
  };

  /** `payload` is what the result of the request is. */
  async function ending(execution: Execution, { base }: FalDialect): Promise<object> {
    const failure = falFailure(execution);
    if (failure !== null) {
      const { code, error, error_type, status } = failure;
      const payload = { detail: falDetail(code, error), error_type };
      return { status: 'ERROR', error: `Invalid status code: ${status}`, payload };
    }
    const { output, organizationId } = execution;
    const files = await getFiles(db, organizationId, fileIdsIn(output));
    const payload = falOutput(
      output,
      new Map(files.map((file) => [file.id, file])),
      (id, filename) => `${base}/files/${fileLink(links, { organizationId, id }, filename)}`,
    );
    return { status: 'OK', payload };
  }
}

function bodyOf(id: string, ending: object): string {
  const body = { request_id: id, gateway_request_id: id, ...ending };
  const text = JSON.stringify(body);
  if (Buffer.byteLength(text) <= limits.webhookBodyBytes) return text;
  return JSON.stringify({ ...body, payload: null, payload_error: tooLarge });
}
