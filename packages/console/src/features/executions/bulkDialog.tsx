import { useState } from 'react';
import { bulkText } from '../../strings/bulk.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogButton } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import { useMissingRole } from '../access/session.tsx';
import { executionQuery, type Filters } from '../search/filters.ts';
import { neededRole } from './actions.ts';
import { type BulkAction, bulkStatuses } from './bulk.ts';
import { maxListed, useBulk } from './useBulk.ts';

/** A button for all executions of the list: says first how many there are, and shows how far it is. */
export function Bulk({ action, filters }: { action: BulkAction; filters: Filters }) {
  const [isOpen, setOpen] = useState(false);
  const missingRole = useMissingRole(neededRole[action === 'cancel' ? 'cancel' : 'runAgain']);
  const { count, organizations, done, isBusy, error, find, start, stop } = useBulk(action, filters);
  const isTooMany = count !== null && organizations !== null && count > maxListed;
  const words = bulkText[action];
  const close = () => {
    stop();
    setOpen(false);
  };
  const open = () => {
    setOpen(true);
    void find();
  };
  const impossible = bulkStatuses(action, filters).length === 0 ? bulkText.impossible : null;
  const { limit: _, ...query } = executionQuery(filters);
  const isFiltered = Object.values(query).some(Boolean);
  const disabledBecause = missingRole ?? (isFiltered ? impossible : bulkText.noFilter);
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
        {count === null && error === null && <p className="text-soft">{bulkText.counting}</p>}
        {count !== null && (
          <p>{isTooMany ? bulkText.tooMany(maxListed) : bulkText.found(count, organizations)}</p>
        )}
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
            {isDone && Math.max(count, done.matched) > done.changed && (
              <p className="text-soft">{words.left(Math.max(count, done.matched) - done.changed)}</p>
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
            disabled={isBusy || !count || isTooMany}
            onClick={() => void start()}
          >
            {words.title}
          </Button>
        )}
      </div>
    </DialogButton>
  );
}
