import { claimByToken } from '@holdfast/db/attempts/claim';
import {
  dropCallback,
  markCallbackProcessed,
  readCallback,
  type StoredCallback,
} from '@holdfast/db/callbacks/inbox';
import { mappingOf } from '@holdfast/domain/modelDefinition';
import type { Ended } from '@holdfast/providers/interface';
import type { Context } from '../context.ts';
import { leaseS } from '../lease.ts';
import { findRoute, type Route } from '../route.ts';
import { act } from '../run.ts';
import { stop } from '../stop.ts';

/** Reads a callback of the inbox: verified, it ends its run; forged or without an end, it is put aside. */
export async function callback(context: Context, callbackId: string): Promise<void> {
  const stored = await readCallback(context.db, callbackId);
  if (!stored) return;
  const route = await findRoute(context, stored.model);
  const ended = route && !stored.finished ? await verify(route, stored) : null;
  if (route && ended && !(await end(context, route, stored.token, ended))) return;
  await (stored.erased ? dropCallback : markCallbackProcessed)(context.db, callbackId);
}

async function verify({ definition, route, provider }: Route, stored: StoredCallback): Promise<Ended | null> {
  const { headers, body, token, handle } = stored;
  const read = await provider.readCallback(
    { headers, body },
    { token, handle, mapping: mappingOf(definition, route) },
  );
  return read === 'ask' || read === 'later' ? null : read;
}

/** False while another dispatcher is at this very end: the sweep brings the callback again should it die. */
async function end(context: Context, route: Route, token: string, ended: Ended): Promise<boolean> {
  const run = await claimByToken(context.db, token, leaseS);
  if (!run) return false;
  // What a provider sends of an execution that has ended is dropped.
  if (run.ended) await stop(context, run);
  else await context.inHand.hold(run.attemptId, (signal) => act(context, route, run, ended, signal));
  return true;
}
