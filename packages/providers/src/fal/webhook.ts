import { verify } from 'node:crypto';
import { falSignedText } from '@holdfast/domain/falSignature';
import { z } from 'zod';
import { type Callback, type CallbackReading, type CallbackRun, isTimely } from '../interface.ts';
import { type Secrets, withRaw } from '../outcome/raw.ts';
import { failedBy, falErrorOf } from './errors.ts';
import { isQueueHandle } from './handle.ts';
import type { KeySet } from './keySet.ts';
import { outcomeOfOutput } from './output.ts';

const webhook = z.object({
  request_id: z.string().min(1),
  status: z.enum(['OK', 'ERROR']),
  payload: z.unknown().optional(),
  error: z.string().nullish().catch(null),
  error_type: z.string().nullish().catch(null),
  payload_error: z.string().nullish().catch(null),
});

export type Webhook = z.infer<typeof webhook>;

export function readWebhook(json: unknown, { handle }: CallbackRun): Webhook | null {
  const read = webhook.safeParse(json).data ?? null;
  // Without a known id the token in the URL identifies the run.
  const isOurs = handle === null || !isQueueHandle(handle) || handle.externalId === read?.request_id;
  return isOurs ? read : null;
}

export function readingOf(
  { status, payload, error, error_type, payload_error }: Webhook,
  { handle, mapping }: CallbackRun,
  secrets: Secrets,
): CallbackReading {
  const said = JSON.stringify({ status, error, error_type, payload_error, payload });
  if (status === 'ERROR') {
    const falError = falErrorOf(error ?? null, error_type ?? null, payload);
    return failedBy(falError, mapping, secrets, said);
  }
  if (payload === null || payload === undefined || payload_error) {
    // The URL to query is known once our submit has returned.
    return handle === null ? 'later' : 'poll';
  }
  const outcome = outcomeOfOutput(payload, mapping, null);
  return { state: 'ended', outcome: outcome.ok ? outcome : withRaw(outcome, said, secrets) };
}

/** Whether one of the keys signed the webhook within five minutes of its arrival. `later`: the keys could not be fetched. */
export async function verifySignature(
  { headers, body, receivedAtMs }: Callback,
  keys: KeySet,
): Promise<'authentic' | 'forged' | 'later'> {
  const part = (name: string) => headers[`x-fal-webhook-${name}`] ?? '';
  const timestamp = part('timestamp');
  const signature = part('signature');
  if (!isTimely(timestamp, { receivedAtMs }) || !/^[0-9a-f]{128}$/i.test(signature)) return 'forged';
  const text = Buffer.from(falSignedText(part('request-id'), part('user-id'), timestamp, body));
  const isFit = await keys.some((key) => verify(null, text, key, Buffer.from(signature, 'hex')));
  if (isFit === null) return 'later';
  return isFit ? 'authentic' : 'forged';
}
