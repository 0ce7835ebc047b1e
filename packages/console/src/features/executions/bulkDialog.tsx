import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { change, newIdempotencyKey } from '../../api.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogButton } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import { useMissingRole } from '../access/session.tsx';
import type { Filters } from '../search/filters.ts';
import { neededRole } from './actions.ts';
import { type BulkAction, bulkFilter } from './bulk.ts';

type Page = {
  matched: number;
  cancelled?: number;
  created?: number;
  replayed?: number;
  next_cursor: string | null;
};
type Done = { matched: number; changed: number };

/** Counts the executions that match, then changes them part by part. A repeat after a failure goes on: nothing is changed twice. */
function useBulk(action: BulkAction, filters: Filters) {
  const client = useQueryClient();
  const [filter, setFilter] = useState<object | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const [done, setDone] = useState<(Done & { isAll: boolean }) | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const key = useRef('');
  const isStopped = useRef(false);

  async function eachPage(of: object, isTrial: boolean, onPage: (sum: Done, isAll: boolean) => void) {
    const path = `/organizations/${filters.organization}/executions/bulk-${action}`;
    isStopped.current = false;
    setBusy(true);
    setError(null);
    try {
      let sum = { matched: 0, changed: 0 };
      for (let cursor: string | null = null, isAll = false; !isAll && !isStopped.current; ) {
        const body: object = { filter: of, dry_run: isTrial, ...(cursor && { cursor }) };
        const page: Page = await change<Page>('POST', path, { body, idempotencyKey: key.current });
        const changed = (page.cancelled ?? 0) + (page.created ?? 0) + (page.replayed ?? 0);
        sum = { matched: sum.matched + page.matched, changed: sum.changed + changed };
        cursor = page.next_cursor;
        isAll = cursor === null;
        if (!isStopped.current) onPage(sum, isAll);
      }
    } catch (reason) {
      if (!isStopped.current) setError(reason);
    } finally {
      setBusy(false);
    }
  }

  return {
    count,
    done,
    isBusy,
    error,
    async find() {
      const of = bulkFilter(action, filters, Date.now());
      key.current = newIdempotencyKey();
      setFilter(of);
      setCount(null);
      setDone(null);
      if (of) await eachPage(of, true, ({ matched }, isAll) => isAll && setCount(matched));
    },
    async start() {
      if (!filter) return;
      await eachPage(filter, false, (sum, isAll) => setDone({ ...sum, isAll }));
      await client.invalidateQueries({ queryKey: ['executions'] });
    },
    stop() {
      isStopped.current = true;
    },
  };
}

/** A button for all executions of the list: says first how many there are, and shows how far it is. */
export function Bulk({ action, filters }: { action: BulkAction; filters: Filters }) {
  const [isOpen, setOpen] = useState(false);
  const missingRole = useMissingRole(neededRole[action === 'cancel' ? 'cancel' : 'runAgain']);
  const { count, done, isBusy, error, find, start, stop } = useBulk(action, filters);
  const words = text.bulk[action];
  const close = () => {
    stop();
    setOpen(false);
  };
  const open = () => {
    setOpen(true);
    void find();
  };
  const impossible = bulkFilter(action, filters, 0) === null ? text.bulk.impossible : null;
  const disabledBecause = missingRole ?? (filters.organization ? impossible : text.bulk.noOrganization);
  const isDone = done?.isAll === true;
  return (
    <DialogButton
      label={words.label}
      title={words.title}
      disabledBecause={disabledBecause}
      dialog={{ isOpen, open, close }}
    >
      <p className="mb-3 text-soft">{words.about}</p>
      <div role="status" className="space-y-2">
        {count === null && error === null && <p className="text-soft">{text.bulk.counting}</p>}
        {count !== null && <p>{text.bulk.found(count)}</p>}
        {done && count !== null && (
          <>
            <progress
              aria-label={words.title}
              max={Math.max(count, done.matched, 1)}
              value={isDone ? Math.max(count, done.matched, 1) : done.matched}
              className="h-2 w-full accent-(--accent)"
            />
            <p className={isDone ? 'text-good' : 'text-soft'}>
              {isDone ? words.done(done.changed) : words.working(done.changed)}
            </p>
            {isDone && done.matched > done.changed && (
              <p className="text-soft">{words.left(done.matched - done.changed)}</p>
            )}
          </>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={close}>{text.close}</Button>
        {!isDone && (
          <Button
            tone={action === 'cancel' ? 'danger' : 'primary'}
            disabled={isBusy || !count}
            onClick={() => void start()}
          >
            {words.title}
          </Button>
        )}
      </div>
    </DialogButton>
  );
}
