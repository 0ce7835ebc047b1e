import { join } from 'node:path';
import { reasonOf } from '@holdfast/kit/within';
import { readJson } from '../launch/home.ts';
import { LaunchError } from '../launch/launchError.ts';
import type { LocalState } from '../launch/stateFile.ts';

export type LocalStack = {
  baseUrl: string;
  apiKey: string;
  webhooksOrigin: string;
  statePath: string;
};

/** @throws LaunchError when no `npm start` runs in the folder */
export function findLocalStack(home: string): LocalStack {
  const statePath = join(home, 'local.json');
  const state = readState(statePath);
  if (!state?.base_url || !state.api_key || !state.webhooks_origin)
    throw new LaunchError(
      `Holdfast does not run here (there is no ${statePath}): npm start in another terminal, then this again.`,
    );
  return {
    baseUrl: state.base_url,
    apiKey: state.api_key,
    webhooksOrigin: state.webhooks_origin,
    statePath,
  };
}

function readState(path: string): Partial<LocalState> | undefined {
  try {
    return readJson(path) as Partial<LocalState> | undefined;
  } catch (error) {
    throw new LaunchError(`${path} can't be read: ${reasonOf(error)}`);
  }
}

const timeoutMs = 10_000;

/** Identifies endpoints that killed listeners left behind. */
const description = (pid: number) => `npm run webhooks:listen (${pid})`;
const pidIn = (text: string) => Number(/^npm run webhooks:listen \((\d+)\)$/.exec(text)?.[1]);

type ApiResponse = { status: number; body: Record<string, unknown> };
type ApiError = { message?: string; details?: { field: string; code: string; message: string }[] };

export async function addEndpoint(
  stack: LocalStack,
  { url, events }: { url: string; events: string[] },
): Promise<{ id: string; secret: string }> {
  const wanted = { url, events, description: description(process.pid) };
  const { status, body } = await request(stack, 'POST', '/v1/webhooks/endpoints', wanted);
  if (status === 201) return body as { id: string; secret: string };
  const { message, details = [] } = (body['error'] ?? {}) as ApiError;
  if (details.some(({ field, code }) => field === 'url' && code === 'INVALID_URL'))
    throw new LaunchError(
      `Holdfast sends no webhooks to ${url}, for it was started with a WEBHOOK_ALLOW_ORIGINS of its own:\n` +
        `start it without, or with ${new URL(url).origin} in it.`,
    );
  const reasons = details.map((detail) => detail.message).join(' ');
  throw new LaunchError(
    `The endpoint was refused (${status}): ${reasons || message || 'no reason was given'}`,
  );
}

export async function removeEndpoint(stack: LocalStack, id: string): Promise<boolean> {
  try {
    const { status } = await request(stack, 'DELETE', `/v1/webhooks/endpoints/${id}`);
    return status === 200 || status === 404;
  } catch {
    return false;
  }
}

/** Removes endpoints of killed listeners. The caller holds the port of `url`, so no other listener uses them. */
export async function removeLeftovers(stack: LocalStack, url: string): Promise<void> {
  const left = (await listeners(stack)).filter((other) => other.url === url || !isAlive(other.pid));
  await Promise.all(left.map(({ id }) => removeEndpoint(stack, id)));
}

/** The pid of the listener that holds `url`; undefined when it is not a listener of this stack. */
export async function listenerAt(stack: LocalStack, url: string): Promise<number | undefined> {
  return (await listeners(stack)).find((other) => other.url === url && isAlive(other.pid))?.pid;
}

async function listeners(stack: LocalStack): Promise<{ id: string; url: string; pid: number }[]> {
  const { body } = await request(stack, 'GET', '/v1/webhooks/endpoints?limit=100');
  const endpoints = (body['endpoints'] ?? []) as { id: string; url: string; description: string }[];
  return endpoints
    .map(({ id, url, description: text }) => ({ id, url, pid: pidIn(text) }))
    .filter(({ pid }) => pid > 0);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function request(
  stack: LocalStack,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiResponse> {
  const response = await dial(new URL(path, stack.baseUrl), {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      authorization: `Bearer ${stack.apiKey}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function dial(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    throw new LaunchError(`Holdfast does not respond at ${url.origin}: is npm start still running?`);
  }
}
