import { hash } from 'node:crypto';
import { ApiError } from '@holdfast/domain/errors';
import { cancelUnlessEnded } from '@holdfast/executions/lifecycle';
import { create, createOrJoin, type FaceCreate, type Joined } from './join.ts';

/**
 * Creates an execution for each choice that a request asks for. The first is created or joined as any other; the idempotency
 * keys of the rest are derived from its id, so that a repetition finds them, or creates what is missing. A refusal of one
 * cancels all. @throws ApiError
 */
export async function createChoices(request: FaceCreate, count: number): Promise<[Joined, ...Joined[]]> {
  const first = await createOrJoin(request);
  const numbers = Array.from({ length: count - 1 }, (_, index) => index + 1);
  const others = await Promise.allSettled(
    numbers.map((number) => create(request, keyOf(first.execution.id, number))),
  );
  const created = others.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = others.find(({ status }) => status === 'rejected');
  if (!refused) return [first, ...created];
  const { reason } = refused as PromiseRejectedResult;
  // After another error, a repetition finds the executions that exist.
  if (reason instanceof ApiError && reason.status < 500 && reason.status !== 429)
    await cancelAll(request, [first, ...created]);
  throw reason;
}

async function cancelAll({ context, caller }: FaceCreate, created: readonly Joined[]): Promise<void> {
  await Promise.all(
    created.map(({ execution }) => cancelUnlessEnded(context, caller.organizationId, execution.id)),
  );
}

function keyOf(firstId: string, number: number): string {
  return `face_${hash('sha256', `${firstId} choice ${number}`)}`;
}
