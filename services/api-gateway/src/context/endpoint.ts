import type { Caller } from '../access/identity.ts';
import {
  endpointsOf,
  type Endpoint as KernelEndpoint,
  type EndpointRequest as KernelRequest,
} from '../http/endpoint.ts';
import type { Context } from './context.ts';

/** An endpoint of the gateway: it gets the context, and who called. */
export type Endpoint = KernelEndpoint<Context, Caller>;

export type EndpointRequest<Params, Query, Body> = KernelRequest<Context, Caller, Params, Query, Body>;

export const { endpoint, keylessEndpoint } = endpointsOf<Context, Caller>();
