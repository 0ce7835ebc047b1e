import type { Database } from '@holdfast/db/client';
import { readReported } from '@holdfast/db/executions/read';
import { asStarted } from '@holdfast/domain/events';
import { limits } from '@holdfast/domain/limits';
import { predictionOutput, predictionRecord } from '@holdfast/domain/replicatePrediction';
import type { ReplicateDialect } from '@holdfast/domain/webhookDialect';
import { fileLink, type Signer } from '@holdfast/kit/signer';

type Reported = { dialect: ReplicateDialect; eventType: string; executionId: string };

/**
 * The body of a webhook in Replicate's words. It is made at each attempt, and is the same: what a start or an end
 * reports does not change, unless it is erased.
 */
export type BodyIn = (reported: Reported) => Promise<string>;

export function createBodyIn(db: Database, links: Signer): BodyIn {
  return async ({ dialect, eventType, executionId }) => {
    const found = await readReported(db, executionId);
    if (found === null) throw new Error('there is no execution to report');
    const { input, ...ended } = found;
    const execution = eventType === 'execution.started' ? { ...asStarted(ended), logs: null } : ended;
    const { organizationId, output, onCancel, erasedAt } = execution;
    const { model, version, base } = dialect;
    const urlOf = (id: string, filename: string) =>
      `${base}/output/${fileLink(links, { organizationId, id }, filename)}`;
    const made = output === null || erasedAt !== null ? null : await predictionOutput(output, urlOf);
    const get = `${base}/predictions/${executionId}`;
    const prediction = predictionRecord(execution, {
      model,
      version,
      input: erasedAt === null ? input : {},
      // As clients poll it, the output of a model that streams is its pieces.
      output: onCancel !== null && typeof made === 'string' ? [made] : made,
      urls: { get, cancel: `${get}/cancel` },
    });
    const body = JSON.stringify(prediction);
    if (Buffer.byteLength(body) <= limits.webhookBodyBytes) return body;
    return JSON.stringify({ ...prediction, input: {}, output: null, logs: '', truncated: true });
  };
}
