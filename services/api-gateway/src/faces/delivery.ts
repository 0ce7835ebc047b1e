import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type FaceRequest,
  findFaceRequest,
  type KnownRequest,
  markConnection,
  markDelivered,
} from '@holdfast/db/faceRequests';
import type { Context } from '../context/context.ts';
import { stateOf } from '../http/requestState.ts';
import { isSilentRepeater } from './silentRepeaters.ts';

type Responding = { context: Context; response: ServerResponse };

/** How soon after a response a connection closes that has lost it. */
const closesWithinMs = 1000;
const noticesWithinMs = 100;
/** A gateway that has not decided by then has died. */
const decidesWithinMs = 2 * closesWithinMs;
/** How often a gateway looks whether it has happened to a connection of another one. */
const pollMs = 100;

/** What another request on a connection calls, as its client has read the last response, while that may still be lost. */
const undecided = new WeakMap<Socket, () => void>();

/** What the last request like this one has created, once it is known whether its response arrived. */
export async function findKnown(
  { context, response }: Responding,
  identity: FaceRequest,
): Promise<KnownRequest | null> {
  undecided.get(response.req.socket)?.();
  await context.deliveryNotes.get(nameOf(identity))?.written;
  const { arrivedAt } = stateOf(response);
  for (;;) {
    const known = await findFaceRequest(context.db, identity, arrivedAt);
    if (known === null) return null;
    if (!isSilentRepeater(response.req)) return { ...known, closedS: null };
    if (!known.mayClose) return known;
    await delay(pollMs);
  }
}

/**
 * Notes whether the response arrives. What is not noted, because the process dies, counts as lost: a repetition joins once
 * more.
 */
export function noteDelivery(
  { context, response }: Responding,
  identity: FaceRequest,
  executionId: string,
  touched: Promise<void>,
): void {
  const { db, log, deliveryNotes: notes } = context;
  const { socket } = response.req;
  const name = nameOf(identity);
  const warn = (error: unknown) =>
    log.warn({ err: error, executionId }, 'could not note the delivery of a response');
  touched.catch(warn);
  const note = { written: touched };

  function write(statement: () => Promise<void>, isLast: boolean): void {
    note.written = note.written
      .then(statement)
      .catch(warn)
      .finally(() => isLast && notes.get(name) === note && notes.delete(name));
  }

  let deliveredAt = new Date();
  response.once('finish', () => {
    deliveredAt = new Date();
  });
  response.once('close', () => {
    if (!response.writableFinished || isRetryExpected(response)) return;
    // A proxy may close each connection after its response.
    const mayClose = response.shouldKeepAlive && isSilentRepeater(response.req);
    notes.set(name, note);
    const delivered = { deliveredAt, closesWithinMs: mayClose ? decidesWithinMs : null };
    write(() => markDelivered(db, identity, executionId, delivered), !mayClose);
    if (!mayClose) return;
    const bytesRead = socket.bytesRead;
    const end = (closedAt: Date | null) => {
      undecided.delete(socket);
      clearTimeout(timer);
      socket.off('close', onClose);
      write(() => markConnection(db, identity, executionId, closedAt), true);
    };
    const onClose = () => end(socket.bytesRead === bytesRead ? new Date() : null);
    undecided.get(socket)?.();
    undecided.set(socket, () => end(null));
    // A busy process runs timers before it sees that a connection has closed.
    let timer = setTimeout(() => {
      timer = setTimeout(end, noticesWithinMs, null).unref();
    }, closesWithinMs).unref();
    if (socket.destroyed) onClose();
    else socket.once('close', onClose);
  });
}

const nameOf = ({ apiKeyId, route, hash }: FaceRequest) => [apiKeyId, route, hash].join(' ');

/** A response that asks for a repetition has not delivered what the request was for. */
function isRetryExpected(response: ServerResponse): boolean {
  const advice = response.getHeader('x-should-retry');
  const { statusCode } = response;
  return advice === 'true' || ((statusCode >= 500 || statusCode === 429) && advice !== 'false');
}
