import { z } from 'zod';
import type { CallbackReading, CalledBack } from '../interface.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { isQueueHandle } from './handle.ts';
import { outcomeOfOutput } from './output.ts';
import { failedBy, troubleOfError } from './trouble.ts';

const webhook = z.object({
  request_id: z.string().min(1),
  status: z.enum(['OK', 'ERROR']),
  payload: z.unknown().optional(),
  error: z.string().nullish().catch(null),
  error_type: z.string().nullish().catch(null),
  payload_error: z.string().nullish().catch(null),
});

export type Webhook = z.infer<typeof webhook>;

/** The webhook of a run's end; null when it is none, or about another run. */
export function readWebhook(json: unknown, { handle }: CalledBack): Webhook | null {
  const read = webhook.safeParse(json).data ?? null;
  // Before our submit has returned, and where its answer was lost, the token in the URL says whose it is.
  const isOurs = handle === null || !isQueueHandle(handle) || handle.externalId === read?.request_id;
  return isOurs ? read : null;
}

/** What an authentic webhook says. */
export function readingOf(
  { status, payload, error, error_type, payload_error }: Webhook,
  { handle, mapping }: CalledBack,
  secrets: Secrets,
): CallbackReading {
  const said = JSON.stringify({ status, error, error_type, payload_error, payload });
  if (status === 'ERROR') {
    const trouble = troubleOfError(error ?? null, error_type ?? null, payload);
    return failedBy(trouble, mapping, secrets, said);
  }
  if (payload === null || payload === undefined || payload_error) {
    // Whom to ask is known once our submit has returned.
    return handle === null ? 'later' : 'ask';
  }
  const outcome = outcomeOfOutput(payload, mapping, null);
  return { state: 'ended', outcome: outcome.ok ? outcome : withRaw(outcome, said, secrets) };
}
