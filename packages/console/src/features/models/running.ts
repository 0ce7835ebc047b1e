import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { change, newIdempotencyKey, type Schemas } from '../../api.ts';
import type { Model } from './models.ts';
import type { Input } from './schema.ts';

/** An id from the address may be anything. */
export const pathOf = (organizationId: string) => `/organizations/${encodeURIComponent(organizationId)}`;

/** Requests about what is being written follow it this much later. */
const settleMs = 500;

export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function useEstimate(organizationId: string, model: string, input: Input) {
  const settled = useSettled(input);
  return useQuery({
    queryKey: ['estimate', organizationId, model, settled],
    queryFn: () =>
      change<Schemas['Estimate']>('POST', `${pathOf(organizationId)}/executions/estimate`, {
        body: { model, input: settled },
      }),
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
}

/** One idempotency key until a response has come: a double click, or a retry after a lost response, runs once. */
export function useRun(organizationId: string, { slug, definition }: Model, input: Input) {
  const [key, setKey] = useState(newIdempotencyKey);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another input or organization is another request
  useEffect(() => {
    setKey(newIdempotencyKey());
    setError(null);
  }, [input, organizationId]);
  const start = async (): Promise<string | null> => {
    setBusy(true);
    setError(null);
    try {
      const { id } = await change<{ id: string }>('POST', `${pathOf(organizationId)}/executions`, {
        body: { model: slug, input, ...(definition.stream && { stream: true }) },
        idempotencyKey: key,
      });
      setKey(newIdempotencyKey());
      return id;
    } catch (reason) {
      setError(reason);
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { start, isBusy, error };
}
