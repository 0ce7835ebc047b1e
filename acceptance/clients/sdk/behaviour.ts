import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { parse } from 'yaml';
import type { LocalHoldfast } from '../../stack/localHoldfast.ts';
import type { Driver } from './drivers.ts';
import { type Operation, type PlannedFault, startFaultProxy } from './faultProxy.ts';

export type Case = {
  name: string;
  call?: string;
  model?: string;
  input?: Record<string, unknown>;
  files?: Record<string, string>;
  options?: { timeout_ms?: number; progress?: boolean; abort_after_ms?: number; cancel_on_abort?: boolean };
  client?: { request_timeout_ms?: number; max_retries?: number };
  faults?: PlannedFault[];
  outcome?: string;
  executions?: number;
  charges?: number;
  status?: string;
  requests?: Partial<Record<Operation, number>>;
  keys?: number;
};

export function readCases(): Case[] {
  const text = readFileSync(join(import.meta.dirname, '../../../sdk/behaviour.yaml'), 'utf8');
  return (parse(text) as { cases: Case[] }).cases;
}

/** Whether other cases would notice it. */
export const isAlone = ({ faults = [] }: Case) => faults.some((fault) => fault.do === 'kill the gateway');

type Execution = { id: string; status: string; metadata: { case?: string } | null };
type Transaction = { kind: string };

/** What the case shall come to, in the form of `observe`. */
export function expected(one: Case) {
  const executions = one.executions ?? 1;
  return {
    outcome: one.outcome ?? 'completed',
    executions,
    charges: one.charges ?? executions,
    status: executions === 0 ? null : (one.status ?? 'COMPLETED'),
    knowsId: executions > 0,
    requests: one.requests ?? {},
    keys: one.keys ?? 1,
    unusedFaults: [],
  };
}

/** Makes the call of a case through its own proxy, and returns its outcome. */
export async function observe(one: Case, driver: Driver, holdfast: LocalHoldfast) {
  const { base_url: baseUrl, api_key: apiKey, services } = holdfast.readState();
  const pid = services['api-gateway']?.pid;
  const kill = () => pid !== undefined && process.kill(pid, 'SIGKILL');
  const proxy = await startFaultProxy(baseUrl, one.faults ?? [], () => void kill());
  const tag = randomUUID();
  try {
    const result = await driver.call({
      call: one.call ?? 'run',
      client: { base_url: proxy.url, api_key: apiKey, request_timeout_ms: 20_000, ...one.client },
      model: one.model ?? 'sandbox-text',
      input: one.input ?? { prompt: 'Hello' },
      ...(one.files && { files: one.files }),
      options: one.options ?? {},
      metadata: { case: tag },
    });
    const ended = await endedExecutions(apiClient(baseUrl, apiKey), tag);
    const [execution = null] = ended;
    return {
      outcome: result.outcome,
      executions: ended.length,
      charges: ended.reduce((sum, { charges }) => sum + charges, 0),
      status: execution?.status ?? null,
      knowsId: execution !== null && result.execution_id === execution.id,
      requests: Object.fromEntries(
        Object.keys(one.requests ?? {}).map((name) => [name, proxy.seen[name as Operation]]),
      ),
      keys: proxy.keys.size,
      // As many as were planned, or as the case needed.
      unusedFaults: (one.faults ?? []).some(({ times = 1 }) => times >= 9) ? [] : proxy.unused(),
    };
  } finally {
    await proxy.close();
  }
}

const finalStatuses = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

/** The executions of a case once they have all ended, each with the number of its charges. */
async function endedExecutions(api: ReturnType<typeof apiClient>, tag: string) {
  const executions = await until('the executions of the case have ended', async () => {
    const { status, body } = await api.get('/v1/executions?limit=100').catch(() => ({ status: 0, body: {} }));
    if (status !== 200) return null;
    const mine = (body as { data: Execution[] }).data.filter(({ metadata }) => metadata?.case === tag);
    return mine.every((execution) => finalStatuses.includes(execution.status)) && mine;
  });
  const withCharges = executions.map(async (execution) => {
    const { body } = await api.get(`/v1/balance/transactions?execution_id=${execution.id}`);
    const { data } = body as { data: Transaction[] };
    return { ...execution, charges: data.filter(({ kind }) => kind === 'settle').length };
  });
  return await Promise.all(withCharges);
}
