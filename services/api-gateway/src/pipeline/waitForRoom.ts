import type { Request, Response } from 'express';
import { identityOf } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import type { Room } from '../http/face.ts';
import { preferredWaitS } from '../http/requestHeaders.ts';
import { stateOf } from '../http/requestState.ts';
import { isRefusal } from '../http/waitingRoom.ts';

/** Clients that ask to wait for an execution do so for a minute, others for half of it. */
const patienceMs = { waiting: 50_000, other: 25_000 };

/**
 * Runs `pass`, which lets a request through or refuses it before its body is read. Where its face says so, the request waits for
 * room instead. @throws what `pass` throws
 */
export async function whenRoom<Result>(
  { waitingRoom }: Pick<Context, 'waitingRoom'>,
  { request, response }: { request: Request; response: Response },
  room: Room,
  pass: () => Promise<Result>,
): Promise<Result> {
  try {
    return await pass();
  } catch (error) {
    const { caller, recheck } = identityOf(response);
    const mayWait = stateOf(response).face?.waitsFor?.includes(room) === true && !request.readableDidRead;
    if (!isRefusal(error) || !mayWait || !caller) throw error;
    const { organizationId } = caller;
    const waitMs = preferredWaitS(request.headers['prefer']) > 0 ? patienceMs.waiting : patienceMs.other;
    const result = await waitingRoom.retry(pass, { organizationId, response, waitMs });
    await recheck?.();
    response.removeHeader('Retry-After');
    return result;
  }
}
