import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { change, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogButton } from '../../ui/dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { useMissingRole } from '../access/session.tsx';
import { type DeliveryFilters, recoveryBody } from '../search/filters.ts';

type Page = Schemas['RecoveredDeliveries'];
type Progress = { matched: number; redelivered: number; isDone: boolean };

const hourMs = 3_600_000;
const spans = [1, 6, 24, 72, 720];
/** A count stops here; the recovery itself does not. */
const maxCounted = 20_000;

/** Counts failed deliveries that match and sends them once more, page by page. */
function useRecovery(filters: DeliveryFilters) {
  const client = useQueryClient();
  const [found, setFound] = useState<{ since: string; count: number; areMore: boolean } | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);

  /** Every page is one call; after a failure, what was recovered stays so, and a repetition goes on with the rest. */
  async function eachPage(since: string, isTrial: boolean, onPage: (page: Page) => boolean): Promise<void> {
    isStopped.current = false;
    setBusy(true);
    setError(null);
    try {
      let cursor: string | null = null;
      do {
        const body: object = {
          ...recoveryBody(filters, since),
          is_trial: isTrial,
          ...(cursor && { cursor }),
        };
        const page: Page = await change<Page>('POST', '/webhooks/deliveries/recover', { body });
        if (isStopped.current || !onPage(page)) return;
        cursor = page.next_cursor;
      } while (cursor !== null);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  }

  async function count(hours: number): Promise<void> {
    const since = new Date(Date.now() - hours * hourMs).toISOString();
    let matched = 0;
    await eachPage(since, true, (page) => {
      matched += page.matched;
      const areMore = page.has_more && matched >= maxCounted;
      if (!page.has_more || areMore) setFound({ since, count: matched, areMore });
      return !areMore;
    });
  }

  async function send(since: string): Promise<void> {
    let done = { matched: 0, redelivered: 0 };
    setProgress({ ...done, isDone: false });
    await eachPage(since, false, (page) => {
      done = { matched: done.matched + page.matched, redelivered: done.redelivered + page.redelivered };
      setProgress({ ...done, isDone: !page.has_more });
      return true;
    });
    await client.invalidateQueries();
  }

  function stop(): void {
    isStopped.current = true;
    setFound(null);
    setProgress(null);
    setError(null);
  }

  return { found, progress, isBusy, error, count, send, stop };
}

/** A button to send failed deliveries that match once more: counts them first, and shows how far it is. */
export function Recovery({ filters }: { filters: DeliveryFilters }) {
  const [isOpen, setOpen] = useState(false);
  const [hours, setHours] = useState(24);
  const { found, progress, isBusy, error, count, send, stop } = useRecovery(filters);
  const close = () => {
    stop();
    setOpen(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void (found === null ? count(hours) : send(found.since));
  };
  return (
    <DialogButton
      label={text.recovery.title}
      disabledBecause={useMissingRole('support')}
      dialog={{ isOpen, open: () => setOpen(true), close }}
    >
      <form onSubmit={submit} className="space-y-3">
        <p className="text-soft">{text.recovery.about}</p>
        {!filters.from && <Since hours={hours} isFixed={found !== null} onChange={setHours} />}
        <State found={found} progress={progress} />
        {error !== null && <Problem error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{text.close}</Button>
          {progress?.isDone !== true && (
            <Button type="submit" tone="primary" disabled={isBusy || found?.count === 0}>
              {found === null ? text.recovery.count : text.recovery.send}
            </Button>
          )}
        </div>
      </form>
    </DialogButton>
  );
}

function Since(props: { hours: number; isFixed: boolean; onChange: (hours: number) => void }) {
  const { hours, isFixed, onChange } = props;
  return (
    <Field label={text.recovery.since}>
      <select
        value={hours}
        disabled={isFixed}
        onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
        className={inputLook}
      >
        {spans.map((span) => (
          <option key={span} value={span}>
            {text.recovery.span(span)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function State(props: { found: { count: number; areMore: boolean } | null; progress: Progress | null }) {
  const { found, progress } = props;
  if (!found) return null;
  return (
    <div role="status" className="space-y-2">
      <p>
        {found.count === 0
          ? text.recovery.nothing
          : text.recovery.found(`${found.count.toLocaleString()}${found.areMore ? '+' : ''}`)}
      </p>
      {progress && (
        <>
          <progress
            aria-label={text.recovery.title}
            max={Math.max(found.count, progress.matched, 1)}
            value={progress.isDone ? Math.max(found.count, progress.matched, 1) : progress.matched}
            className="h-2 w-full accent-(--accent)"
          />
          <p className={progress.isDone ? 'text-good' : 'text-soft'}>
            {progress.isDone
              ? text.recovery.done(progress.redelivered)
              : text.recovery.working(progress.redelivered)}
          </p>
          {progress.isDone && progress.matched > progress.redelivered && (
            <p className="text-soft">{text.recovery.left(progress.matched - progress.redelivered)}</p>
          )}
        </>
      )}
    </div>
  );
}
