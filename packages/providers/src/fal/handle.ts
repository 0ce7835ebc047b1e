import { z } from 'zod';
import { type Connection, mayHaveKey } from '../connection.ts';
import type { Handle } from '../interface.ts';

export type QueueHandle = Handle & Record<'response_url' | 'status_url' | 'cancel_url', string>;

const accepted = z.object({
  request_id: z.string().regex(/^[\w.:-]{1,128}$/),
  response_url: z.unknown().optional(),
  status_url: z.unknown().optional(),
  cancel_url: z.unknown().optional(),
});

const unknownPrefix = 'unknown-';

/** Null when no run was accepted. Requests to its URLs carry our key, so those on another host become the documented ones. */
export function readHandle(json: unknown, connection: Connection, providerModel: string): QueueHandle | null {
  const read = accepted.safeParse(json).data;
  if (read === undefined) return null;
  const { request_id: externalId } = read;
  const defaults = `${connection.baseUrl}/${applicationOf(providerModel)}/requests/${externalId}`;
  const trusted = (url: unknown, otherwise: string) =>
    typeof url === 'string' && mayHaveKey(url, connection) ? url : otherwise;
  return {
    externalId,
    response_url: trusted(read.response_url, defaults),
    status_url: trusted(read.status_url, `${defaults}/status`),
    cancel_url: trusted(read.cancel_url, `${defaults}/cancel`),
  };
}

export function unknownHandle(executionId: string): Handle {
  return { externalId: `${unknownPrefix}${executionId}` };
}

export function isQueueHandle(handle: Handle): handle is QueueHandle {
  return (
    !handle.externalId.startsWith(unknownPrefix) &&
    ['response_url', 'status_url', 'cancel_url'].every((name) => URL.canParse(handle[name] ?? ''))
  );
}

/** `fal-ai/flux` of `fal-ai/flux/dev`: requests belong to the application. */
function applicationOf(providerModel: string): string {
  const steps = providerModel.split('/').filter((step) => step !== '');
  const length = steps[0] === 'workflows' || steps[0] === 'comfy' ? 3 : 2;
  return steps.slice(0, length).map(encodeURIComponent).join('/');
}
