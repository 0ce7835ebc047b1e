import type { Database } from '@holdfast/db/client';
import { readReported } from '@holdfast/db/executions/read';
import { readShown } from '@holdfast/db/streams';
import { asStarted } from '@holdfast/domain/events';
import type { Execution } from '@holdfast/domain/execution';
import { limits } from '@holdfast/domain/limits';
import { predictionOutput, predictionRecord } from '@holdfast/domain/replicatePrediction';
import { type ReplicateDialect, updateEventType } from '@holdfast/domain/webhookDialect';
import { fileLink, type Signer } from '@holdfast/kit/signer';

type Reported = { dialect: ReplicateDialect; eventType: string; executionId: string };

/**
 * The body of a webhook in Replicate's words. It is made at each attempt, and is the same: what a start or an end
 * reports does not change, unless it is erased. An update reports what is shown by now.
 */
export type BodyIn = (reported: Reported) => Promise<string>;

export function createBodyIn(db: Database, links: Signer): BodyIn {
  return async ({ dialect, eventType, executionId }) => {
    const found = await readReported(db, executionId);
    if (found === null) throw new Error('there is no execution to report');
    const isEnd = eventType !== 'execution.started' && eventType !== updateEventType;
    const logs = eventType === 'execution.started' ? null : found.logs;
    const execution = isEnd ? found : { ...asStarted(found), logs };
    const shown = eventType === updateEventType ? await readShown(db, executionId) : null;
    const { model, version, base } = dialect;
    const get = `${base}/predictions/${executionId}`;
    const isErased = found.erasedAt !== null;
    const prediction = predictionRecord(
      { ...execution, logs: execution.logs || (shown?.logs ?? null) },
      {
        model,
        version,
        input: isErased ? {} : found.input,
        output: isErased ? null : (shown?.pieces ?? (await outputOf(execution, dialect, links))),
        urls: { get, cancel: `${get}/cancel` },
      },
    );
    const body = JSON.stringify(prediction);
    if (Buffer.byteLength(body) <= limits.webhookBodyBytes) return body;
    return JSON.stringify({ ...prediction, input: {}, output: null, logs: '', truncated: true });
  };
}

async function outputOf(
  { organizationId, output, onCancel }: Execution,
  { base }: ReplicateDialect,
  links: Signer,
): Promise<unknown> {
  if (output === null) return null;
  const made = await predictionOutput(
    output,
    (id, filename) => `${base}/output/${fileLink(links, { organizationId, id }, filename)}`,
  );
  // As clients poll it, the output of a model that streams is its pieces.
  return onCancel !== null && typeof made === 'string' ? [made] : made;
}
