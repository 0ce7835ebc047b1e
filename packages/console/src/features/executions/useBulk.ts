import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { change, newIdempotencyKey, RequestError, read, type Schemas } from '../../api.ts';
import { executionQuery, type Filters } from '../search/filters.ts';
import { type BulkAction, bulkFilter, bulkStatuses, isKnown, type Part, partsOf } from './bulk.ts';

type Page = {
  matched: number;
  cancelled?: number;
  created?: number;
  replayed?: number;
  next_cursor: string | null;
};
type Sum = { matched: number; changed: number };

/** Executions that are named by id, at most: more of them would take too long to list. */
export const maxListed = 10_000;

/** Counts the executions that match, then changes them part by part. A repeat after a failure goes on: nothing is changed twice. */
export function useBulk(action: BulkAction, filters: Filters) {
  const client = useQueryClient();
  const [parts, setParts] = useState<readonly Part[]>([]);
  const [count, setCount] = useState<number | null>(null);
  const [done, setDone] = useState<(Sum & { isAll: boolean }) | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const key = useRef('');
  const isStopped = useRef(false);

  async function run(work: () => Promise<void>) {
    isStopped.current = false;
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (reason) {
      if (!isStopped.current) setError(reason);
    } finally {
      setBusy(false);
    }
  }

  async function eachPage({ organization, filter }: Part, isTrial: boolean, onPage: (page: Sum) => void) {
    const path = `/organizations/${organization}/executions/bulk-${action}`;
    for (let cursor: string | null | undefined; cursor !== null && !isStopped.current; ) {
      const body: object = { filter, dry_run: isTrial, ...(cursor && { cursor }) };
      const page: Page = await change<Page>('POST', path, { body, idempotencyKey: key.current });
      const changed = (page.cancelled ?? 0) + (page.created ?? 0) + (page.replayed ?? 0);
      cursor = page.next_cursor;
      if (!isStopped.current) onPage({ matched: page.matched, changed });
    }
  }

  async function countOwn(organization: string) {
    const part = { organization, filter: bulkFilter(action, filters, Date.now()) };
    let matched = 0;
    await eachPage(part, true, (page) => void (matched += page.matched));
    return { parts: [part], count: matched };
  }

  async function countListed() {
    const status = bulkStatuses(action, filters);
    const query = { ...executionQuery(filters), status: status.join(','), limit: 100 };
    const rows: Schemas['AnyExecution'][] = [];
    for (let cursor: string | null | undefined; cursor !== null && !isStopped.current; ) {
      const page: Schemas['AnyExecutionPage'] = await read('/executions', { ...query, cursor });
      rows.push(...page.data);
      cursor = rows.length > maxListed ? null : page.next_cursor;
    }
    return { parts: partsOf(rows, status), count: rows.length };
  }

  return {
    count,
    /** The number of their organizations. Null: it is the one of the filters. */
    organizations: isKnown(filters) ? null : new Set(parts.map(({ organization }) => organization)).size,
    done,
    isBusy,
    error,
    async find() {
      key.current = newIdempotencyKey();
      setCount(null);
      setDone(null);
      await run(async () => {
        const { organization } = filters;
        const found = await (organization && isKnown(filters) ? countOwn(organization) : countListed());
        if (isStopped.current) return;
        setParts(found.parts);
        setCount(found.count);
      });
    },
    async start() {
      let sum: Sum = { matched: 0, changed: 0 };
      const add = ({ matched, changed }: Sum, isAll: boolean) => {
        sum = { matched: sum.matched + matched, changed: sum.changed + changed };
        setDone({ ...sum, isAll });
      };
      await run(async () => {
        for (const part of parts) {
          await eachPage(part, false, (page) => add(page, false)).catch((reason: unknown) => {
            // One organization without balance does not stop the others.
            if (parts.length === 1 || !(reason instanceof RequestError && reason.status === 402))
              throw reason;
          });
        }
        if (!isStopped.current) add({ matched: 0, changed: 0 }, true);
      });
      await client.invalidateQueries({ queryKey: ['executions'] });
    },
    stop() {
      isStopped.current = true;
    },
  };
}
