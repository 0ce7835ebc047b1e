import { useQuery, useQueryClient } from '@tanstack/react-query';
import { change, read, type Schemas } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { text } from '../strings.ts';
import { Card } from '../ui/card.tsx';
import { Confirmed } from '../ui/dialog.tsx';
import { Heading } from '../ui/heading.tsx';
import { liveMs } from '../ui/intervals.ts';
import { Empty, Problem, Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/values.tsx';

type Result = Schemas['LedgerAudit'];

export function Audit() {
  const client = useQueryClient();
  const missingRole = useMissingRole('support');
  const { data, error, refetch } = useQuery({
    queryKey: ['audit'],
    queryFn: () => read<Result>('/ledger/audit'),
    refetchInterval: liveMs,
  });
  const run = async () => client.setQueryData(['audit'], await change<Result>('POST', '/ledger/audit'));
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <Heading title={text.audit.title} />
        {data?.finished_at && (
          <Confirmed
            label={text.audit.run}
            question={text.audit.runQuestion}
            disabledBecause={missingRole ?? (data.requested_at ? text.audit.requested : null)}
            act={run}
          />
        )}
      </div>
      <p className="mt-1 mb-4 max-w-3xl text-soft">{text.audit.about}</p>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={12} />}
      {data && <Last of={data} />}
    </>
  );
}

function Last({ of }: { of: Result }) {
  if (of.is_consistent === null) return <Empty title={text.audit.none} hint={text.audit.noneHint} />;
  const broken = of.invariants.filter(({ broken_by: rows }) => rows > 0);
  const kept = of.invariants.filter(({ broken_by: rows }) => rows === 0);
  return (
    <div className="space-y-4">
      <div className="rounded-lg border border-line bg-card p-4">
        <p className={`font-semibold text-base ${of.is_consistent ? 'text-good' : 'text-bad'}`}>
          {of.is_consistent ? text.audit.consistent : text.audit.inconsistent}
        </p>
        <p className="mt-1 text-soft">
          {text.audit.finished} <Time at={of.finished_at} />
        </p>
        {of.requested_at && (
          <p role="status" className="mt-1 text-busy">
            {text.audit.requested}
          </p>
        )}
        {broken.length > 0 && (
          <p className="mt-2">
            {text.audit.next}{' '}
            <a
              href="/docs/operate/alerts/HoldfastLedgerBreach"
              target="_blank"
              rel="noreferrer"
              className="underline"
            >
              {text.attention.runbook}
            </a>
          </p>
        )}
      </div>
      <Card title={text.audit.invariants(of.invariants.length)}>
        <ul className="-my-2 divide-y divide-line">
          {[...broken, ...kept].map(({ invariant, broken_by: rows }) => (
            <li key={invariant} className="flex items-baseline justify-between gap-4 py-2">
              <span>{invariant}</span>
              <span
                className={`whitespace-nowrap text-xs ${rows > 0 ? 'font-semibold text-bad' : 'text-good'}`}
              >
                {rows > 0 ? text.audit.broken(rows) : text.audit.holds}
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
