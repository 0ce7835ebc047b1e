import type { components } from '@holdfast/sdk/generated/api.ts';
import { requestsTo } from '../api.ts';

export type Schemas = components['schemas'];

/** The session that the address names: its pages and its requests are below its path. Null: nobody is signed in. */
export const sessionId =
  /^\/console\/s\/(pses_[0-9a-f-]{36})(\/|$)/.exec(window.location.pathname)?.[1] ?? null;

export const home = sessionId === null ? '/console' : `/console/s/${sessionId}`;

export const apiBase = sessionId === null ? '/v1' : `${home}/v1`;

export const { read, change, readCsv } = requestsTo(apiBase);

/** Signing in with an API key belongs to no session yet. */
export const { change: start } = requestsTo('/v1');
